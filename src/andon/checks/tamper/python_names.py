"""What names in a Python module stand for, and expressions as text in which a mere renaming changes nothing.

Reads syntax trees only. What an expression checks or skips is decided elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from andon.checks.python_syntax import expression_of, module_of

Function = ast.FunctionDef | ast.AsyncFunctionDef

_LONGEST = 2000
"""Of an expression that is put in the place of a name: longer ones keep the name."""
_VARIABLE = "v__"
_MARKED = re.compile(r"\bv__\w+")
_DEEPEST = 8


def parsed(text: str) -> ast.Module | None:
    try:
        return module_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source(node: ast.AST) -> str:
    """The text of a syntax tree; of the few that cannot be written (some nested f-strings), one as telling."""
    try:
        return ast.unparse(node)
    except ValueError:
        return f"_({ast.dump(node)!r})"


@lru_cache(maxsize=4096)
def literal(text: str) -> tuple[bool, object]:
    """Whether the text is a literal, and its value."""
    try:
        return True, ast.literal_eval(expression_of(text.strip()))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False, None


def literal_of(node: ast.expr) -> tuple[bool, object]:
    try:
        return True, ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False, None


Inside = tuple[frozenset[str], frozenset[str], dict[str, ast.expr], frozenset[str]]


@dataclass(frozen=True)
class Names:
    """A module's imports, the names it assigns once, its functions and its classes."""

    imports: Mapping[str, str]
    assigned: Mapping[str, ast.expr]
    functions: Mapping[str, Function]
    classes: Mapping[str, ast.ClassDef]
    inside: dict[Function, Inside] = field(default_factory=dict[Function, Inside])
    """What was worked out already of functions."""
    silent: set[str] = field(default_factory=set[str])
    """Functions that were found to check, skip and replace nothing."""

    def dotted(self, node: ast.expr, deep: int = 0) -> str:
        """ "pytest.mark.skip", by whatever name it is reached; "" for what is no name."""
        match node:
            case ast.Name(id=name) if name in self.imports:
                return self.imports[name]
            case ast.Name(id=name) if deep < _DEEPEST and isinstance(
                self.assigned.get(name), ast.Name | ast.Attribute | ast.Call
            ):
                return self.dotted(self.assigned[name], deep + 1) or name
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=value, attr=attr):
                front = self.dotted(value, deep + 1) if deep < 50 else ""
                return f"{front}.{attr}" if front else ""
            case ast.Call(func=ast.Name(id="getattr"), args=[target, ast.Constant(value=str(attr)), *_]):
                front = self.dotted(target, deep + 1)
                return f"{front}.{attr}" if front else ""
            case _:
                return ""

    def behind(self, node: ast.expr) -> ast.expr:
        """The expression a name was given, or the one at hand."""
        for _ in range(_DEEPEST):
            if not (isinstance(node, ast.Name) and node.id in self.assigned):
                break
            node = self.assigned[node.id]
        return node

    def elements(self, node: ast.expr, deep: int = 0) -> list[ast.expr] | None:
        """Those of a list, tuple or set that is written out; None where that cannot be seen."""
        node = self.behind(node)
        if deep > _DEEPEST:
            return None
        match node:
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                found: list[ast.expr] = []
                for each in elts:
                    part = self.elements(each.value, deep + 1) if isinstance(each, ast.Starred) else [each]
                    if part is None:
                        return None
                    found += part
                return found
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self.elements(left, deep + 1), self.elements(right, deep + 1)
                return None if first is None or second is None else first + second
            case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]) if 0 <= count < 10_000:
                return [ast.Constant(value=number) for number in range(count)]
            case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "enumerate"), args=[inner]):
                return self.elements(inner, deep + 1)
            case ast.Call(func=ast.Attribute(value=inner, attr="items"), args=[]):
                table = self.behind(inner)
                if isinstance(table, ast.Dict) and all(table.keys):
                    pairs = zip(table.keys, table.values, strict=True)
                    return [ast.Tuple(elts=[key, value], ctx=ast.Load()) for key, value in pairs if key]
                return None
            case ast.Dict(keys=keys) if all(keys):
                return [key for key in keys if key]
            case _:
                return None


def read_names(tree: ast.Module) -> Names:
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                imports[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                imports[each.asname or each.name] = ".".join(part for part in (node.module, each.name) if part)
    moved = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    stores = Counter(name for statement in tree.body for name in _stored(statement, nested=False))
    assigned = {
        name: value
        for statement in tree.body
        for name, value in _assignment(statement)
        if stores[name] == 1 and name not in moved
    }
    functions = {each.name: each for each in tree.body if isinstance(each, Function)}
    classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    return Names({k: v for k, v in imports.items() if k not in assigned}, assigned, functions, classes)


def _assignment(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case _:
            return


def _stored(node: ast.AST, nested: bool) -> Iterator[str]:
    for each in ast.walk(node) if nested else walked(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, ast.ExceptHandler) and each.name:
            yield each.name


def walked(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, without the insides of functions and classes it defines."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, Function | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)


@dataclass(frozen=True)
class Scope:
    """The names of one function: what is put in their place, and which are mere variables."""

    names: Names
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    variables: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    """Arguments that are given by name: fixtures."""
    loaded: frozenset[str] = frozenset()
    """Names that are used."""
    known: dict[tuple[str, int], str | None] = field(default_factory=dict[tuple[str, int], str | None])
    """What was worked out already."""

    def text(self, node: ast.AST, deep: int = 0) -> str:
        """With local names replaced by what they stand for, imported ones by their last part, variables marked."""
        return source(_Named(self, deep).visit(node))

    def value_of(self, name: str, deep: int) -> str | None:
        if (name, deep) not in self.known:
            self.known[name, deep] = self._value(name, deep)
        return self.known[name, deep]

    def _value(self, name: str, deep: int) -> str | None:
        if deep >= _DEEPEST:
            return None
        value = self.values.get(name)
        if value is None and name not in self.variables and (given := self.names.assigned.get(name)) is not None:
            value = given if literal_of(given)[0] else None
        if value is None:
            return None
        text = self.text(value, deep + 1)
        return f"({text})" if len(text) <= _LONGEST else None


class _Named(ast.NodeVisitor):
    """Makes a new tree, and leaves the one it goes through as it is."""

    def __init__(self, scope: Scope, deep: int) -> None:
        self._scope, self._deep = scope, deep

    def generic_visit(self, node: ast.AST) -> ast.AST:
        made = type(node)(**{name: self._field(getattr(node, name, None)) for name in node._fields})
        return ast.copy_location(made, node)

    def _field(self, value: object) -> object:
        if isinstance(value, ast.AST):
            return self.visit(value)
        if isinstance(value, list):
            return [self._field(each) for each in cast("list[object]", value)]
        return value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name, scope = node.id, self._scope
        if isinstance(node.ctx, ast.Load):
            text = scope.value_of(name, self._deep)
            if text is not None:
                return ast.Name(id=text, ctx=ast.Load())
        if name in scope.variables:
            return ast.Name(id=f"{_VARIABLE}{name}", ctx=node.ctx)
        full = scope.names.imports.get(name)
        return ast.Name(id=full.rpartition(".")[2], ctx=node.ctx) if full else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # As a call: what is put in the place of names may have quotes of its own, which an f-string cannot hold.
        parts = [each.value if isinstance(each, ast.FormattedValue) else each for each in node.values]
        return self.generic_visit(ast.Call(func=ast.Name(id="f", ctx=ast.Load()), args=parts, keywords=[]))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        scope = self._scope
        imported = isinstance(root, ast.Name) and root.id in scope.names.imports and root.id not in scope.variables
        # A module's attribute is told by its own name: how the module was imported does not matter.
        if imported and scope.names.dotted(node.value).rpartition(".")[2].islower():
            return ast.Name(id=node.attr, ctx=node.ctx)
        return self.generic_visit(node)


def loosened(scope: Scope) -> Scope:
    """The same names, of which only those of plain values are put in: how a test gets its objects does not matter."""
    values = {name: each for name, each in scope.values.items() if literal_of(each)[0] or isinstance(each, ast.Name)}
    return Scope(
        scope.names, values, scope.variables | (scope.values.keys() - values.keys()) | scope.asked, loaded=scope.loaded
    )


def scope_of(
    function: Function, names: Names, free: Iterable[str] = (), bound: Mapping[str, str] | None = None
) -> Scope:
    """`free` are arguments whose names mean nothing; `bound` are those that stand for a text."""
    inside = names.inside.get(function)
    if inside is None:
        inside = names.inside[function] = _inside(function)
    stores, arguments, values, loaded = inside
    given = {name: ast.Name(id=f"({text})", ctx=ast.Load()) for name, text in (bound or {}).items()}
    kept = {each.arg for each in _arguments(function)} - {*free}
    return Scope(names, values | given, frozenset({*stores, *arguments} - kept), frozenset(kept - given.keys()), loaded)


def _inside(function: Function) -> Inside:
    """What it stores, its arguments, the values of names that stand for one thing, and what it uses."""
    stores = Counter(name for statement in function.body for name in _stored(statement, nested=True))
    loads = Counter(
        each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    )
    arguments = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    values: dict[str, ast.expr] = {}
    for each in (inner for statement in function.body for inner in ast.walk(statement)):
        for name, value in _assignment(each) if isinstance(each, ast.stmt) else ():
            if stores[name] == 1 and name not in arguments and (not _mutable(value) or loads[name] == 1):
                values[name] = value
    return frozenset(stores), frozenset(arguments), values, frozenset(loads)


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _mutable(value: ast.expr) -> bool:
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def settled(text: str) -> str:
    """Without needless parentheses, and with variables numbered as they are met."""
    tree = parsed(text)
    if tree is not None:
        text = source(tree)
    seen: dict[str, str] = {}
    return _MARKED.sub(lambda match: seen.setdefault(match.group(), f"_{len(seen) + 1}"), text)
