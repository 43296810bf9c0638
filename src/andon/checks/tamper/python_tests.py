"""The outline of a Python test file: what pytest and unittest would collect from it, read from the syntax tree.

Runs and imports nothing of the file. What one function does is read in `python_checks`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.python_checks import Doing, Reader, read_function
from andon.checks.tamper.python_names import Function, Names, Scope, parsed, read_names, settled
from andon.checks.tamper.python_truth import truth

_SET_UP = ("setUp", "asyncSetUp", "setUpClass", "setup_method", "setup_class", "setup", "setUpTestData")
_SET_UP_ALL = ("setup_module", "setUpModule", "setup_function", "setup")
_MOST_SETS = 100
"""Of parameters that are put into a test one by one."""
_SKIPS = ("skip", "skipif", "skipIf", "skipUnless")


@dataclass(frozen=True)
class _Table:
    """One parametrisation."""

    names: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...] | None
    """None where they cannot be seen."""


@dataclass(frozen=True)
class _Marks:
    """What stands over a test: on it, on its class, on the module."""

    conditions: tuple[str, ...] = ()
    failing: bool = False
    replaces: tuple[str, ...] = ()
    tables: tuple[_Table, ...] = ()

    def __add__(self, other: _Marks) -> _Marks:
        return _Marks(
            self.conditions + other.conditions,
            self.failing or other.failing,
            self.replaces + other.replaces,
            self.tables + other.tables,
        )


def outline(text: str) -> Outline | None:
    tree = parsed(text)
    if tree is None:
        return None
    try:
        return _Module(tree).outline()
    except RecursionError:
        return None


class _Module:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names: Names = read_names(tree)
        self.scope = Scope(self.names)
        self.cases: list[TestCase] = []
        self.others: list[TestCase] = []
        self.duplicates: list[tuple[str, int]] = []
        self.fixtures = {
            each.name: each for each in ast.walk(tree) if isinstance(each, Function) and self._fixture(each)
        }
        self.bases = {
            name
            for each in ast.walk(tree)
            if isinstance(each, ast.ClassDef)
            for name in (self.names.dotted(base) for base in each.bases)
        }

    def outline(self) -> Outline:
        marks = self._around(self.tree.body, _SET_UP_ALL) + self._loose()
        self._collect(self.tree.body, "", marks, collected=True)
        return Outline(tuple(self.cases), tuple(self.duplicates), self._support(), tuple(self.others))

    def _loose(self) -> _Marks:
        """What statements of the module itself do to all its tests."""
        doing = Doing()
        plain = [each for each in self.tree.body if not isinstance(each, Function | ast.ClassDef)]
        Reader(self.scope, doing, marking=False).walk([each for each in plain if not _defines(each)])
        return _Marks(tuple(doing.conditions), bool(doing.failing), tuple(doing.replaces))

    def _collect(self, body: Sequence[ast.stmt], prefix: str, marks: _Marks, collected: bool) -> None:
        seen: dict[str, ast.stmt] = {}
        for each, condition in _definitions(body, self.scope):
            for name in _named(each):
                if name in seen and _collectable(name) and condition is None and not _overloads(each):
                    self.duplicates.append((prefix + name, each.lineno))
                    self._drop(prefix + name)
                seen[name] = each
            under = marks if condition is None else marks + _Marks(conditions=(condition,))
            if isinstance(each, ast.ClassDef):
                self._class(each, prefix, under, collected)
            elif isinstance(each, Function):
                self._function(each, prefix, under, collected)

    def _drop(self, name: str) -> None:
        self.cases = [each for each in self.cases if each.name != name and not each.name.startswith(f"{name}::")]

    def _class(self, node: ast.ClassDef, prefix: str, marks: _Marks, collected: bool) -> None:
        unit = self._is_unittest(node)
        methods = {each.name for each in node.body if isinstance(each, Function)}
        by_name = node.name.startswith("Test") and not methods & {"__init__", "__new__"}
        wanted = collected and (unit or by_name or node.name in self.bases)
        above = marks + self._decorators(node.decorator_list) + self._around(node.body, _SET_UP)
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

    def _function(self, node: Function, prefix: str, marks: _Marks, collected: bool) -> None:
        own = self._decorators(node.decorator_list)
        doing = self._read(node, own.tables + marks.tables)
        if not (collected and node.name.startswith("test")) or node.name in self.fixtures:
            case = TestCase(prefix + node.name, node.lineno, checks=tuple(doing.checks), body=_digest(node))
            self.others.append(case)
            return
        whole = marks + own + self._requested(node)
        if self._switched_off(node.name):
            whole += _Marks(conditions=("__test__",))
        conditions = tuple(dict.fromkeys([*whole.conditions, *doing.conditions]))
        count, sets = _parameters(whole, doing)
        self.cases.append(
            TestCase(
                name=prefix + node.name,
                line=node.lineno,
                skipped=bool(conditions),
                expected_to_fail=whole.failing or bool(doing.failing),
                checks=tuple(doing.checks),
                parameters=count,
                replaces=tuple(dict.fromkeys([*whole.replaces, *doing.replaces])),
                body=_digest(node),
                conditions=conditions,
                sets=sets,
            )
        )

    def _read(self, node: Function, tables: tuple[_Table, ...]) -> Doing:
        """With every set of parameters put in the place of their names, so that it does not matter how tests share code."""
        free = [name for table in tables for name in table.names]
        known = [table for table in tables if table.sets]
        if not known or prod(len(table.sets or ()) for table in known) > _MOST_SETS:
            return read_function(node, self.names, free)
        whole, checks = Doing(), dict[str, None]()
        for sets in product(*(table.sets or () for table in known)):
            bound = {
                name: text
                for table, each in zip(known, sets, strict=True)
                for name, text in zip(table.names, each, strict=False)
            }
            doing = read_function(node, self.names, [name for name in free if name not in bound], bound)
            checks |= dict.fromkeys(doing.checks)
            whole.conditions += doing.conditions
            whole.failing += doing.failing
            whole.replaces += doing.replaces
            whole.loops = max(whole.loops, doing.loops)
        whole.checks = [*checks]
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

    # --- what stands over tests

    def _around(self, body: Sequence[ast.stmt], set_up: Sequence[str]) -> _Marks:
        """pytestmark, `__test__`, what is set up for all, and fixtures that nobody has to ask for."""
        marks = _Marks()
        for each in body:
            match each:
                case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                    marks += self._decorators(self.names.elements(value) or [value])
                case ast.Assign(targets=[ast.Name(id="__test__")], value=value):
                    off = truth(self.scope.text(value)) is not True
                    marks += _Marks(conditions=("__test__",) if off else ())
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    if name in set_up or (name in self.fixtures and self._fixture(each) == "autouse"):
                        marks += self._effects(each)
                case _:
                    pass
        return marks

    def _effects(self, function: Function) -> _Marks:
        doing = read_function(function, self.names)
        return _Marks(tuple(doing.conditions), bool(doing.failing), tuple(doing.replaces))

    def _requested(self, node: Function) -> _Marks:
        """What the fixtures of this file do to a test that asks for them, directly or through each other."""
        marks, waiting, seen = _Marks(), [node], set[str]()
        while waiting:
            for each in (*waiting.pop().args.args,):
                fixture = self.fixtures.get(each.arg)
                if fixture is not None and each.arg not in seen:
                    seen.add(each.arg)
                    waiting.append(fixture)
                    marks += self._effects(fixture) + self._fixture_parameters(fixture)
        return marks

    def _fixture(self, node: Function) -> str:
        """ "" for what is none."""
        for each in node.decorator_list:
            call = each if isinstance(each, ast.Call) else None
            if self.names.dotted(call.func if call else each).rpartition(".")[2] in ("fixture", "yield_fixture"):
                auto = call is not None and any(
                    word.arg == "autouse" and truth(ast.unparse(word.value)) is not False for word in call.keywords
                )
                return "autouse" if auto else "fixture"
        return ""

    def _fixture_parameters(self, node: Function) -> _Marks:
        for each in node.decorator_list:
            for word in each.keywords if isinstance(each, ast.Call) else ():
                if word.arg == "params":
                    return _Marks(tables=(_Table((), self._sets(word.value)),))
        return _Marks()

    def _decorators(self, decorators: Sequence[ast.expr]) -> _Marks:
        marks = _Marks()
        for each in decorators:
            marks += self._decorator(each)
        return marks

    def _decorator(self, node: ast.expr) -> _Marks:
        node = self.names.behind(node)
        call = node if isinstance(node, ast.Call) else None
        dotted = self.names.dotted(call.func if call else node)
        last = dotted.rpartition(".")[2]
        if last in _SKIPS and not dotted.startswith("."):
            return self._skip(last, call)
        if last == "importorskip":
            return _Marks(conditions=(ast.unparse(node),))
        if last in ("xfail", "expectedFailure"):
            never = call is not None and call.args and truth(self.scope.text(call.args[0])) is False
            return _Marks(failing=not never)
        if last == "parametrize" and call is not None:
            return self._parametrize(call)
        if last == "usefixtures" and call is not None:
            asked = [self.fixtures.get(str(getattr(each, "value", ""))) for each in call.args]
            marks = _Marks()
            for fixture in asked:
                marks += self._effects(fixture) if fixture else _Marks()
            return marks
        if call is not None and "patch" in dotted.split("."):
            doing = Doing()
            Reader(self.scope, doing).walk([ast.Expr(value=call)])
            return _Marks(replaces=tuple(doing.replaces))
        function = self.names.functions.get(dotted)
        return _Marks(conditions=(f"@{dotted}",)) if function and self._swallows(function) else _Marks()

    def _skip(self, kind: str, call: ast.Call | None) -> _Marks:
        if kind == "skip" or call is None:
            return _Marks(conditions=("skip",))
        given = [*call.args, *(each.value for each in call.keywords if each.arg == "condition")][:1]
        text = settled(self.scope.text(given[0])) if given else "skip"
        never = truth(text) is (kind == "skipUnless") if given else False
        return _Marks() if never else _Marks(conditions=(f"{'not ' if kind == 'skipUnless' else ''}{text}",))

    def _swallows(self, function: Function) -> bool:
        """A decorator of this file that keeps a failure to itself, or never calls what it stands over."""
        given = {each.arg for each in function.args.args}
        called = {
            each.func.id
            for each in ast.walk(function)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
        }
        returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)]
        plain = any(isinstance(each, ast.Name) and each.id in given for each in returned)
        if not (given & called) and not plain:
            return True
        return any(
            isinstance(each, ast.ExceptHandler)
            and (each.type is None or ast.unparse(each.type) in ("Exception", "BaseException", "AssertionError"))
            and not any(isinstance(inner, ast.Raise) for inner in ast.walk(each))
            for each in ast.walk(function)
        )

    def _parametrize(self, call: ast.Call) -> _Marks:
        words = {each.arg: each.value for each in call.keywords}
        names = call.args[0] if call.args else words.get("argnames")
        values = call.args[1] if len(call.args) > 1 else words.get("argvalues")
        free: list[str] = []
        if isinstance(names, ast.Constant) and isinstance(names.value, str):
            free = [each.strip() for each in names.value.split(",")]
        elif names is not None:
            free = [str(getattr(each, "value", "")) for each in self.names.elements(names) or []]
        sets = self._sets(values) if values is not None else None
        if sets is not None and len(free) == 1 and values is not None:
            sets = tuple((settled(", ".join(each)),) if len(each) == 1 else (f"({', '.join(each)})",) for each in sets)
        return _Marks(tables=(_Table(tuple(free), sets),))

    def _sets(self, values: ast.expr) -> tuple[tuple[str, ...], ...] | None:
        elements = self.names.elements(values)
        if elements is None:
            return None
        found: list[tuple[str, ...]] = []
        for each in elements:
            each = self.names.behind(each)
            parts = each.elts if isinstance(each, ast.Tuple | ast.List) else [each]
            if isinstance(each, ast.Call) and self.names.dotted(each.func).rpartition(".")[2] == "param":
                marks = [word.value for word in each.keywords if word.arg == "marks"]
                above = self._decorators([one for mark in marks for one in self.names.elements(mark) or [mark]])
                if above.conditions or above.failing:
                    continue
                parts = each.args
            found.append(tuple(settled(self.scope.text(part)) for part in parts))
        return tuple(found)

    def _support(self) -> str:
        tests = {each.name.partition("::")[0] for each in self.cases}
        rest = [each for each in self.tree.body if getattr(each, "name", "") not in tests]
        return hashlib.sha256("\n".join(map(ast.dump, rest)).encode("utf-8", "replace")).hexdigest()[:16]


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
    return any(
        ast.unparse(each).rpartition(".")[2] in ("overload", "setter", "deleter", "register") for each in decorators
    )


def _parameters(marks: _Marks, doing: Doing) -> tuple[int | None, tuple[tuple[str, ...], ...]]:
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
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
