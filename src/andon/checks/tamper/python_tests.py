"""The outline of a Python test file: what pytest and unittest would collect from it, read from the syntax tree.

Runs and imports nothing of the file. What one function does is read in `python_checks`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.python_checks import Doing, Reader, read_function
from andon.checks.tamper.python_marks import Marking, Marks, Table
from andon.checks.tamper.python_names import Function, Names, Scope, parsed, read_names, settled, source, walked
from andon.checks.tamper.python_truth import truth

_SET_UP = ("setUp", "asyncSetUp", "setUpClass", "setup_method", "setup_class", "setup", "setUpTestData")
_SET_UP_ALL = ("setup_module", "setUpModule", "setup_function", "setup")
_MOST_SETS = 150
"""Of parameters that are put into a test one by one."""


def outline(text: str) -> Outline | None:
    tree = parsed(text)
    if tree is None:
        return None
    try:
        return _Module(tree).outline()
    except RecursionError:
        return None


_MOST_READ = 5000
_READ: dict[tuple[str, str, str], Doing] = {}


class _Module:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names: Names = read_names(tree)
        self.scope = Scope(self.names)
        self.cases: list[TestCase] = []
        self.others: list[TestCase] = []
        self.duplicates: list[tuple[str, int]] = []
        self.marking = Marking(tree, self.names)
        self.bases = {
            name
            for each in ast.walk(tree)
            if isinstance(each, ast.ClassDef)
            for name in (self.names.dotted(base) for base in each.bases)
        }

    def outline(self) -> Outline:
        marks = self.marking.around(self.tree.body, _SET_UP_ALL) + self._loose()
        self._collect(self.tree.body, "", marks, collected=True)
        own = dict.fromkeys((*self.names.functions, *self.names.assigned, *self.names.classes), "")
        origins = tuple({**self.names.imports, **own}.items())
        return Outline(tuple(self.cases), tuple(self.duplicates), self._support(), tuple(self.others), origins)

    def _loose(self) -> Marks:
        """What statements of the module itself do to all its tests."""
        doing = Doing()
        plain = [each for each in self.tree.body if not isinstance(each, Function | ast.ClassDef)]
        Reader(self.scope, doing, marking=False).walk([each for each in plain if not _defines(each)])
        # unittest asks this function, and no longer the module, which tests there are.
        chosen = ("load_tests",) if "load_tests" in self.names.functions else ()
        return Marks((*doing.conditions, *chosen), bool(doing.failing), tuple(doing.replaces))

    def _collect(self, body: Sequence[ast.stmt], prefix: str, marks: Marks, collected: bool) -> None:
        seen: dict[str, ast.stmt] = {}
        for each, condition in _definitions(body, self.scope):
            for name in _named(each):
                if name in seen and _collectable(name) and condition is None and not _overloads(each):
                    self.duplicates.append((prefix + name, each.lineno))
                    self._drop(prefix + name)
                seen[name] = each
            under = marks if condition is None else marks + Marks(conditions=(condition,))
            if isinstance(each, ast.ClassDef):
                self._class(each, prefix, under, collected)
            elif isinstance(each, Function):
                self._function(each, prefix, under, collected)

    def _drop(self, name: str) -> None:
        self.cases = [each for each in self.cases if each.name != name and not each.name.startswith(f"{name}::")]

    def _class(self, node: ast.ClassDef, prefix: str, marks: Marks, collected: bool) -> None:
        unit = self._is_unittest(node)
        methods = {each.name for each in node.body if isinstance(each, Function)}
        by_name = node.name.startswith("Test") and not methods & {"__init__", "__new__"}
        wanted = collected and (unit or by_name or node.name in self.bases)
        above = marks + self.marking.decorators(node.decorator_list) + self.marking.around(node.body, _SET_UP)
        self._collect(node.body, f"{prefix}{node.name}::", above, wanted)

    def _is_unittest(self, node: ast.ClassDef, deep: int = 0) -> bool:
        for base in node.bases:
            name = self.names.dotted(base).rpartition(".")[2]
            if name.endswith(("TestCase", "Test", "Tests", "TestBase", "TestMixin")):
                return True
            parent = self.names.classes.get(name)
            if parent is not None and deep < 10 and parent is not node and self._is_unittest(parent, deep + 1):
                return True
        return False

    def _function(self, node: Function, prefix: str, marks: Marks, collected: bool) -> None:
        own = self.marking.decorators(node.decorator_list)
        doing = self._read(node, own.tables + marks.tables)
        if not (collected and node.name.startswith("test")) or node.name in self.marking.fixtures:
            case = TestCase(prefix + node.name, node.lineno, checks=tuple(doing.checks), body=_digest(node))
            self.others.append(case)
            return
        whole = marks + own + self.marking.requested(node)
        if any(isinstance(each, ast.Yield | ast.YieldFrom) for part in node.body for each in walked(part)):
            whole += Marks(conditions=("yield",))
        if self._switched_off(node.name):
            whole += Marks(conditions=("__test__",))
        conditions = tuple(dict.fromkeys([*whole.conditions, *doing.conditions]))
        count, sets = _parameters(whole, doing)
        self.cases.append(
            TestCase(
                name=prefix + node.name,
                line=node.lineno,
                skipped=bool(conditions),
                expected_to_fail=whole.failing or bool(doing.failing),
                checks=tuple(doing.checks),
                shapes=tuple(doing.shapes),
                parameters=count,
                replaces=tuple(dict.fromkeys([*whole.replaces, *doing.replaces])),
                body=_digest(node),
                conditions=conditions,
                sets=sets,
            )
        )

    def _read(self, node: Function, tables: tuple[Table, ...]) -> Doing:
        """Once for both versions of a file, as long as what stands around the test is the same."""
        key = (self._context, _digest(node), repr(tables))
        if key not in _READ:
            if len(_READ) > _MOST_READ:
                _READ.clear()
            _READ[key] = self._read_anew(node, tables)
        return _READ[key]

    @cached_property
    def _context(self) -> str:
        """What the reading of a test depends on besides itself."""
        rest = [each for each in self.tree.body if not getattr(each, "name", "").startswith(("test", "Test"))]
        return _hashed(map(ast.dump, rest))

    def _read_anew(self, node: Function, tables: tuple[Table, ...]) -> Doing:
        """With every set of parameters put in the place of their names, however tests share code."""
        free = [name for table in tables for name in table.names]
        known = [table for table in tables if table.sets]
        if not known or prod(len(table.sets or ()) for table in known) > _MOST_SETS:
            return read_function(node, self.names, free)
        whole, checks = Doing(), dict[str, str]()
        for sets in product(*(table.sets or () for table in known)):
            bound = {
                name: text
                for table, each in zip(known, sets, strict=True)
                for name, text in zip(table.names, each, strict=False)
            }
            doing = read_function(node, self.names, [name for name in free if name not in bound], bound)
            checks |= dict(zip(doing.checks, doing.shapes, strict=True))
            whole.conditions += doing.conditions
            whole.failing += doing.failing
            whole.replaces += doing.replaces
            whole.loops = max(whole.loops, doing.loops)
        whole.checks, whole.shapes = [*checks], [*checks.values()]
        return whole

    def _switched_off(self, name: str) -> bool:
        """`test_x.__test__ = False` below it."""
        for each in self.tree.body:
            match each:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=found), attr="__test__")], value=value):
                    if found == name and truth(self.scope.text(value)) is False:
                        return True
                case _:
                    pass
        return False

    def _support(self) -> str:
        tests = {each.name.partition("::")[0] for each in self.cases}
        rest = [each for each in self.tree.body if getattr(each, "name", "") not in tests]
        return _hashed(map(ast.dump, rest))


def _definitions(body: Sequence[ast.stmt], scope: Scope) -> Iterator[tuple[ast.stmt, str | None]]:
    """What is defined on one level, also below conditions, with the condition if there is one."""
    for each in body:
        match each:
            case ast.If(test=test, body=inner, orelse=orelse):
                text = scope.text(test)
                always = truth(text)
                for branch, wanted, told in ((inner, True, text), (orelse, False, f"not ({text})")):
                    if always is None or always is wanted:
                        for found, condition in _definitions(branch, scope):
                            here = None if always is wanted else f"if {settled(told)}"
                            yield found, condition or here
            case ast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=last):
                for part in (inner, *(handler.body for handler in handlers), orelse, last):
                    yield from _definitions(part, scope)
            case ast.With(body=inner):
                yield from _definitions(inner, scope)
            case _:
                yield each, None


def _defines(statement: ast.stmt) -> bool:
    return any(isinstance(each, Function | ast.ClassDef) for each in ast.walk(statement))


def _named(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.Delete(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [each.asname or each.name for each in names]
        case _:
            return []


def _collectable(name: str) -> bool:
    return name.startswith("test") or name.startswith("Test") or name.endswith(("Test", "Tests", "TestCase"))


def _overloads(statement: ast.stmt) -> bool:
    decorators = statement.decorator_list if isinstance(statement, Function) else []
    return any(source(each).rpartition(".")[2] in ("overload", "setter", "deleter", "register") for each in decorators)


def _parameters(marks: Marks, doing: Doing) -> tuple[int | None, tuple[tuple[str, ...], ...]]:
    if not marks.tables:
        return (doing.loops if doing.loops > 1 else None), ()
    known = [table.sets for table in marks.tables if table.sets is not None]
    sets = tuple(each for one in known for each in one)
    return (prod(len(each) for each in known) * doing.loops if len(known) == len(marks.tables) else None), sets


def _digest(node: Function) -> str:
    """Of arguments, decorators and statements: not of its name, its docstring, its comments or its layout."""
    body = node.body
    if (
        isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        body = body[1:]
    parts = [ast.dump(node.args), *map(ast.dump, node.decorator_list), *map(ast.dump, body)]
    return _hashed(parts)


def _hashed(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
