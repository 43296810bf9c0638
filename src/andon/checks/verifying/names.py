"""Which names Python code speaks of. Text in, names out; nothing runs here."""

from __future__ import annotations

import ast
import sys

from andon.checks.python_syntax import module_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


def names_used(text: str) -> frozenset[str]:
    """Every name and attribute a text speaks of."""
    tree = _parsed(text)
    found = (_name(node) for node in ast.walk(tree)) if tree else ()
    return frozenset(name for name in found if name)


def names_defined(text: str) -> frozenset[str]:
    """Functions and classes."""
    tree = _parsed(text)
    walked = ast.walk(tree) if tree else ()
    return frozenset(node.name for node in walked if isinstance(node, Function | ast.ClassDef))


def names_of_test(text: str, name: str) -> frozenset[str]:
    """What the tests of this name speak of."""
    tree = _parsed(text)
    tests = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name] if tree else []
    return frozenset(_name(node) for test in tests for node in ast.walk(test)) - {""}


def literals(text: str) -> list[str | int | float]:
    """Numbers and short texts, in the order in which they stand there."""
    tree = _parsed(text)
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)] if tree else []
    return [each for each in constants if type(each) in (int, float) or (isinstance(each, str) and len(each) < 200)]  # type: ignore[misc]


def rewritten(old: str, new: str) -> frozenset[str] | None:
    """Names of tests that are not as they were; None where what stands around them is not."""
    before, after = _parsed(old), _parsed(new)
    if before is None or after is None:
        return None
    tests, now = _tests(before), _tests(after)
    if _around(before) != _around(after):
        return None
    return frozenset(name for name, texts in tests.items() if now.get(name) != texts)


def _tests(tree: ast.Module) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name.startswith("test"):
            found.setdefault(node.name, []).append(ast.dump(node))
    return found


def _around(tree: ast.Module) -> list[str]:
    """Everything but tests, classes of tests, and imports."""
    kept = [node for node in tree.body if not isinstance(node, Function | ast.ClassDef | ast.Import | ast.ImportFrom)]
    helpers = [node for node in ast.walk(tree) if isinstance(node, Function) and not node.name.startswith("test")]
    return [ast.dump(node) for node in (*kept, *helpers) if not isinstance(getattr(node, "value", None), ast.Constant)]


def speaks_of_product(text: str, name: str) -> bool:
    """Whether the tests of this name may look at the product in a form that no mutant has: data, a class without
    functions, a program that is started."""
    tree = _parsed(text)
    if tree is None:
        return True
    tests = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name]
    spoken = frozenset(_name(node) for test in tests for node in ast.walk(test)) - {""}
    given = {arg.arg for test in tests for arg in (*test.args.args, *test.args.kwonlyargs)} - {"self"}
    return bool(given or spoken & (_strangers(tree) | _STARTERS)) or not tests


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
