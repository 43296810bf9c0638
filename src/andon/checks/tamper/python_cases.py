"""Literal cases in Python: what tests give and expect, and the tables and chains of comparisons in product code."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from andon.checks.python_syntax import module_of

Case = tuple[str, tuple[object, ...], object]
Env = Mapping[str, object]
MOST_ROWS = 5000
OTHERWISE = ("otherwise",)
"""The key of what a chain of comparisons answers at its end."""


class Unknown(Exception):
    """Not a literal."""


def python_cases(text: str) -> Iterator[Case]:
    """Function, arguments and expected value, of every comparison of a call with a literal."""
    tree = _parsed(text)
    if tree is None:
        return
    try:
        constants = _constants(tree.body)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _of_function(node, constants)
    except RecursionError:
        return


def _parsed(text: str) -> ast.Module | None:
    try:
        return module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _constants(body: list[ast.stmt]) -> dict[str, ast.expr]:
    return {
        target.id: node.value
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _of_function(function: ast.FunctionDef | ast.AsyncFunctionDef, constants: dict[str, ast.expr]) -> Iterator[Case]:
    local = {**constants, **_constants(function.body)}
    rows: list[dict[str, object]] = [{}]
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
            rows = _bound(decorator.args, local) or rows
    for node in ast.walk(function):
        if isinstance(node, ast.For):
            rows = [*rows, *_bound([node.target, node.iter], local)]
    for node in ast.walk(function):
        for left, right in _compared(node):
            for env in rows[:MOST_ROWS]:
                yield from _case(left, right, env, local)
                yield from _case(right, left, env, local)


def _bound(args: list[ast.expr], local: dict[str, ast.expr]) -> list[dict[str, object]]:
    """The values that names have in each row of a parametrised test or of a loop."""
    if len(args) < 2:
        return []
    names = _names(args[0])
    source = local.get(args[1].id, args[1]) if isinstance(args[1], ast.Name) else args[1]
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "items":
        holder = source.func.value
        source = local.get(holder.id, holder) if isinstance(holder, ast.Name) else holder
    if isinstance(source, ast.Dict):
        pairs = [[key, value] for key, value in zip(source.keys, source.values, strict=True) if key]
    elif isinstance(source, ast.List | ast.Tuple | ast.Set):
        pairs = [_row(each) if len(names) > 1 else [each] for each in source.elts]
    else:
        return []
    found: list[dict[str, object]] = []
    for row in pairs[:MOST_ROWS]:
        try:
            found.append({name: literal(each, {}) for name, each in zip(names, row, strict=False)})
        except Unknown:
            continue
    return found


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [each.strip() for each in node.value.split(",") if each.strip()]
    if isinstance(node, ast.Tuple | ast.List):
        return [name for each in node.elts for name in _names(each)]
    return [node.id] if isinstance(node, ast.Name) else []


def _row(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return node.args
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _compared(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            yield left, right
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=ast.Call() as call)):
            yield call, ast.Constant(value=False)
        case ast.Assert(test=ast.Call() as call):
            yield call, ast.Constant(value=True)
        case ast.Call(func=ast.Attribute(attr="assertEqual" | "assertEquals" | "assertAlmostEqual"), args=[a, b, *_]):
            yield a, b
        case ast.Call(func=ast.Attribute(attr="assertTrue" | "assertFalse" as said), args=[call, *_]):
            yield call, ast.Constant(value=said == "assertTrue")
        case _:
            return


def _case(call: ast.expr, expected: ast.expr, env: Env, local: dict[str, ast.expr]) -> Iterator[Case]:
    if isinstance(call, ast.Name):
        call = local.get(call.id, call)
    if not isinstance(call, ast.Call):
        return
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if isinstance(expected, ast.Call) and ast.unparse(expected.func).endswith("approx") and expected.args:
        expected = expected.args[0]
    try:
        given = tuple(_value(each, env, local) for each in (*call.args, *(each.value for each in call.keywords)))
        if name and given:
            yield name, given, _value(expected, env, local)
    except Unknown:
        return


def _value(node: ast.expr, env: Env, local: dict[str, ast.expr]) -> object:
    if isinstance(node, ast.Name) and node.id not in env and node.id in local:
        node = local[node.id]
    return literal(node, env)


def literal(node: ast.AST | None, env: Env) -> object:
    """A value that can be compared and hashed; lists are tuples."""
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.Name(id=name) if name in env:
            return env[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(literal(each, env) for each in parts)
        case ast.Set(elts=parts):
            return frozenset(literal(each, env) for each in parts)
        case ast.Dict(keys=keys, values=values):
            return frozenset((literal(k, env), literal(v, env)) for k, v in zip(keys, values, strict=True))
        case _:
            raise Unknown


# --- tables in product code


def python_tables(text: str) -> Iterator[tuple[str, int, list[tuple[object, object]]]]:
    """Name, line and entries of each table: a literal one, or the comparisons of one function."""
    tree = _parsed(text)
    if tree is None:
        return
    try:
        owners = _owners(tree)
        for node in ast.walk(tree):
            entries = _entries(node)
            if entries:
                yield owners.get(id(node), "a table"), getattr(node, "lineno", 1), entries
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name, node.lineno, [*_chain(node)]
    except RecursionError:
        return


def _owners(tree: ast.Module) -> dict[int, str]:
    """What a literal belongs to: the name it is given, or the function it stands in."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update((id(each), node.name) for each in ast.walk(node) if isinstance(each, ast.expr))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[id(node.value)] = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[id(node.value)] = node.target.id
    return found


def _entries(node: ast.AST) -> list[tuple[object, object]]:
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = list(zip(keys, values, strict=True))
        case ast.Call(func=ast.Name(id="dict"), args=[ast.List(elts=rows) | ast.Tuple(elts=rows)]):
            pairs = [(r.elts[0], r.elts[1]) for r in rows if isinstance(r, ast.Tuple | ast.List) and len(r.elts) == 2]
        case ast.Call(
            func=ast.Name(id="dict"),
            args=[ast.Call(func=ast.Name(id="zip"), args=[ast.List(elts=a) | ast.Tuple(elts=a), right])],
        ) if isinstance(right, ast.List | ast.Tuple):
            pairs = list(zip(a, right.elts, strict=False))
        case ast.List(elts=rows) | ast.Tuple(elts=rows) if rows and all(
            isinstance(row, ast.Tuple | ast.List) and len(row.elts) >= 2 for row in rows
        ):
            parts = [row.elts for row in rows if isinstance(row, ast.Tuple | ast.List)]
            pairs = [(row[0] if len(row) == 2 else ast.Tuple(elts=row[:-1], ctx=ast.Load()), row[-1]) for row in parts]
        case ast.Subscript(value=ast.List(elts=values) | ast.Tuple(elts=values)):
            pairs = [(ast.Constant(value=index), each) for index, each in enumerate(values)]
        case _:
            return []
    found: list[tuple[object, object]] = []
    for key, value in pairs[:MOST_ROWS]:
        try:
            found.append((literal(key, {}), literal(value, {})))
        except (Unknown, TypeError):
            continue
    # What is mostly computed is no table of answers.
    return found if len(found) * 2 >= len(pairs) else []


def _chain(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[object, object]]:
    """`if n == 3: return "Fizz"`, `match`, and conditional expressions."""
    for node in ast.walk(function):
        branches: list[tuple[object, ast.expr | None]] = []
        if isinstance(node, ast.If):
            branches = [(key, _result(node.body)) for key in _tested(node.test)]
        elif isinstance(node, ast.IfExp):
            branches = [(key, node.body) for key in _tested(node.test)]
        elif isinstance(node, ast.match_case):
            branches = [(key, _result(node.body)) for key in _patterns(node.pattern)]
        for key, result in branches:
            try:
                if result is not None:
                    yield key, literal(result, {})
            except (Unknown, TypeError):
                continue
    last = _result(function.body)
    while isinstance(last, ast.IfExp):
        last = last.orelse
    try:
        yield OTHERWISE, literal(last, {})
    except (Unknown, TypeError):
        return


def _result(body: list[ast.stmt]) -> ast.expr | None:
    last = body[-1]
    return last.value if isinstance(last, ast.Return | ast.Assign) else None


def _tested(test: ast.expr) -> list[object]:
    """The literals that a condition asks for."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            for side in (right, left):
                try:
                    return [literal(side, {})]
                except (Unknown, TypeError):
                    continue
            return []
        case ast.Compare(
            ops=[ast.In()], comparators=[ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts)]
        ):
            return [key for part in parts for key in _tested(ast.Compare(part, [ast.Eq()], [part]))]
        case ast.BoolOp(op=ast.And(), values=values):
            keys = [_tested(each) for each in values]
            return [tuple(each[0] for each in keys)] if all(keys) else []
        case ast.BoolOp(op=ast.Or(), values=values):
            return [key for each in values for key in _tested(each)]
        case _:
            return []


def _patterns(pattern: ast.pattern) -> list[object]:
    match pattern:
        case ast.MatchValue(value=value):
            try:
                return [literal(value, {})]
            except (Unknown, TypeError):
                return []
        case ast.MatchSingleton(value=value):
            return [value]
        case ast.MatchOr(patterns=parts):
            return [key for part in parts for key in _patterns(part)]
        case ast.MatchSequence(patterns=parts):
            keys = [_patterns(part) for part in parts]
            return [tuple(each[0] for each in keys)] if all(keys) else []
        case _:
            return []
