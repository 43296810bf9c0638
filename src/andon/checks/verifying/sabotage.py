"""Tripwires: tests of the base made so that they can only fail. Whoever reports one of them as passed has lied.

A test that compares with a literal gets another literal, which looks like any other failure; code that answers from the
test's own text, or is equal to everything, passes it all the same. One that compares with anything else compares with
something else than that. Any other test gets a check at its end that cannot hold. Reads and writes source text only.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Mapping

from andon.checks.python_syntax import module_of
from andon.checks.verifying.literals import change_literal, change_parameters, is_display, is_literal

Function = ast.FunctionDef | ast.AsyncFunctionDef
_EQUAL = frozenset(
    {
        *("assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual"),
        *("assertSetEqual", "assertSequenceEqual", "assertCountEqual", "assertMultiLineEqual"),
    }
)


def test_names(text: str) -> frozenset[str]:
    """Of every function a Python runner could take for a test."""
    tree = _parsed(text)
    return frozenset(node.name for node in _tests(tree)) if tree else frozenset()


def sabotaged(texts: Mapping[str, str], names: Collection[str], chance: random.Random) -> dict[str, bytes]:
    """Those of the files that have tests of these names, with each of them made to fail."""
    found: dict[str, bytes] = {}
    for path, text in texts.items():
        tree = _parsed(text)
        if tree is None:
            continue
        doomed = [node for node in _tests(tree) if node.name in names]
        for node in doomed:
            _doom(node, chance)
        if doomed:
            found[path] = ast.unparse(ast.fix_missing_locations(tree)).encode()
    return found


def _parsed(text: str) -> ast.Module | None:
    try:
        return module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tests(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function) and node.name.startswith("test")]


def _doom(node: Function, chance: random.Random) -> None:
    """Make one test fail. The literals first: they tell more of those who lie."""
    checks = [sides for each in ast.walk(node) if (sides := _compared(each))]
    expected = [literal for sides in checks if (literal := _expected(sides))]
    for literal in expected:
        change_literal(literal, chance)
    if not expected and not change_parameters(node, checks, chance) and not _compare_with_others(node):
        first, second = chance.sample(range(1, 1000), 2)
        check = module_of(f"assert {first} == {second}").body
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        rest = node.body[len(docstring) :] or [ast.Pass()]
        node.body = [*docstring, ast.Try(body=rest, handlers=[], orelse=[], finalbody=check)]


_OTHER = """(lambda one, two, other: one == other(two) or other(one) == two)(
    0, 0, lambda it: not it if isinstance(it, bool) else it + 1 if isinstance(it, (int, float)) else it + "x" if
    isinstance(it, str) else it + b"x" if isinstance(it, bytes) else [*it, 0] if isinstance(it, list) else (*it, 0) if
    isinstance(it, tuple) else {**it, "x": 0} if isinstance(it, dict) else {*it, "x"} if isinstance(it, set) else
    object())"""
"""Whether one of two values equals something else than the other one. The zeros stand for the values."""
_LENIENT = {"approx", "ANY", "assertAlmostEqual"}
"""What may well equal something else."""


def _compare_with_others(node: Function) -> bool:
    """Of those checks that are reached whenever the test passes: the statements of its own body."""
    changed = False
    for statement in node.body:
        if isinstance(statement, ast.Return):
            break
        checked = statement.value if isinstance(statement, ast.Expr) else statement
        sides = _compared(checked)
        if sides is None or _names(checked) & _LENIENT:
            continue
        call = ast.parse(_OTHER, mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[:2] = sides
        if isinstance(checked, ast.Assert):
            checked.test = call
        elif isinstance(checked, ast.Call) and isinstance(checked.func, ast.Attribute):
            checked.func.attr, checked.args[:2] = "assertTrue", [call]
        changed = True
    return changed


def _names(node: ast.AST) -> set[str]:
    walked = [*ast.walk(node)]
    return {each.id for each in walked if isinstance(each, ast.Name)} | {
        each.attr for each in walked if isinstance(each, ast.Attribute)
    }


def _compared(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """What a check compares for equality."""
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return left, right
        case ast.Call(func=ast.Attribute(attr=name), args=[first, second, *_]) if name in _EQUAL:
            return first, second
        case _:
            return None


def _expected(sides: tuple[ast.expr, ast.expr]) -> ast.expr | None:
    """The side that is a literal, or built like one, when the other is not."""
    for known in (is_literal, is_display):
        found = [side for side in sides if known(side)]
        if found:
            return found[0] if len(found) == 1 else None
    return None
