"""What the code of one Python test does: its checks, what skips it, what it replaces. Syntax trees only.

Checks that cannot fail the test (dead code, swallowed exceptions) are no checks. Which functions are tests is decided
elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from andon.checks.tamper.python_names import Function, Names, Scope, literal, loosened, scope_of, settled, source
from andon.checks.tamper.python_replaced import replaced, root_of
from andon.checks.tamper.python_truth import truth, turned

_CHECKING = re.compile(r"_*(?:assert|check_|expect|verify|ensure_|should_)")
_SWALLOWS = ("AssertionError", "Exception", "BaseException")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "failUnlessRaises")
_WARNS = ("warns", "deprecated_call", "assertWarns", "assertWarnsRegex", "assertLogs", "assertNoLogs")
_COMPARED = {
    **dict.fromkeys(("assertEqual", "assertEquals", "assertListEqual", "assertDictEqual"), "=="),
    **dict.fromkeys(("assertTupleEqual", "assertSetEqual", "assertMultiLineEqual", "assertSequenceEqual"), "=="),
    **{"assertNotEqual": "!=", "assertIs": "is", "assertIsNot": "is not", "assertIn": "in", "assertNotIn": "not in"},
    **{"assertGreater": ">", "assertGreaterEqual": ">=", "assertLess": "<", "assertLessEqual": "<="},
}
_ASKED = {
    **{"assertTrue": "{}", "assertFalse": "not ({})", "assert_": "{}"},
    **{"assertIsNone": "({}) is None", "assertIsNotNone": "({}) is not None"},
}
_HELPERS_DEEP = 3


@dataclass
class Doing:
    """What was met on the way through a test."""

    checks: list[str] = field(default_factory=list[str])
    shapes: list[str] = field(default_factory=list[str])
    """The same checks, whatever way the test got the objects that they are about."""
    conditions: list[str] = field(default_factory=list[str])
    failing: list[str] = field(default_factory=list[str])
    replaces: list[str] = field(default_factory=list[str])
    loops: int = 1
    """Of the longest list that is written out and gone through."""
    wrote: list[str] = field(default_factory=list[str])
    """Files beside the tests that the test itself writes: to compare with one of those is to compare with nothing."""

    def told(self) -> int:
        return len(self.checks) + len(self.conditions) + len(self.failing) + len(self.replaces)


class Reader:
    """Goes through the statements of one function in the order they run."""

    def __init__(self, scope: Scope, doing: Doing, deep: int = 0, marking: bool = True, loose: bool = False) -> None:
        self.scope, self.doing = scope, doing
        self._deep, self._marking, self._loose = deep, marking, loose

    def walk(self, statements: Sequence[ast.stmt], guard: str = "") -> bool:
        """Whether it always ends here, with no failure."""
        for number, statement in enumerate(statements):
            before = len(self.doing.conditions)
            if self._statement(statement, guard):
                left = statements[number + 1 :]
                if any(self._checks_in(each) for each in left) and len(self.doing.conditions) == before:
                    self.doing.conditions.append(f"{guard}return")
                return True
            if isinstance(statement, ast.If) and self._returns(statement.body) and not self._returns(statement.orelse):
                left = statements[number + 1 :]
                if any(self._checks_in(each) for each in left):
                    self.doing.conditions.append(f"{guard}return if {settled(self.scope.text(statement.test))}")
        return False

    def _statement(self, node: ast.stmt, guard: str) -> bool:
        match node:
            case ast.Assert(test=test):
                self._assertion(test, guard)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._branches(self.scope.text(test), body, orelse, guard)
            case ast.While(test=test, body=body, orelse=orelse):
                if truth(self.scope.text(test)) is not False:
                    self.walk(body, guard)
                self.walk(orelse, guard)
            case ast.For(iter=over, body=body, orelse=orelse) | ast.AsyncFor(iter=over, body=body, orelse=orelse):
                self._loop(over, body, guard)
                self.walk(orelse, guard)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self._with(items, body, guard)
            case ast.Try() | ast.TryStar():
                return self._try(node, guard)
            case ast.Match(subject=subject, cases=cases):
                for each in cases:
                    self.walk(each.body, f"{guard}case {settled(self.scope.text(subject))}: ")
            case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
                # One that nobody calls or hands on checks nothing.
                if node.name in self.scope.loaded or node.decorator_list:
                    self.walk(body, guard)
            case ast.Continue() | ast.Break():
                return True
            case ast.Return(value=value):
                self._visit(value, guard)
                return True
            case ast.Raise(exc=exc):
                return self._raise(exc, guard)
            case _:
                self._assigned(node)
                self._visit(node, guard)
                return isinstance(node, ast.Expr) and self._skips(node.value)
        return False

    def _assertion(self, test: ast.expr, guard: str) -> None:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for each in test.values:
                self._assertion(each, guard)
            return
        raw = truth(source(test))
        self.add_condition(self.scope.text(test) if raw is None else str(raw), guard)

    def add_condition(self, text: str, guard: str) -> None:
        """A check that this holds. What always does is told as "assert True"."""
        if truth(text) is True or any(f"{path}.read_" in text for path in self.doing.wrote):
            text = "True"
        self._add(f"assert {turned(text)}", guard)

    def _add(self, text: str, guard: str) -> None:
        # Guard and check are settled together, so that a variable has one number in both.
        self.doing.checks.append(guard + settled(text))

    def _branches(self, test: str, body: list[ast.stmt], orelse: list[ast.stmt], guard: str) -> bool:
        always = truth(test)
        text = settled(test)
        if always is not None:
            if any(self._checks_in(each) for each in (orelse if always else body)) and not always:
                self.doing.conditions.append(f"{guard}if {text}")
            return self.walk(body if always else orelse, guard)
        first = self.walk(body, f"{guard}if {text}: ")
        return self.walk(orelse, f"{guard}if not ({text}): ") and first

    def _loop(self, over: ast.expr, body: list[ast.stmt], guard: str) -> None:
        value = self.scope.values.get(over.id) if isinstance(over, ast.Name) else None
        elements = self.scope.names.elements(value or over)
        if elements is not None and any(self._checks_in(each) for each in body):
            if not elements:
                self.doing.conditions.append(f"{guard}for nothing")
                return
            self.doing.loops = max(self.doing.loops, len(elements))
        self._visit(over, guard)
        self.walk(body, guard)

    def _with(self, items: list[ast.withitem], body: list[ast.stmt], guard: str) -> bool:
        swallowed = False
        for each in items:
            call = each.context_expr
            name = self._name(call)
            if isinstance(call, ast.Call) and name in (*_RAISES, *_WARNS):
                done = "; ".join(self.scope.text(statement) for statement in body)
                self._add(_raising(call, name, self.scope), guard)
                self.doing.checks[-1] += f": {settled(done)}"
                swallowed |= name in _RAISES and self._swallowing(call.args[:1])
            elif isinstance(call, ast.Call) and name == "suppress":
                swallowed |= self._swallowing(call.args)
            else:
                self._visit(call, guard)
        if swallowed:
            return self._unheard(body, guard)
        return self.walk(body, guard)

    def _try(self, node: ast.Try | ast.TryStar, guard: str) -> bool:
        swallowing = any(
            (each.type is None or self._swallowing([each.type])) and not self._fails(each.body)
            for each in node.handlers
        )
        ended = self._unheard(node.body, guard) if swallowing else self.walk(node.body, guard)
        for each in node.handlers:
            self.walk(each.body, f"{guard}except: ")
        self.walk(node.orelse, guard)
        self.walk(node.finalbody, guard)
        return ended

    def _unheard(self, body: list[ast.stmt], guard: str) -> bool:
        """Whatever fails in here fails nothing."""
        kept = len(self.doing.checks)
        ended = self.walk(body, guard)
        del self.doing.checks[kept:]
        return ended

    def _raise(self, exc: ast.expr | None, guard: str) -> bool:
        name = self._name(exc) if exc else ""
        dotted = self.scope.names.dotted(exc.func if isinstance(exc, ast.Call) else exc) if exc else ""
        if name == "SkipTest" or dotted == "pytest.skip.Exception":
            self.doing.conditions.append(f"{guard}skip")
            return True
        if name == "AssertionError":
            self._add("fail()", guard)
        return False

    def _assigned(self, node: ast.stmt) -> None:
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [getattr(node, "target", None)]
        for each in targets:
            if isinstance(each, ast.Attribute) and root_of(each) in self.scope.names.imports:
                self.doing.replaces.append(self.scope.names.dotted(each))
            elif isinstance(each, ast.Subscript) and self.scope.names.dotted(each.value) == "sys.modules":
                known, value = literal(source(each.slice))
                self.doing.replaces += [str(value)] if known else []

    def _visit(self, node: ast.AST | None, guard: str) -> None:
        """The calls in an expression, outermost first."""
        if node is None:
            return
        if isinstance(node, ast.Call) and self._call(node, guard):
            return
        dotted = self.scope.names.dotted(node) if isinstance(node, ast.Attribute) and self._marking else ""
        if dotted == "pytest.mark.xfail":
            self.doing.failing.append(guard)
        elif dotted in ("pytest.mark.skip", "pytest.mark.skipif"):
            self.doing.conditions.append(f"{guard}mark")
        for each in ast.iter_child_nodes(node):
            self._visit(each, guard)

    def _call(self, call: ast.Call, guard: str) -> bool:
        """Whether nothing more is to be looked for in it."""
        name, dotted = self._name(call), self.scope.names.dotted(call.func)
        if name in ("write_text", "write_bytes") and isinstance(call.func, ast.Attribute) and not guard:
            path = self.scope.text(call.func.value)
            self.doing.wrote += [path] if "__file__" in path else []
        if self._skips(call):
            self.doing.conditions.append(f"{guard}skip")
        elif dotted == "pytest.importorskip":
            self.doing.conditions.append(f"{guard}import {source(call.args[0]) if call.args else ''}")
        elif dotted == "pytest.xfail":
            self.doing.failing.append(guard)
        elif dotted == "pytest.fail" or (name == "fail" and isinstance(call.func, ast.Attribute)):
            self._add("fail()", guard)
        elif self._helper(call, guard):
            return False
        elif name in _COMPARED and len(call.args) >= 2:
            first, second = (self.scope.text(each) for each in call.args[:2])
            self.add_condition(f"({first}) {_COMPARED[name]} ({second})", guard)
        elif name in _ASKED and call.args:
            self.add_condition(_ASKED[name].format(self.scope.text(call.args[0])), guard)
        elif name in (*_RAISES, *_WARNS):
            self._add(_raising(call, name, self.scope), guard)
            called = call.args[2 if name.endswith("Regex") else 1 :]
            if called:
                rest = ", ".join(self.scope.text(each) for each in called[1:])
                self.doing.checks[-1] += f": {settled(f'{self.scope.text(called[0])}({rest})')}"
        elif _CHECKING.match(name) or _CHECKING.match(_chained(call)):
            self._add(self.scope.text(call), guard)
        else:
            self.doing.replaces += replaced(call, self.scope.names)
            return False
        return True

    def _helper(self, call: ast.Call, guard: str) -> bool:
        """A function of the same file is read in the place where it is called, with what it is given."""
        function = self.scope.names.functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        silent = self.scope.names.silent
        if (
            function is None
            or self._deep >= _HELPERS_DEEP
            or function.name.startswith("test")
            or function.name in silent
        ):
            return False
        arguments = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        bound = {name: self.scope.text(value) for name, value in zip(arguments, call.args, strict=False)}
        bound |= {each.arg: self.scope.text(each.value) for each in call.keywords if each.arg}
        scope = scope_of(function, self.scope.names, free=[*arguments], bound=bound)
        had, told = len(self.doing.checks), self.doing.told()
        scope = loosened(scope) if self._loose else scope
        Reader(scope, self.doing, self._deep + 1, loose=self._loose).walk(function.body, guard)
        if self.doing.told() == told and self._deep == 0:
            silent.add(function.name)
        return len(self.doing.checks) > had

    def _name(self, node: ast.expr | None) -> str:
        node = node.func if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Attribute):
            return node.attr
        return self.scope.names.dotted(node).rpartition(".")[2] if node else ""

    def _skips(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        return self.scope.names.dotted(node.func) == "pytest.skip" or self._name(node) == "skipTest"

    def _returns(self, body: Sequence[ast.stmt]) -> bool:
        return any(isinstance(each, ast.Return) for each in body)

    def _swallowing(self, types: Sequence[ast.expr]) -> bool:
        flat = [inner for each in types for inner in (each.elts if isinstance(each, ast.Tuple) else [each])]
        return any(self._name(each) in _SWALLOWS for each in flat)

    def _fails(self, body: Sequence[ast.stmt]) -> bool:
        return any(isinstance(each, ast.Raise) or self._checks_in(each) for each in body)

    def _checks_in(self, statement: ast.AST) -> bool:
        for each in ast.walk(statement):
            if isinstance(each, ast.Assert):
                return True
            if isinstance(each, ast.Call):
                name = self._name(each)
                if _CHECKING.match(name) or name in (*_RAISES, *_WARNS, "fail"):
                    return True
                helper = self.scope.names.functions.get(name)
                if helper is not None and any(isinstance(inner, ast.Assert) for inner in ast.walk(helper)):
                    return True
        return False


def _raising(call: ast.Call, name: str, scope: Scope) -> str:
    """`raises(ValueError, match='x')`, in whatever words."""
    word = "raises" if name in _RAISES else "warns" if name in _WARNS[:4] else name
    given = [*call.args[: 2 if name.endswith("Regex") else 1]]
    if not given:
        given = [each.value for each in call.keywords if each.arg == "expected_exception"]
    parts = [scope.text(each) for each in given]
    if name.endswith("Regex") and len(parts) == 2:
        parts[1] = f"match={parts[1]}"
    parts += [f"match={scope.text(each.value)}" for each in call.keywords if each.arg == "match"]
    return f"{word}({', '.join(parts)})"


def _chained(call: ast.Call) -> str:
    """The name of the first call of a chain: of `expect(x).to_be(y)`, "expect"."""
    node: ast.expr = call
    while True:
        match node:
            case ast.Call(func=ast.Name(id=name)):
                return name
            case ast.Call():
                node = node.func
            case ast.Attribute():
                node = node.value
            case _:
                return ""


def read_function(
    function: Function, names: Names, free: Sequence[str] = (), bound: Mapping[str, str] | None = None
) -> Doing:
    scope, doing, loose = scope_of(function, names, free, bound), Doing(), Doing()
    Reader(scope, doing).walk(function.body)
    if doing.checks and (scope.asked or any(name not in (bound or {}) for name in scope.values)):
        Reader(loosened(scope), loose, loose=True).walk(function.body)
        doing.shapes = loose.checks if len(loose.checks) == len(doing.checks) else []
    doing.shapes = doing.shapes or [*doing.checks]
    return doing
