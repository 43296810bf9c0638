"""What can be said of a Python condition from its text alone: always true, never, or that it depends."""

from __future__ import annotations

import ast
from functools import lru_cache

from andon.checks.python_syntax import expression_of
from andon.checks.tamper.python_names import literal_of, source


@lru_cache(maxsize=4096)
def truth(text: str) -> bool | None:
    """Whether an expression is always true or never; None when that depends."""
    try:
        return _truth(expression_of(text.strip()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _truth(node: ast.expr) -> bool | None:
    known, value = literal_of(node)
    if known:
        return bool(value)
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _truth(operand)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            parts = [_truth(each) for each in values]
            deciding = isinstance(op, ast.Or)
            return deciding if deciding in parts else None if None in parts else not deciding
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right)
        case ast.Name(id="TYPE_CHECKING"):
            return False
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case ast.Lambda():
            return True
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return True if any(not isinstance(each, ast.Starred) for each in elts) else None
        case _:
            return None


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    first, second = literal_of(left), literal_of(right)
    if first[0] and second[0]:
        same = first[1] == second[1]
        if isinstance(op, ast.Eq | ast.Is):
            return same
        return not same if isinstance(op, ast.NotEq | ast.IsNot) else _ordered(first[1], op, second[1])
    length = isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len"
    if length and isinstance(op, ast.GtE) and second == (True, 0):
        return True
    calls = any(isinstance(each, ast.Call | ast.Await) for each in ast.walk(left))
    if not calls and ast.dump(left) == ast.dump(right) and isinstance(op, ast.Eq | ast.Is | ast.LtE | ast.GtE):
        return True
    return None


def _ordered(first: object, op: ast.cmpop, second: object) -> bool | None:
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return None
    orders: dict[type[ast.cmpop], bool] = {
        ast.Lt: first < second,
        ast.LtE: first <= second,
        ast.Gt: first > second,
        ast.GtE: first >= second,
    }
    return orders.get(type(op))


def turned(text: str) -> str:
    """With the literal on the right, and `not a == b` as `a != b`."""
    try:
        node = expression_of(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    opposite: dict[type[ast.cmpop], type[ast.cmpop]] = {
        ast.Eq: ast.NotEq,
        ast.NotEq: ast.Eq,
        ast.In: ast.NotIn,
        ast.NotIn: ast.In,
        ast.Is: ast.IsNot,
    }
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Compare):
        inner = node.operand
        if len(inner.ops) == 1 and type(inner.ops[0]) in opposite:
            node = ast.Compare(inner.left, [opposite[type(inner.ops[0])]()], inner.comparators)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        right = node.comparators[0]
        if literal_of(node.left)[0] and not literal_of(right)[0]:
            node = ast.Compare(right, node.ops, [node.left])
    return source(node)
