"""Mutants of product code: functions whose body no longer does its work. Text in, text out; nothing runs here.

Three kinds, each for all chosen functions at once: one that returns nothing, one that returns a thing that is equal to
nothing, one that raises. A test that passes whatever of these happens looks at none of the functions. What Python calls
by itself is called while modules load, too, so it only returns nothing: `Money.__init__`, by the name of its class.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator

from andon.checks.python_syntax import module_of

KINDS = {
    "nothing": "return None",
    "stranger": "return object()",
    "raising": 'raise RuntimeError("not available")',
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
GENTLE = "nothing"
_COMPARING = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "contains", "bool"))
"""Of what Python calls by itself, these return something strange too: a truth where there may be none."""
_KEPT = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__", "__new__", "__getattr__", "__hash__"})
"""Even returning nothing from these breaks the import, which proves nothing."""


def functions(text: str) -> dict[str, tuple[int, int]]:
    """Names of functions and methods that can be mutated, with their first and last line."""
    tree = _parsed(text)
    return {name: (node.lineno, node.end_lineno or node.lineno) for name, node in _functions(tree)} if tree else {}


def names_used(text: str) -> frozenset[str]:
    """Every name and attribute a text speaks of."""
    tree = _parsed(text)
    found = (_name(node) for node in ast.walk(tree)) if tree else ()
    return frozenset(name for name in found if name)


def reached(text: str, name: str) -> tuple[frozenset[str], bool]:
    """What the tests of this name speak of, and whether some of that may be the product in a form that no mutant has:
    data, a class without functions, a program that is started."""
    tree = _parsed(text)
    if tree is None:
        return frozenset(), True
    tests = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name]
    spoken = frozenset(_name(node) for test in tests for node in ast.walk(test)) - {""}
    given = {arg.arg for test in tests for arg in (*test.args.args, *test.args.kwonlyargs)} - {"self"}
    return spoken, bool(given or spoken & (_strangers(tree) | _STARTERS)) or not tests


_STARTERS = frozenset({"subprocess", "runpy", "importlib", "system", "popen", "open", "Path", "read_text"})


def _strangers(tree: ast.Module) -> frozenset[str]:
    """Names that the file imports from neither Python itself nor the test runner."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not _is_known(node.module or ""):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names if not _is_known(each.name)}
    return frozenset(found)


def _is_known(module: str) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in ("pytest", "hypothesis", "mock")


def mutant(text: str, names: Collection[str], kind: str) -> str | None:
    """The text with these functions hollowed out; None when it has none of them."""
    tree = _parsed(text)
    if tree is None:
        return None
    chosen = [node for name, node in _functions(tree) if name in names and _applies(kind, name, node)]
    for node in chosen:
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        body = "return True" if node.name in _COMPARING and kind == "stranger" else KINDS[kind]
        node.body = [*docstring, *module_of(f"def f():\n    {body}").body[0].body]  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(tree)) if chosen else None


def _applies(kind: str, name: str, node: Function) -> bool:
    return kind == GENTLE or "." not in name or (kind == "stranger" and node.name in _COMPARING)


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Not those inside other functions, nor the ones that decorate or that Python calls while a module loads."""
    decorating = {_name(each) for node in ast.walk(tree) for each in getattr(node, "decorator_list", ())}
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        above, owner = waiting.pop()
        for node in ast.iter_child_nodes(above):
            if isinstance(node, Function):
                if node.name not in _KEPT and node.name not in decorating:
                    by_itself = owner and node.name.startswith("__") and node.name.endswith("__")
                    yield f"{owner}.{node.name}" if by_itself else node.name, node
            else:
                waiting.append((node, node.name if isinstance(node, ast.ClassDef) else owner))


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
