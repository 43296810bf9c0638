"""The tests of a Go file: Test, Fuzz and Example functions, and the methods of testify's suites.

Build constraints in the text count, those in the file's name do not: the text does not know it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.reached import LOOKED_AT, reached
from andon.checks.tamper.syntax import Code, Grammar, Node, digest, line, parse, parts, walk, words

TEST = re.compile(r"(Test|Fuzz|Example)(?![a-z])")
CONSTRAINT = re.compile(r"//\s?(go:build|\+build)\s")
OUTPUT = re.compile(r"//\s*(unordered )?output:", re.IGNORECASE)
SKIPS = words("Skip Skipf SkipNow")
FAILS = words("Error Errorf Fatal Fatalf Fail FailNow")
LIBRARIES = words("assert require is qt check cmp suite Expect Ω Eventually Consistently")
PATCHES = words("ApplyFunc ApplyMethod ApplyFuncReturn ApplyMethodReturn ApplyGlobalVar Patch PatchMethod PatchConvey")
LONGEST = 100
RUN = "runs"


@dataclass(frozen=True, slots=True)
class _Body:
    """A function that is a test, and the tables of its file."""

    code: Code
    function: Node
    tables: dict[str, Node]
    handles: set[str] = field(default_factory=lambda: {"t", "tb", "f", "s"})
    """The names under which a test fails and skips itself."""

    def skips(self) -> bool:
        return any(name[-1] in SKIPS for name in self._names())

    def _names(self) -> list[list[str]]:
        calls = (each for each in walk(self.function) if each.type == "call_expression")
        return [name for each in calls if (name := _name(self.code, each)) and name[0] in self.handles]

    def checks(self) -> tuple[str, ...]:
        found: list[str] = []
        told: set[int] = set()
        statements: set[int] = set()
        for node, guards in reached(self.code, self.function, lambda each: each.id not in told, self._ends):
            if node.type == "expression_statement":
                statements.update(each.id for each in parts(node))
            if node.type == "call_expression" and (check := self._check(node, node.id in statements)):
                found.append(" ".join((*guards, check)))
                if not check.startswith(RUN):
                    told.add(node.id)
        return tuple(found)

    def _check(self, call: Node, statement: bool) -> str:
        name = _name(self.code, call)
        given = parts(call.child_by_field_name("arguments"))
        if not name:
            return ""
        if name[0] in self.handles and name[-1] in FAILS:
            # What a failure says is no part of what is checked.
            return "fails"
        if name[0] in self.handles and name[-1] == "Run" and given:
            return f"{RUN} {self.code.normalised(given[0])}"
        ours = any(each.type == "identifier" and self.code.text(each) in self.handles for each in given)
        suite = name[0] == "s" and name[-1][:1].isupper() and self.function.type == "method_declaration"
        if name[0] in LIBRARIES or suite or (ours and statement):
            return self.code.normalised(call)
        return ""

    def _ends(self, statement: Node) -> bool:
        entered = ("block", "statement_list", "expression_statement")
        for node in islice(walk(statement, lambda each: each.type in entered), LOOKED_AT):
            if node.type == "return_statement":
                return True
            if node.type == "call_expression":
                name = _name(self.code, node)
                if name[:1] and (name in (["os", "Exit"], ["runtime", "Goexit"], ["panic"]) or self._skips(name)):
                    return True
        return False

    def _skips(self, name: list[str]) -> bool:
        return name[0] in self.handles and name[-1] in SKIPS

    def parameters(self) -> int | None:
        """The entries of all tables it goes through, and the seeds of a fuzz test."""
        local = self.tables | _tables(self.code, self.function)
        counts = [_entries(self.code, each, local) for each in walk(self.function) if each.type == "range_clause"]
        seeds = sum(name[-1] == "Add" and name[0] == "f" for name in self._names())
        known = [each for each in counts if each is not None]
        return sum(known) + seeds if known or seeds else None

    def replaces(self) -> tuple[str, ...]:
        found: list[str] = []
        for node in walk(self.function):
            if node.type == "call_expression" and (name := _name(self.code, node)) and name[-1] in PATCHES:
                given = parts(node.child_by_field_name("arguments"))
                found.extend(self.code.normalised(each).replace(" ", "") for each in given[:1])
            elif node.type == "assignment_statement":
                left, right = (parts(node.child_by_field_name(side)) for side in ("left", "right"))
                pairs = zip(left, right, strict=False)
                found.extend(
                    self.code.normalised(to).replace(" ", "") for to, value in pairs if value.type == "func_literal"
                )
        return tuple(dict.fromkeys(found))


def _name(code: Code, call: Node) -> list[str]:
    """`s.Require().Equal(…)` → s, Require, Equal."""
    name: list[str] = []
    node = call
    while len(name) < LONGEST:
        if node.type == "call_expression":
            inner = node.child_by_field_name("function")
        elif node.type == "selector_expression":
            chosen = node.child_by_field_name("field")
            name.append(code.text(chosen) if chosen else "")
            inner = node.child_by_field_name("operand")
        else:
            name.append(code.text(node) if node.type == "identifier" else "")
            break
        if inner is None:
            break
        node = inner
    return name[::-1]


def _tables(code: Code, scope: Node) -> dict[str, Node]:
    """Names of literals: `tests := []struct{…}{…}`."""
    found: dict[str, Node] = {}
    for node in walk(scope, lambda each: each.type != "function_declaration" or each.id == scope.id):
        if node.type in ("short_var_declaration", "var_spec", "const_spec"):
            names = parts(node.child_by_field_name("left")) or node.children_by_field_name("name")
            values = parts(node.child_by_field_name("right") or node.child_by_field_name("value"))
            for name, value in zip(names, values, strict=False):
                if value.type == "composite_literal":
                    found[code.text(name)] = value
    return found


def _entries(code: Code, loop: Node, tables: dict[str, Node]) -> int | None:
    table = loop.child_by_field_name("right")
    if table is not None and table.type == "identifier":
        table = tables.get(code.text(table))
    return len(parts(table.child_by_field_name("body"))) if table and table.type == "composite_literal" else None


def outline(text: str) -> Outline | None:
    code = parse(text, Grammar.GO)
    if code is None:
        return None
    constrained = _constrained(code)
    tables = _tables(code, code.root)
    cases: list[TestCase] = []
    tests: set[int] = set()
    for function in parts(code.root):
        name = _test_name(code, function)
        if name is None:
            continue
        tests.add(function.id)
        cases.append(_case(_Body(code, function, tables), name, constrained))
    return Outline(tuple(cases), support=digest(code.normalised(code.root, tests)))


def _case(body: _Body, name: str, constrained: bool) -> TestCase:
    code, function = body.code, body.function
    body.handles.update(
        code.text(each)
        for side in ("parameters", "receiver")
        for parameter in parts(function.child_by_field_name(side))
        for each in parameter.children_by_field_name("name")
    )
    output = _output(code, function) if name.startswith("Example") else None
    inner = function.child_by_field_name("body")
    return TestCase(
        name=name,
        line=line(function),
        skipped=constrained or body.skips() or (name.startswith("Example") and not output),
        checks=(output,) if output else body.checks(),
        parameters=body.parameters(),
        replaces=body.replaces(),
        body=digest(code.normalised(inner) if inner else "", output or ""),
    )


def _test_name(code: Code, function: Node) -> str | None:
    name = function.child_by_field_name("name")
    if name is None or not TEST.match(told := code.text(name)) or told == "TestMain":
        return None
    given = len(parts(function.child_by_field_name("parameters")))
    if function.type == "function_declaration":
        return told if given == (0 if told.startswith("Example") else 1) else None
    receiver = next(iter(parts(function.child_by_field_name("receiver"))), None)
    kind = receiver.child_by_field_name("type") if receiver else None
    if function.type != "method_declaration" or kind is None or given or not told.startswith("Test"):
        return None
    return f"{code.normalised(kind).replace(' ', '').lstrip('*')}::{told}"


def _constrained(code: Code) -> bool:
    for node in code.root.children:
        if node.type == "package_clause":
            return False
        if node.type == "comment" and CONSTRAINT.match(code.text(node)):
            return True
    return False


def _output(code: Code, function: Node) -> str | None:
    """An example's check is the comment it ends with; without it, it is never run."""
    comments = [code.text(each) for each in walk(function) if each.type == "comment"]
    starts = [at for at, each in enumerate(comments) if OUTPUT.match(each)]
    if not starts:
        return None
    return "\n".join(each.removeprefix("//").strip() for each in comments[starts[-1] :])
