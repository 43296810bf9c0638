"""Python objects that are equal to everything: special methods that answer without looking."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from andon.checks.tamper.constructs import Construct
from andon.checks.tamper.product_names import Names

_ANSWERS = {"__eq__": True, "__ne__": False, "__instancecheck__": True, "__subclasscheck__": True}
_CONTAINERS = {"list", "tuple", "dict", "set", "frozenset", "str", "bytes", "int", "float"}
_NUMBERS = {"int", "float", "complex", "decimal.Decimal", "fractions.Fraction"}
Method = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def always_equal(names: Names) -> Iterator[Construct]:
    for node in names.nodes:
        if isinstance(node, ast.ClassDef):
            number = any(names.dotted(base) in _NUMBERS for base in node.bases)
            for name, method, line in _methods(node):
                if number and name in ("__eq__", "__ne__"):
                    told = f"{node.name} is a number that says itself what it equals"
                    yield Construct("always_equal", told, f"{node.name}.{name}", line)
                    break
                yield from _judged(node.name, name, method, line, _is_container(node, names))
        elif isinstance(node, ast.Call) and len(node.args) == 3:
            yield from _made(node, names)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    yield from _judged(names.dotted(target.value), target.attr, node.value, node.lineno, False)


def _methods(node: ast.ClassDef) -> Iterator[tuple[str, Method, int]]:
    plain = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name, each, each.lineno
        elif isinstance(each, ast.Assign):
            value = plain.get(each.value.id) if isinstance(each.value, ast.Name) else each.value
            if isinstance(value, ast.Lambda | ast.FunctionDef):
                yield from ((target.id, value, each.lineno) for target in each.targets if isinstance(target, ast.Name))


def _is_container(node: ast.ClassDef, names: Names) -> bool:
    return any(names.dotted(base).removeprefix("collections.User").lower() in _CONTAINERS for base in node.bases)


def _made(node: ast.Call, names: Names) -> Iterator[Construct]:
    """Of `type(name, bases, {"__eq__": ...})` and of `setattr(class, "__eq__", ...)`."""
    name, last = names.dotted(node.func), node.args[2]
    if name == "setattr" and isinstance(last, ast.Lambda):
        yield from _judged(names.dotted(node.args[0]), names.text(node.args[1]) or "", last, node.lineno, False)
    if name == "type" and isinstance(last, ast.Dict):
        for key, value in zip(last.keys, last.values, strict=True):
            if isinstance(value, ast.Lambda):
                yield from _judged(
                    names.text(node.args[0]) or "a class", names.text(key) or "", value, node.lineno, False
                )


def _judged(owner: str, name: str, method: Method, line: int, container: bool) -> Iterator[Construct]:
    answer = True if name == "__contains__" and container else _ANSWERS.get(name)
    if answer is not None and _always(method, answer):
        yield Construct("always_equal", f"{owner}.{name} says {answer} to everything", f"{owner}.{name}", line)


def _always(method: Method, answer: bool) -> bool:
    """Whether it says the same whatever it is given. What raises, or leaves the answer to the other side, does not."""
    if isinstance(method, ast.Lambda):
        results: list[ast.expr | None] = [method.body]
    else:
        results = [each.value for each in _returns(method)]
        if any(isinstance(each, ast.Raise) for part in method.body for each in ast.walk(part)):
            return False
    other = [each.arg for each in method.args.args[1:2]]
    if not results or any(each is None for each in results):
        return False
    said = [_constant(each) for each in results if each is not None]
    if all(each is answer for each in said):
        return True
    looks = any(isinstance(each, ast.Name) and each.id in other for each in ast.walk(method))
    return bool(other) and not looks and None in said and answer


def _returns(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Return]:
    stack: list[ast.AST] = [*method.body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))


def _constant(node: ast.expr) -> bool | None:
    """True or False where an expression is that whatever its names stand for; False also for NotImplemented."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Name(id="NotImplemented"):
            return False
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _constant(operand)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            said = [_constant(each) for each in values]
            return decides if decides in said else (not decides if None not in said else None)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if ast.dump(left) == ast.dump(right):
            return (
                True if isinstance(op, ast.Eq | ast.Is) else (False if isinstance(op, ast.NotEq | ast.IsNot) else None)
            )
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case ast.Call(func=ast.Name(id="bool"), args=[value]):
            return _constant(value)
        case _:
            return None
