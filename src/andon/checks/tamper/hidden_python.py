"""Python code that is built from text nobody can read: run from strings, decoded, put together from numbers."""

from __future__ import annotations

import ast
import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from andon.checks.tamper.constructs import Construct, shown
from andon.checks.tamper.product_names import Names

LONG = 200
"""Characters from which an encoded text could hold code worth hiding."""
FEW = 4
"""Letters put together from numbers that may still be a control sequence."""
_RUNS = {"exec", "eval", "compile", "types.FunctionType", "types.CodeType", "code.InteractiveInterpreter().runsource"}
_LOADS = {"marshal.loads", "marshal.load"}
_IMPORTS = {"__import__", "importlib.import_module", "importlib.__import__", "getattr"}
_UNPACKING = re.compile(
    r"(?:base64\.\w*decode\w*|zlib\.decompress|gzip\.decompress|bz2\.decompress|lzma\.decompress|codecs\.decode"
    r"|binascii\.\w+|bytes\.fromhex|bytearray\.fromhex|marshal\.loads|pickle\.loads|chr)(?:\(\))?$"
)
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_READABLE = {"utf8", "utf8sig", "ascii", "usascii", "latin1", "iso88591", "cp1252", "euckr", "cp949", "shiftjis", "gbk"}
MAGIC = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"<svg", b"<?xml", b"\0\0\x01\0", b"%PDF", b"wOF", b"BM")
"""How pictures and fonts begin: data that a program may well carry with it."""


def hidden(path: str, text: str, names: Names) -> Iterator[Construct]:
    yield from _cookies(text)
    lenient = PurePosixPath(path).name in ("setup.py", "conf.py")
    for node in names.nodes:
        if not isinstance(node, ast.Call):
            continue
        told = _told(node, names.dotted(node.func), names, lenient)
        if told:
            source = shown(ast.unparse(node))
            yield Construct("hidden_code", f"{told}: {source}", source, node.lineno)


def _told(node: ast.Call, name: str, names: Names, lenient: bool) -> str:
    if name in _RUNS and node.args and not _literal(node.args[0]) and not (lenient and _reads_file(node, names)):
        return f"{name} of text that is not in the source"
    if name in _LOADS:
        return "loads compiled code"
    if name in _IMPORTS and _computed(node, name, names):
        return "a name that is put together"
    if _UNPACKING.match(name) and node.args and _is_packed(names, node.args[0]):
        return f"unpacks a long text with {name}"
    return "text put together from numbers" if _spelled(names, node) else ""


def _cookies(text: str) -> Iterator[Construct]:
    for number, line in enumerate(text.split("\n", 2)[:2], 1):
        if (match := _COOKIE.match(line[:200])) and re.sub(r"[-_.]", "", match[1].lower()) not in _READABLE:
            yield Construct("hidden_code", f"the file is written in {match[1]}", f"coding {match[1]}", number)


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _reads_file(node: ast.Call, names: Names) -> bool:
    """How a build reads the version out of a module that it must not import."""
    sources = names.sources(node.args[0])
    return any(each.endswith((".read()", ".read_text()", ".read_bytes()")) for each in sources) and not any(
        _UNPACKING.match(each) for each in sources
    )


def _computed(node: ast.Call, name: str, names: Names) -> bool:
    at = 1 if name == "getattr" else 0
    if len(node.args) <= at or _literal(node.args[at]):
        return False
    sources = names.sources(node.args[at])
    if any(_UNPACKING.match(each) for each in sources) or _is_reversed(node.args[at]):
        return True
    return name == "getattr" and names.dotted(node.args[0]) in ("builtins", "__builtins__")


def _is_reversed(node: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Slice) and isinstance(each.step, ast.UnaryOp) and each.lower is None
        for each in ast.walk(node)
    )


def _is_packed(names: Names, node: ast.expr) -> bool:
    text = names.text(node)
    if text is None:
        texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
        long = max((each for each in texts if isinstance(each, str | bytes)), key=len, default="")
        text = long.decode("latin-1") if isinstance(long, bytes) else long
    return len(text) >= LONG and not is_picture(text)


def is_picture(text: str) -> bool:
    """Whether base64 decodes to the beginning of a picture or a font."""
    start = re.sub(r"\s", "", text[:120])[:64]
    try:
        return base64.b64decode(start[: len(start) // 4 * 4]).lstrip().startswith(MAGIC)
    except (ValueError, binascii.Error):
        return False


def _spelled(names: Names, node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("join", "decode"):
        return False
    text = names.text(node)
    if text is None or len(text) <= FEW or not text.isprintable():
        return False
    numbers = [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and type(each.value) is int and each.value > 31
    ]
    return len(numbers) > FEW
