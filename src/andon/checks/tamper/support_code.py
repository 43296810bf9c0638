"""Code that runs before or around tests: what of a change to it can bend every test, and what only offers something.

A fixture that tests may ask for is an offer; a hook, a fixture that nobody asks for, a changed import system are not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from andon.checks.tamper.python_checks import read_function
from andon.checks.tamper.python_names import Function, Names, parsed, read_names, source, walked

_BUILT_IN = frozenset(
    (
        "monkeypatch",
        "tmp_path",
        "tmpdir",
        "capsys",
        "capfd",
        "caplog",
        "request",
        "recwarn",
        "pytestconfig",
        "mocker",
        "client",
    )
)
_REACHING = re.compile(
    r"sys\.(?:modules|meta_path|path_hooks|path_importer_cache|settrace|exit)|os\.(?:environ|_exit|putenv)|builtins\."
)
_HARMLESS_PATHS = frozenset(("src", "lib", "python", "..", ".", "", "app", "backend"))
_SCRIPT_CHECK = re.compile(r"\b(?:expect|assert\w*|should|fail|throw)\b")
_SCRIPT_REACH = re.compile(
    r"\b(?:jest|vi)\.(?:mock|doMock|spyOn|setTimeout|retryTimes)\b|\bprocess\.(?:env|exit)|\bglobal(?:This)?\b|\bprototype\b"
    r"|\brequire\.cache|\b(?:beforeEach|beforeAll|afterEach|afterAll|addMatchers|extend)\b"
)
_COMMENT = re.compile(r"^\s*(?://|\*|/\*|#).*$")


def bent(path: str, old: str | None, new: str | None) -> Iterator[tuple[str, int]]:
    """What changed that tests did not ask for, each with its line in the new version."""
    if path.endswith(".py"):
        yield from _python(path.endswith("conftest.py"), old, new)
    elif old is None:
        if path.startswith("__mocks__/"):
            yield "a mock that takes the place of a package in all tests", 1
    else:
        yield from _script(path, old, new or "")


def _script(path: str, old: str, new: str) -> Iterator[tuple[str, int]]:
    """Without a parser: lines that check or reach around, and of set-up files and mocks every line of code."""
    before, after = ([" ".join(each.split()) for each in text.splitlines()] for text in (old, new))
    gone = [each for each in before if each not in after and each and not _COMMENT.match(each)]
    fresh = [
        (each, number)
        for number, each in enumerate(after, 1)
        if each not in before and each and not _COMMENT.match(each)
    ]
    whole = "__mocks__" in path or re.search(r"set_?up|teardown|global", path.rpartition("/")[2], re.IGNORECASE)
    if whole and (gone or fresh):
        yield (
            f"runs before or in the place of others: {(fresh[0][0] if fresh else gone[0])[:80]}",
            fresh[0][1] if fresh else 1,
        )
        return
    for each in gone:
        if _SCRIPT_CHECK.search(each):
            yield f"no longer has `{each[:80]}`", 1
            return
    for each, number in fresh:
        if _SCRIPT_REACH.search(each):
            yield f"`{each[:80]}`", number
            return


def _python(conftest: bool, old: str | None, new: str | None) -> Iterator[tuple[str, int]]:
    before, after = parsed(old or ""), parsed(new or "")
    if before is None:
        return
    if after is None:
        yield "cannot be parsed any more", 1
        return
    names, was = read_names(after), read_names(before)
    first, second = _parts(before), _parts(after)
    for key, node in first.items():
        counts = not isinstance(node, ast.Import | ast.ImportFrom) and (conftest or _checks(node, was))
        if key not in second and old is not None and counts:
            yield f"`{_told(node)}` is changed or gone", _line_now(node, after)
            return
    for key, node in second.items():
        if key not in first and (why := _reaches(node, names, conftest, old is not None)):
            yield why, getattr(node, "lineno", 1)
            return


def _parts(tree: ast.Module) -> dict[str, ast.stmt]:
    """The statements of a module by what they do, without docstrings and layout."""
    found: dict[str, ast.stmt] = {}
    for each in tree.body:
        if not _is_text(each):
            found[_dumped(each)] = each
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _dumped(node: ast.stmt) -> str:
    if isinstance(node, Function | ast.ClassDef):
        body = [each for each in node.body if not _is_text(each)]
        kind = [ast.dump(each) for each in node.decorator_list]
        shape = ast.dump(node.args) if isinstance(node, Function) else str([ast.dump(each) for each in node.bases])
        return "\n".join([node.name, shape, *kind, *(_dumped(each) for each in body)])
    return ast.dump(node)


def _told(node: ast.stmt) -> str:
    name = getattr(node, "name", "")
    return str(name) if name else source(node).partition("\n")[0][:80]


def _line_now(node: ast.stmt, tree: ast.Module) -> int:
    name = getattr(node, "name", None)
    return next((each.lineno for each in tree.body if name and getattr(each, "name", None) == name), 1)


def _checks(node: ast.stmt, names: Names) -> bool:
    """Whether it can fail a test by itself."""
    functions = [each for each in ast.walk(node) if isinstance(each, Function)]
    return any(read_function(each, names).checks for each in functions)


def _reaches(node: ast.stmt, names: Names, conftest: bool, existing: bool) -> str:
    """What a new statement does to tests that did not ask for it; "" if nothing."""
    if isinstance(node, Function):
        if (node.name.startswith("pytest_") and not _only_registers(node)) or node.name in (
            "load_tests",
            "setUpModule",
        ):
            return f"the hook {node.name}"
        fixture = next((each for each in node.decorator_list if _is_fixture(each, names)), None)
        if fixture is not None and "autouse" in source(fixture) and "autouse=False" not in source(fixture):
            return f"the fixture {node.name}, which no test asks for"
        if fixture is not None and node.name in _BUILT_IN and conftest:
            return f"the fixture {node.name} takes the place of another"
        return ""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef):
        return ""
    text = source(node)
    if match := _REACHING.search(_spelled(node, names)):
        return f"`{match.group()}` outside of any fixture"
    if re.match(r"(?:collect_ignore\w*|pytest_plugins|pytestmark)\b", text):
        return f"`{text[:80]}`"
    if "sys.path" in text and not _plain_path(node):
        return f"`{text[:80]}`"
    if read := _assigned_outside(node, names):
        return f"`{read}` is replaced for all tests"
    return ""


def _is_fixture(decorator: ast.expr, names: Names) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return names.dotted(target).rpartition(".")[2] == "fixture"


def _only_registers(node: Function) -> bool:
    """Hooks that only say which markers and options there are."""
    calls = [each.value for each in node.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    code = [each for each in node.body if not _is_text(each)]
    texts = [source(each) for each in calls]
    plain = all(re.match(r"\w+\.(?:addinivalue_line\('markers'|addoption\(|addini\()", each) for each in texts)
    return len(calls) == len(code) and plain and node.name in ("pytest_configure", "pytest_addoption")


def _spelled(node: ast.stmt, names: Names) -> str:
    """Every name in it as it is known where it comes from."""
    dotted = [names.dotted(each) for each in walked(node) if isinstance(each, ast.Attribute | ast.Name)]
    return " ".join(dotted)


def _plain_path(node: ast.stmt) -> bool:
    """sys.path set to where the product lies, as projects without an installed package do."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return all(part in _HARMLESS_PATHS for text in texts for part in text.split("/"))


def _assigned_outside(node: ast.stmt, names: Names) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else []
    for each in targets:
        root = each
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(each, ast.Attribute) and isinstance(root, ast.Name) and root.id in names.imports:
            return names.dotted(each)
    return ""
