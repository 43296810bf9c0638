"""The tests of a JavaScript or TypeScript file: jest, vitest, mocha, node:test, playwright, and what is like them.

Reads structure only; what stands in a test's body is read by `script_checks`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial

from andon.checks.tamper import script_calls as calls
from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.reached import way_out
from andon.checks.tamper.script_checks import LOOPS, checks, ends, replaced
from andon.checks.tamper.syntax import SCRIPT, Code, Node, digest, line, parse, walk

DEEPEST = 50
"""Suites inside each other."""
BORROWED = 500
"""How often functions that stand elsewhere in the file are read as the body of a suite."""
UNDER_CONDITION = frozenset({"if_statement", "ternary_expression", "switch_case", "catch_clause", "while_statement"})


@dataclass(frozen=True, slots=True)
class Around:
    """What a place in the file means for the tests in it."""

    titles: tuple[str, ...] = ()
    skipped: bool = False
    fails: bool = False
    focused: bool = False
    parameters: int | None = 1
    parametrised: bool = False
    replaces: tuple[str, ...] = ()

    def times(self, count: int | None) -> Around:
        known = None if count is None or self.parameters is None else self.parameters * count
        return replace(self, parameters=known, parametrised=True)


@dataclass(frozen=True, slots=True)
class Found:
    """A test, with the nodes others may want to change."""

    case: TestCase
    call: Node
    function: Node | None


@dataclass(slots=True)
class Reader:
    code: Code
    names: calls.Names
    found: list[Found] = field(default_factory=list[Found])
    seen: Counter[str] = field(default_factory=Counter[str])
    outside: list[str] = field(default_factory=list[str])
    borrowed: int = 0

    def scope(self, node: Node, around: Around) -> None:
        """Every test below the node; what is left of it is support."""
        around = self._marked(node, around)
        left_out: set[int] = set()
        rest: list[tuple[Node, Around, Node]] = [(node, around, node)]
        while rest:
            each, place, statement = rest.pop()
            if each.type == "expression_statement":
                statement = each
            call = calls.read(self.code, each, self.names) if each.type == "call_expression" else None
            if call is not None and each.id != node.id and (call.declares or call.mark):
                left_out.add(statement.id if statement.type == "expression_statement" else each.id)
                if call.declares and len(place.titles) < DEEPEST:
                    self._declared(call, each, place)
                continue
            rest.extend((child, inner, statement) for child, inner in reversed(self._below(each, place)))
        self.outside.append(self.code.normalised(node, left_out))

    def _marked(self, node: Node, around: Around) -> Around:
        """`test.skip(condition)` in a scope holds for all of it; so does what it mocks."""
        replaces = replaced(self.code, node, self.names.imports, self._declares)
        marks = calls.marks(self.code, node, self.names)
        return replace(
            around,
            replaces=tuple(dict.fromkeys((*around.replaces, *replaces))),
            skipped=around.skipped or "skip" in marks,
            fails=around.fails or "fail" in marks,
        )

    def _declares(self, node: Node) -> bool:
        call = calls.read(self.code, node, self.names)
        return call is not None and call.declares

    def _below(self, node: Node, place: Around) -> list[tuple[Node, Around]]:
        if self.names.never_called(self.code, node):
            place = replace(place, skipped=True)
        if node.type in LOOPS and node.type != "while_statement":
            place = place.times(calls.count(self.code, node.child_by_field_name("right"), self.names))
        if node.type == "call_expression" and (table := calls.looped(self.code, node)):
            place = place.times(calls.count(self.code, table, self.names))
        below: list[tuple[Node, Around]] = []
        for child in node.named_children:
            below.append((child, replace(place, skipped=True) if self._conditional(node, child) else place))
            if node.type in ("statement_block", "program") and self._leaves(child):
                place = replace(place, skipped=True)
        return below

    def _leaves(self, statement: Node) -> bool:
        """What follows is reached never, or only under a condition."""
        over = partial(ends, self.code)
        return over(statement) or way_out(self.code, statement, over) is not None

    def _conditional(self, node: Node, child: Node) -> bool:
        if node.type == "binary_expression":
            return child == node.child_by_field_name("right")
        return node.type in UNDER_CONDITION

    def _declared(self, call: calls.Call, node: Node, place: Around) -> None:
        inner = replace(
            place,
            titles=(*place.titles, call.title),
            skipped=place.skipped or call.skipped or self.names.shadowed(call.root),
            fails=place.fails or call.fails,
            focused=place.focused or call.focused,
        )
        for table in call.tables:
            inner = inner.times(calls.count(self.code, table, self.names))
        if call.suite:
            if call.function is not None:
                self._enter(call.function, node, inner)
            return
        nothing = call.function is None and not call.callback
        self._case(call, node, replace(inner, skipped=inner.skipped or nothing))

    def _case(self, call: calls.Call, node: Node, place: Around) -> None:
        function = call.function
        marks = calls.marks(self.code, function, self.names, call) if function else frozenset[str]()
        told = replaced(self.code, function, self.names.imports, self._declares) if function else ()
        parameter = call.parameters[0] if call.parameters else ""
        case = TestCase(
            name=self._name(" › ".join(place.titles)),
            line=line(node),
            skipped=place.skipped or "skip" in marks,
            expected_to_fail=place.fails or "fail" in marks,
            focused=place.focused,
            checks=checks(self.code, function, parameter, self._declares) if function else (),
            parameters=place.parameters if place.parametrised else None,
            replaces=tuple(dict.fromkeys((*place.replaces, *told))),
            body=digest(self.code.normalised(node, call.title_ids)),
        )
        self.found.append(Found(case, node, function))
        if function is not None and self._has_tests(function):
            kept = len(self.outside)
            self._enter(function, node, place)
            del self.outside[kept:]

    def _has_tests(self, function: Node) -> bool:
        return any(each.type == "call_expression" and self._declares(each) for each in walk(function))

    def _enter(self, function: Node, call: Node, place: Around) -> None:
        """A function that stands elsewhere may be given to many suites, and even to those in itself."""
        if not call.start_byte <= function.start_byte < call.end_byte:
            self.borrowed += 1
        if self.borrowed < BORROWED:
            self.scope(function, place)

    def _name(self, name: str) -> str:
        """Two tests of one name both run: the second is another test."""
        self.seen[name] += 1
        return name if self.seen[name] == 1 else f"{name} #{self.seen[name]}"


def read(text: str) -> Reader | None:
    code = parse(text, *SCRIPT)
    if code is None:
        return None
    reader = Reader(code, calls.names(code))
    reader.scope(code.root, Around())
    return reader


def outline(text: str) -> Outline | None:
    reader = read(text)
    if reader is None:
        return None
    cases = sorted((each.case for each in reader.found), key=lambda case: case.line)
    return Outline(tuple(cases), support=digest(*(each for each in reader.outside if each)))
