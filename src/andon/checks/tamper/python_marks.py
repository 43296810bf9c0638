"""What stands over a Python test: marks, decorators, fixtures and what is set up for all. Syntax trees only.

Which functions are tests is decided elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from andon.checks.tamper.python_checks import Doing, Reader, read_function
from andon.checks.tamper.python_names import Function, Names, Scope, settled, source
from andon.checks.tamper.python_truth import truth

_SKIPS = ("skip", "skipif", "skipIf", "skipUnless")


@dataclass(frozen=True)
class Table:
    """One parametrisation."""

    names: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...] | None
    """None where they cannot be seen."""


@dataclass(frozen=True)
class Marks:
    """What stands over a test: on it, on its class, on the module."""

    conditions: tuple[str, ...] = ()
    failing: bool = False
    replaces: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()

    def __add__(self, other: Marks) -> Marks:
        return Marks(
            self.conditions + other.conditions,
            self.failing or other.failing,
            self.replaces + other.replaces,
            self.tables + other.tables,
        )


class Marking:
    """Reads what stands over the tests of one module."""

    def __init__(self, tree: ast.Module, names: Names) -> None:
        self.names, self.scope = names, Scope(names)
        self.fixtures = {
            each.name: each for each in ast.walk(tree) if isinstance(each, Function) and self.fixture_kind(each)
        }

    def around(self, body: Sequence[ast.stmt], set_up: Sequence[str]) -> Marks:
        """pytestmark, `__test__`, what is set up for all, and fixtures that nobody has to ask for."""
        marks = Marks()
        for each in body:
            match each:
                case ast.Assign(targets=[ast.Name(id="pytestmark")], value=value):
                    marks += self.decorators(self.names.elements(value) or [value])
                case ast.Assign(targets=[ast.Name(id="__test__")], value=value):
                    off = truth(self.scope.text(value)) is not True
                    marks += Marks(conditions=("__test__",) if off else ())
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    if name in set_up or (name in self.fixtures and self.fixture_kind(each) == "autouse"):
                        marks += self._effects(each)
                case _:
                    pass
        return marks

    def _effects(self, function: Function) -> Marks:
        doing = read_function(function, self.names)
        return Marks(tuple(doing.conditions), bool(doing.failing), tuple(doing.replaces))

    def requested(self, node: Function) -> Marks:
        """What the fixtures of this file do to a test that asks for them, directly or through each other."""
        marks, waiting, seen = Marks(), [node], set[str]()
        while waiting:
            for each in (*waiting.pop().args.args,):
                fixture = self.fixtures.get(each.arg)
                if fixture is not None and each.arg not in seen:
                    seen.add(each.arg)
                    waiting.append(fixture)
                    marks += self._effects(fixture) + self._fixture_parameters(fixture)
        return marks

    def fixture_kind(self, node: Function) -> str:
        """ "" for what is none."""
        for each in node.decorator_list:
            call = each if isinstance(each, ast.Call) else None
            if self.names.dotted(call.func if call else each).rpartition(".")[2] in ("fixture", "yield_fixture"):
                auto = call is not None and any(
                    word.arg == "autouse" and truth(source(word.value)) is not False for word in call.keywords
                )
                return "autouse" if auto else "fixture"
        return ""

    def _fixture_parameters(self, node: Function) -> Marks:
        for each in node.decorator_list:
            for word in each.keywords if isinstance(each, ast.Call) else ():
                if word.arg == "params":
                    return Marks(tables=(Table((), self._sets(word.value)),))
        return Marks()

    def decorators(self, decorators: Sequence[ast.expr]) -> Marks:
        marks = Marks()
        for each in decorators:
            marks += self._decorator(each)
        return marks

    def _decorator(self, node: ast.expr) -> Marks:
        node = self.names.behind(node)
        call = node if isinstance(node, ast.Call) else None
        dotted = self.names.dotted(call.func if call else node)
        last = dotted.rpartition(".")[2]
        if last in _SKIPS and not dotted.startswith("."):
            return self._skip(last, call)
        if last == "importorskip":
            return Marks(conditions=(source(node),))
        if last in ("xfail", "expectedFailure"):
            never = call is not None and call.args and truth(self.scope.text(call.args[0])) is False
            return Marks(failing=not never)
        if last == "parametrize" and call is not None:
            return self._parametrize(call)
        if last == "usefixtures" and call is not None:
            asked = [self.fixtures.get(str(getattr(each, "value", ""))) for each in call.args]
            marks = Marks()
            for fixture in asked:
                marks += self._effects(fixture) if fixture else Marks()
            return marks
        if call is not None and "patch" in dotted.split("."):
            doing = Doing()
            Reader(self.scope, doing).walk([ast.Expr(value=call)])
            return Marks(replaces=tuple(doing.replaces))
        function = self.names.functions.get(dotted)
        return Marks(conditions=(f"@{dotted}",)) if function and self._swallows(function) else Marks()

    def _skip(self, kind: str, call: ast.Call | None) -> Marks:
        if kind == "skip" or call is None:
            return Marks(conditions=("skip",))
        given = [*call.args, *(each.value for each in call.keywords if each.arg == "condition")][:1]
        text = settled(self.scope.text(given[0])) if given else "skip"
        never = truth(text) is (kind == "skipUnless") if given else False
        return Marks() if never else Marks(conditions=(f"{'not ' if kind == 'skipUnless' else ''}{text}",))

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
            and (each.type is None or source(each.type) in ("Exception", "BaseException", "AssertionError"))
            and not any(isinstance(inner, ast.Raise) for inner in ast.walk(each))
            for each in ast.walk(function)
        )

    def _parametrize(self, call: ast.Call) -> Marks:
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
        return Marks(tables=(Table(tuple(free), sets),))

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
                above = self.decorators([one for mark in marks for one in self.names.elements(mark) or [mark]])
                if above.conditions or above.failing:
                    continue
                parts = each.args
            found.append(tuple(settled(self.scope.text(part)) for part in parts))
        return tuple(found)
