"""Fixtures that a test file newly defines over those its tests had from elsewhere: the tests then get something else.

Python only. What conftest.py itself does is the subject of `support_code`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from andon.checks.tamper.python_names import Function, parsed
from andon.checks.tamper.test_paths import is_test_file, is_test_support
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found


def fixture_findings(change: ChangeSet) -> list[Finding]:
    read = [each for each in change if each.path.endswith(".py") and (each.old or each.new)]
    known = {
        (name, _code(node))
        for each in read
        if is_test_file(each.path) or is_test_support(each.path)
        for name, node in _fixtures(each.old).items()
    }
    findings: list[Finding] = []
    for each in read:
        if not is_test_file(each.path) or not each.old or not each.new:
            continue
        before = _fixtures(each.old)
        asked = _asked(each.old)
        for name, node in _fixtures(each.new).items():
            # One that moved here from a file of this change is the same fixture.
            if name in asked and name not in before and (name, _code(node)) not in known:
                told = f"{name} takes the place of the fixture that tests of this file had from elsewhere"
                findings.append(found("test_support_changed", told, each.path, node.lineno, name))
    return findings


def _fixtures(text: str | None) -> dict[str, Function]:
    """By the name that tests ask for them with."""
    made: dict[str, Function] = {}
    for node in _functions(text):
        for each in node.decorator_list:
            called = each.func if isinstance(each, ast.Call) else each
            if ast.unparse(called).rpartition(".")[2] in ("fixture", "yield_fixture"):
                made[_name(each) or node.name] = node
    return made


def _name(decorator: ast.expr) -> str:
    words = decorator.keywords if isinstance(decorator, ast.Call) else []
    given = (each.value for each in words if each.arg == "name")
    return next((each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)), "")


def _asked(text: str) -> set[str]:
    """What tests of a file ask for by the names of their arguments."""
    tests = [node for node in _functions(text) if node.name.startswith("test")]
    return {argument.arg for node in tests for argument in (*node.args.args, *node.args.kwonlyargs)}


def _functions(text: str | None) -> Iterator[Function]:
    tree = parsed(text) if text else None
    return (node for node in ast.walk(tree) if isinstance(node, Function)) if tree else iter(())


def _code(node: Function) -> str:
    return "\n".join(map(ast.dump, (*node.decorator_list, node.args, *node.body)))
