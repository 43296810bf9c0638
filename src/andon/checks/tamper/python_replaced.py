"""What a call in a Python test puts something else in the place of: mock.patch, monkeypatch, setattr in all spellings.

A name of the test file itself stands for what the file has imported under it. Syntax trees only.
"""

from __future__ import annotations

import ast
import re

from andon.checks.tamper.python_names import Names, literal, source

_HERE = "__name__"
_THIS_FILE = re.compile(
    r"sys\.modules\[__name__\]|(?:importlib\.)?import_module\(__name__\)|(?:globals|vars|locals)\(\)"
)
_OF_THIS_FILE = re.compile(r"f['\"]\{__name__\}\.(\w+)['\"]|__name__ \+ ['\"]\.(\w+)['\"]")
_TEST_MODULE = re.compile(r"(?:.*\.)?(?:test_\w+|\w+_tests?|__name__|__main__)")


def replaced(call: ast.Call, names: Names) -> list[str]:
    """Dotted names, as far as they can be told."""
    return [_origin(each, names) for each in _named(call, names)]


def root_of(node: ast.expr) -> str:
    """The first name of a dotted one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _origin(name: str, names: Names) -> str:
    front, _, last = name.rpartition(".")
    return names.imports.get(last, name) if _TEST_MODULE.fullmatch(front) else name


def _named(call: ast.Call, names: Names) -> list[str]:
    parts = names.dotted(call.func).split(".")
    texts = [_text(each) for each in call.args[:2]]
    if parts[-1] == "patch" and texts[:1]:
        return [texts[0]] if texts[0] else []
    if not call.args:
        return []
    front = texts[0] or _place(call.args[0], names)
    if parts[-2:] == ["patch", "multiple"]:
        return [f"{front}.{each.arg}" for each in call.keywords if each.arg and front]
    if parts[-2:] == ["patch", "dict"]:
        return _items(front, _keys(call))
    setting = parts[-1] in ("setattr", "delattr") or parts[-2:] == ["patch", "object"]
    if setting:
        if texts[0]:
            return [texts[0]]
        known = front and (front == _HERE or root_of(call.args[0]) in names.imports)
        return [f"{front}.{texts[1]}"] if known and len(texts) > 1 and texts[1] else []
    return _items(front, texts[1:]) if parts[-1] == "setitem" else []


def _place(node: ast.expr, names: Names) -> str:
    return _HERE if _THIS_FILE.fullmatch(source(node)) else names.dotted(node)


def _items(table: str, keys: list[str]) -> list[str]:
    """Of `sys.modules` the modules, of the file's own names the names; other tables are data."""
    if table == "sys.modules":
        return [key for key in keys if key]
    return [f"{_HERE}.{key}" for key in keys if key] if table == _HERE else []


def _keys(call: ast.Call) -> list[str]:
    table = call.args[1] if len(call.args) > 1 else None
    written = [_text(key) for key in table.keys if key] if isinstance(table, ast.Dict) else []
    return [*written, *(each.arg for each in call.keywords if each.arg)]


def _text(node: ast.expr) -> str:
    """A string, also one that is made with the name of the file."""
    told = source(node)
    if here := _OF_THIS_FILE.fullmatch(told):
        return f"{_HERE}.{here[1] or here[2]}"
    known, value = literal(told)
    return value if known and isinstance(value, str) else ""
