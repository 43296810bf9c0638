"""Python product code that is made for being tested: it asks, ends the process, reaches out, or hides what it does.

Reads syntax trees of changed files; a file that does not parse here is read line by line instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from andon.checks.python_syntax import module_of
from andon.checks.tamper.constructs import Construct, brought_in, of_a_command, shown, supports_tests
from andon.checks.tamper.equality import always_equal
from andon.checks.tamper.exits_python import exits
from andon.checks.tamper.frames_python import frames
from andon.checks.tamper.hidden_python import hidden
from andon.checks.tamper.looking_python import looks
from andon.checks.tamper.product_names import Names
from andon.checks.tamper.runner_python import patches
from andon.checks.tamper.surroundings_python import surroundings
from andon.checks.tamper.test_paths import is_test_file, is_test_support
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding

_SUFFIXES = (".py", ".pyw", ".pyx")
_PYTHON = re.compile(r"#!.*\bpython")


def product_python_findings(change: ChangeSet) -> list[Finding]:
    tests = frozenset(path for path in change.before if is_test_file(path) or is_test_support(path))
    return brought_in(change, _is_product, lambda path, text: scan(path, text, tests))


def _is_product(file: Changed) -> bool:
    if is_test(file.path):
        return False
    return file.path.endswith(_SUFFIXES) or any(
        text is not None and _PYTHON.match(text[:200]) is not None for text in (file.old, file.new)
    )


def scan(path: str, text: str, tests: Collection[str] = ()) -> list[Construct]:
    """`tests`: paths of the base's test files and of the code around them."""
    tree = parsed(text)
    try:
        if tree is not None:
            return [*_tree(path, text, tree, tests)]
    except RecursionError:
        pass
    return [*_lines(text)]


def parsed(text: str) -> ast.Module | None:
    """None for what this interpreter cannot read: another language, or a newer Python."""
    try:
        return module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(path: str, text: str, tree: ast.Module, tests: Collection[str]) -> Iterator[Construct]:
    names = Names(tree)
    command = of_a_command(path) or text.startswith("#!") or _is_command(tree, names)
    yield from _asks(names, command)
    if not command and not supports_tests(path):
        yield from surroundings(names)
    if not of_a_command(path) and not supports_tests(path):
        yield from looks(names, tests)
    yield from exits(names, command)
    yield from frames(names)
    yield from patches(names, free=supports_tests(path) or of_a_command(path), command=command)
    yield from always_equal(names)
    yield from hidden(path, text, names)


_COMMAND_LINES = {"argparse", "click", "typer", "fire", "docopt", "optparse", "absl", "cleo", "cyclopts"}


def _is_command(tree: ast.Module, names: Names) -> bool:
    for node in names.nodes:
        if isinstance(node, ast.Import) and any(each.name.partition(".")[0] in _COMMAND_LINES for each in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in _COMMAND_LINES:
            return True
    return any(_main_guard(node) for node in tree.body)


def _main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and "__main__" in ast.dump(node.test)


# --- asking whether tests run

_TOOL = re.compile(
    r"(?:^|[\W_])(?:py\.?test|_pytest|unittest2?|nose2?|hypothesis|conftest|tox|xdist|doctest|coverage)(?:$|[\W_])"
    r"|^tests?[_/.]|^_?pytest|[/\\]tests?[/\\]|^test_?$",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"^(?:PYTEST|_?PYTEST_\w+|TOX_\w+|HYPOTHESIS_\w+|COV_CORE_\w+|COVERAGE_\w+)$|^PYTEST")
_PROBES = (
    *("sys.modules", "sys.argv", "sys.orig_argv", "sys.path", "__main__", "traceback.format_stack()"),
    "psutil.Process()",
)
_ENVIRONMENT = ("os.environ", "os.environb", "os.getenv()", "os.getenvb()", "posix.environ")
_PROGRAM = re.compile(r"\bargv\[0\]")
_NODE_ID = ("::", "(call)", "(setup)")
"""What stands in the variable that pytest sets, and in few others."""
_COMPARING = {
    *("get", "startswith", "endswith", "find", "rfind", "index", "count", "search", "match", "fullmatch", "findall"),
    *("__contains__", "__getitem__", "pop", "setdefault", "intersection", "isdisjoint", "issuperset", "issubset"),
    *("getenv", "find_spec", "fnmatch", "contains", "getenvb", "get_loader", "find_loader", "version", "distribution"),
}


def _asks(names: Names, command: bool) -> Iterator[Construct]:
    for node in names.nodes:
        parts = _compared(node)
        if parts and (word := _asked(parts, names, command)):
            told = f"asks for {word!r}"
            yield Construct("knows_tests", told, f"{word} in {shown(ast.unparse(node))}", getattr(node, "lineno", 0))


def _compared(node: ast.AST) -> list[ast.expr]:
    """What one node puts side by side."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Subscript(value=value, slice=key, ctx=ast.Load()):
            return [value, key]
        case ast.Call(func=ast.Attribute(value=value, attr=attr) as func, args=args) if attr in _COMPARING:
            return [value, func, node, *args]
        case ast.Call(func=ast.Name(), args=args):
            return [node, *args]
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return [left, right]
        case _:
            return []


def _asked(parts: list[ast.expr], names: Names, command: bool) -> str:
    texts = [text for part in parts for text in _texts(part, names)]
    if any(each in _NODE_ID or _is_beginning(each) for each in texts):
        sources = {source for part in parts for source in names.sources(part)}
        if any(source.startswith(_ENVIRONMENT) for source in sources):
            return next(each for each in texts if each in _NODE_ID or _is_beginning(each))
    words = [text for text in texts if _TOOL.search(text) or _VARIABLE.search(text)]
    if not words:
        return ""
    sources = {source for part in parts for source in names.sources(part)}
    if sources & {"importlib.util.find_spec", "pkgutil.find_loader", "importlib.metadata.version"}:
        return next((word for word in words if word.partition(".")[0] in ("pytest", "_pytest", "unittest")), "")
    if any(source.startswith(_ENVIRONMENT) for source in sources):
        kept = {"os.environ.copy()", "os.environ.pop()"} & sources and any(
            isinstance(part, ast.Attribute) and part.attr in ("pop", "setdefault") for part in parts
        )
        return "" if kept else next((word for word in words if _VARIABLE.search(word)), "")
    plain = [word for word in words if word in ("test", "tests")]
    if any(source.startswith(_PROBES) for source in sources):
        sharp = [word for word in words if word not in plain]
        if plain and not sharp:
            asked = {names.dotted(part) for part in parts}
            started = any(_PROGRAM.search(ast.unparse(part)) for part in parts)
            return plain[0] if ("sys.argv" in asked or started) and not command else ""
        return sharp[0] if not _extends_path(sources, parts) else ""
    return ""


def _is_beginning(text: str) -> bool:
    return len(text) >= 3 and "PYTEST_".startswith(text)


def _extends_path(sources: set[str], parts: list[ast.expr]) -> bool:
    """Looking through sys.path for a folder says nothing of who runs."""
    return "sys.path" in sources and not any(source.startswith(("sys.modules", "sys.argv")) for source in sources)


def _texts(node: ast.AST, names: Names) -> Iterator[str]:
    whole = names.text(node)
    if whole is not None:
        yield whole
        return
    for each in ast.walk(node):
        text = names.text(each) if isinstance(each, ast.expr) else None
        if text:
            yield text


# --- what does not parse here

_LINE_RULES = (
    ("knows_tests", r"PYTEST_CURRENT_TEST|PYTEST_VERSION"),
    ("knows_tests", r"[\"'](?:_?pytest|unittest)[\"']\s*(?:not\s+)?in\s+sys\s*\.\s*modules"),
    ("exits_process", r"\bos\s*\.\s*(?:_exit|abort)\s*\(|\bimport\s+_exit\b"),
    ("patches_runner", r"^\s*(?:import|from)\s+(?:_?pytest|unittest\.mock)\b"),
    ("patches_runner", r"\bgc\.get_objects\b|\bsys\.set(?:trace|profile)\b"),
    ("reads_frames", r"\bsys\._getframe\b|\binspect\.(?:stack|currentframe|getsource)\b|\.f_back\b"),
    ("always_equal", r"__eq__\s*=\s*lambda[^:]*:\s*True"),
    ("hidden_code", r"(?<![\w.])(?:exec|eval)\s*\((?!\s*[\"'][^\"']*[\"']\s*[,)])"),
)
_LINES = tuple((rule, re.compile(pattern)) for rule, pattern in _LINE_RULES)


def _lines(text: str) -> Iterator[Construct]:
    for number, line in enumerate(text.splitlines(), 1):
        code = line if not line.lstrip().startswith("#") else ""
        for rule, pattern in _LINES:
            if match := pattern.search(code):
                yield Construct(rule, f"has {shown(match[0])}", shown(match[0]), number)
