"""Mutants of product code: functions whose body no longer does its work. Text in, text out; nothing runs here.

Three kinds, each for all chosen functions at once: one that returns nothing, one that returns a thing that is equal to
nothing, one that raises. A test that passes whatever of these happens looks at none of the functions.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from andon.checks.python_syntax import module_of

KINDS = {
    "nothing": "return None",
    "stranger": "return object()",
    "raising": 'raise RuntimeError("not available")',
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEPT = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__new__", "__post_init__", "__repr__"})
"""Called by Python itself while modules load: breaking these breaks the import, which proves nothing."""


def functions(text: str) -> dict[str, tuple[int, int]]:
    """Names of functions and methods that can be mutated, with their first and last line."""
    tree = _parsed(text)
    return {node.name: (node.lineno, node.end_lineno or node.lineno) for node in _functions(tree)} if tree else {}


def names_used(text: str) -> frozenset[str]:
    """Every name and attribute a text speaks of."""
    tree = _parsed(text)
    found = (_name(node) for node in ast.walk(tree)) if tree else ()
    return frozenset(name for name in found if name)


def mutant(text: str, names: Collection[str], kind: str) -> str | None:
    """The text with these functions hollowed out; None when it has none of them."""
    tree = _parsed(text)
    if tree is None:
        return None
    chosen = [node for node in _functions(tree) if node.name in names]
    for node in chosen:
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        node.body = [*docstring, *module_of(f"def f():\n    {KINDS[kind]}").body[0].body]  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(tree)) if chosen else None


def _functions(tree: ast.Module) -> Iterator[Function]:
    """Not those inside other functions, nor the ones that decorate or that Python calls while a module loads."""
    decorating = {_name(each) for node in ast.walk(tree) for each in getattr(node, "decorator_list", ())}
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, Function):
                if node.name not in _KEPT and node.name not in decorating:
                    yield node
            else:
                waiting.append(node)


def _name(node: ast.AST) -> str:
    match node:
        case ast.Call(func=called):
            return _name(called)
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name.rpartition(".")[2]
        case _:
            return ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
