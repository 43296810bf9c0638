"""The tests of a Java file: JUnit 3 to 5 and TestNG, with Mockito, AssertJ and their like.

Reads classes and annotations; whether a build runs the class at all is not known here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.reached import LOOKED_AT, reached
from andon.checks.tamper.syntax import Code, Grammar, Node, digest, line, parse, parts, walk, words

TESTS = words("Test ParameterizedTest RepeatedTest TestFactory TestTemplate Property Example Theory")
CLASSES = words("class_declaration interface_declaration record_declaration enum_declaration")
SKIPS = re.compile(r"Disabled|Enabled|Ignore|NotWorkingYet$")
HOOKS = re.compile(r"Before|Setup$")
ASSUMES = re.compile(r"assume[A-Z]|assumingThat$|abort$")
SKIPPED = re.compile(r"Skip\w*Exception|TestAbortedException|AssumptionViolatedException")
CHECKS = re.compile(r"((assert|verify|expect|fail|andExpect|should)([A-Z]\w*)?|then)$")
CATCHES_CHECKS = words("Throwable Error AssertionError AssertionFailedError ComparisonFailure")
MOCKS = words("Mock MockBean MockitoBean Spy SpyBean MockitoSpyBean Injectable Mocked")
DEEPEST = 50
LONGEST = 200


@dataclass(frozen=True, slots=True)
class _Class:
    path: tuple[str, ...] = ()
    skipped: bool = False
    all_methods: bool = False
    """JUnit 3, or TestNG's annotation on the class: public methods need none of their own."""
    named: bool = False
    """JUnit 3: those called test…"""
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Annotation:
    name: str
    node: Node
    arguments: Node | None

    def value(self, code: Code, key: str) -> Node | None:
        for each in parts(self.arguments):
            name = each.child_by_field_name("key")
            if each.type == "element_value_pair" and name and code.text(name) == key:
                return each.child_by_field_name("value")
        return None


def outline(text: str) -> Outline | None:
    code = parse(text, Grammar.JAVA)
    if code is None:
        return None
    cases: list[TestCase] = []
    tests: set[int] = set()
    seen: Counter[str] = Counter()
    for method, around in _methods(code):
        case = _case(code, method, around)
        seen[case.name] += 1
        cases.append(replace(case, name=f"{case.name} #{seen[case.name]}") if seen[case.name] > 1 else case)
        tests.add(method.id)
    return Outline(tuple(cases), support=digest(code.normalised(code.root, tests)))


def _methods(code: Code) -> Iterator[tuple[Node, _Class]]:
    """Those that are tests, each with what its class means for it."""
    rest: list[tuple[Node, _Class]] = [(each, _Class()) for each in reversed(parts(code.root))]
    while rest:
        node, around = rest.pop()
        if node.type in CLASSES and len(around.path) < DEEPEST:
            inner = _class(code, node, around)
            rest.extend((each, inner) for each in reversed(parts(node.child_by_field_name("body"))))
        elif node.type == "method_declaration" and _is_test(code, node, around):
            yield node, around


def _class(code: Code, node: Node, outer: _Class) -> _Class:
    annotations = _annotations(code, node)
    names = {each.name for each in annotations}
    name, parent = node.child_by_field_name("name"), node.child_by_field_name("superclass")
    members = parts(node.child_by_field_name("body"))
    hooks = [each for each in members if any(HOOKS.match(one.name) for one in _annotations(code, each))]
    # An inner class that is neither static nor nested by annotation is looked at by no runner.
    unseen = bool(outer.path) and "Nested" not in names and "static" not in _modifiers(code, node)
    off = any(_switched_off(code, each) for each in annotations) or any(_assumes(code, each) for each in hooks)
    junit3 = parent is not None and code.text(parent).endswith("TestCase")
    replaces = [told for each in members if each.type == "field_declaration" for told in _mocked_field(code, each)]
    replaces += [told for each in hooks for told in _replaced(code, each)]
    return _Class(
        path=(*outer.path, code.text(name) if name else ""),
        skipped=outer.skipped or off or unseen,
        all_methods="Test" in names,
        named=junit3,
        replaces=tuple(dict.fromkeys((*outer.replaces, *replaces))),
    )


def _is_test(code: Code, method: Node, around: _Class) -> bool:
    if any(each.name in TESTS for each in _annotations(code, method)):
        return True
    name = method.child_by_field_name("name")
    public = "public" in _modifiers(code, method)
    named = around.named and name is not None and code.text(name).startswith("test")
    hook = any(HOOKS.match(each.name) or each.name.startswith("After") for each in _annotations(code, method))
    return public and not hook and (named or around.all_methods)


def _annotations(code: Code, node: Node) -> list[_Annotation]:
    found: list[_Annotation] = []
    for each in (each for child in node.named_children if child.type == "modifiers" for each in parts(child)):
        if each.type in ("annotation", "marker_annotation") and (name := each.child_by_field_name("name")):
            told = code.text(name).rpartition(".")[2]
            found.append(_Annotation(told, each, each.child_by_field_name("arguments")))
    return found


def _modifiers(code: Code, node: Node) -> set[str]:
    return {code.text(each) for child in node.children if child.type == "modifiers" for each in child.children}


def _switched_off(code: Code, annotation: _Annotation) -> bool:
    enabled = annotation.value(code, "enabled")
    return bool(SKIPS.match(annotation.name)) or (enabled is not None and code.text(enabled) != "true")


def _case(code: Code, method: Node, around: _Class) -> TestCase:
    annotations = _annotations(code, method)
    name, body = method.child_by_field_name("name"), method.child_by_field_name("body")
    expected = next((found for each in annotations if (found := _expected(code, each))), None)
    off = any(_switched_off(code, each) for each in annotations) or _assumes(code, method)
    return TestCase(
        name="::".join((*around.path, code.text(name) if name else "")),
        line=line(name or method),
        skipped=around.skipped or off or bool({"private", "static"} & _modifiers(code, method)),
        expected_to_fail=expected in CATCHES_CHECKS or any(each.name == "ExpectedToFail" for each in annotations),
        checks=(*((f"expected {expected}",) if expected else ()), *(_checks(code, body) if body else ())),
        parameters=_parameters(code, annotations),
        replaces=tuple(dict.fromkeys((*around.replaces, *_replaced(code, method)))),
        body=digest(code.normalised(method, {name.id} if name else ())),
    )


def _expected(code: Code, annotation: _Annotation) -> str | None:
    value = annotation.value(code, "expected") or annotation.value(code, "expectedExceptions")
    return code.normalised(value).removesuffix(" . class") if value else None


def _parameters(code: Code, annotations: list[_Annotation]) -> int | None:
    counts: list[int] = []
    for each in annotations:
        if each.name in ("NullSource", "EmptySource", "NullAndEmptySource"):
            counts.append(2 if "And" in each.name else 1)
        elif each.name in ("ValueSource", "CsvSource", "Parameters", "RepeatedTest"):
            given = next(iter(parts(each.arguments)), None)
            value = given.child_by_field_name("value") if given and given.type == "element_value_pair" else given
            counts.extend(_sets(code, value))
    return sum(counts) if counts else None


def _sets(code: Code, value: Node | None) -> list[int]:
    if value is None:
        return []
    if value.type == "element_value_array_initializer":
        return [len(parts(value))]
    if value.type == "decimal_integer_literal":
        told = code.text(value)
        return [int(told)] if told.isdecimal() and len(told) < 10 else [1]
    if value.type == "string_literal" and (told := code.text(value)).startswith('"""'):
        return [sum(bool(each.strip()) for each in told.strip('"').splitlines())]
    return [1]


def _chain(code: Code, node: Node) -> list[Node]:
    """The calls of `a(…).b(…)`, the last one first."""
    found: list[Node] = []
    current: Node | None = node
    while current is not None and current.type == "method_invocation" and len(found) < LONGEST:
        found.append(current)
        current = current.child_by_field_name("object")
    return found


def _called(code: Code, call: Node) -> str:
    name = call.child_by_field_name("name")
    return code.text(name) if name else ""


def _checks(code: Code, body: Node) -> tuple[str, ...]:
    found: list[str] = []
    told: set[int] = set()

    def into(node: Node) -> bool:
        return node.id not in told

    for node, guards in reached(code, body, into, lambda each: _ends(code, each), lambda each: _swallowed(code, each)):
        if _is_check(code, node):
            told.add(node.id)
            found.append(" ".join((*guards, code.normalised(node).removesuffix(" ;"))))
    return tuple(found)


def _is_check(code: Code, node: Node) -> bool:
    if node.type in ("assert_statement", "throw_statement"):
        return True
    if node.type != "method_invocation":
        return False
    calls = _chain(code, node)
    if not any(CHECKS.match(_called(code, each)) for each in calls):
        return False
    # `assertThat(value)` alone checks nothing, `assertThat(value, is(3))` does.
    alone = len(calls) == 1 and _called(code, node) in ("assertThat", "then")
    return not alone or len(parts(node.child_by_field_name("arguments"))) > 1


def _ends(code: Code, statement: Node) -> bool:
    for node in islice(walk(statement, lambda each: each.type in ("block", "expression_statement")), LOOKED_AT):
        if node.type in ("return_statement", "throw_statement"):
            return True
        if node.type == "method_invocation":
            told = code.brief(node)
            if told.startswith("System . exit (") or (ASSUMES.match(_called(code, node)) and _never(code, node)):
                return True
    return False


def _never(code: Code, assumption: Node) -> bool:
    """`assumeTrue(false)`, `assumeFalse(true)`, `abort()`."""
    name, given = _called(code, assumption), parts(assumption.child_by_field_name("arguments"))
    first = code.text(given[0]) if given else ""
    return name == "abort" or (name == "assumeTrue" and first == "false") or (name == "assumeFalse" and first == "true")


def _assumes(code: Code, method: Node) -> bool:
    for node in walk(method):
        if node.type == "method_invocation" and ASSUMES.match(_called(code, node)):
            return True
        if node.type == "throw_statement" and SKIPPED.search(code.brief(node)):
            return True
    return False


def _swallowed(code: Code, node: Node) -> Node | None:
    """The body of a `try` that catches failed checks and does nothing about them."""
    if not node.type.startswith("try_"):
        return None
    for clause in (each for each in node.named_children if each.type == "catch_clause"):
        caught = {code.text(each) for each in walk(clause.named_children[0]) if each.type == "type_identifier"}
        inside = islice(walk(clause), LOOKED_AT)
        if caught & CATCHES_CHECKS and not any(_is_check(code, each) for each in inside):
            return node.child_by_field_name("body")
    return None


def _mocked_field(code: Code, member: Node) -> list[str]:
    kind = member.child_by_field_name("type")
    if kind is not None and any(each.name in MOCKS for each in _annotations(code, member)):
        return [code.normalised(kind).replace(" ", "")]
    return []


def _replaced(code: Code, scope: Node) -> list[str]:
    """`mock(Repo.class)` → "Repo", `when(repo.find(1))` and `doReturn(1).when(repo).find(1)` → "repo.find"."""
    found: list[str] = []
    for node in walk(scope):
        if node.type != "method_invocation":
            continue
        name, given = _called(code, node), parts(node.child_by_field_name("arguments"))
        target = node.child_by_field_name("object")
        if name in ("mock", "mockStatic", "mockConstruction") and given and given[0].type == "class_literal":
            found.append(code.normalised(given[0]).removesuffix(" . class").replace(" ", ""))
        elif name in ("when", "given") and given and given[0].type == "method_invocation":
            arguments = given[0].child_by_field_name("arguments")
            found.append(code.normalised(given[0], {arguments.id} if arguments else ()).replace(" ", ""))
        elif target is not None and target.type == "method_invocation" and _called(code, target) == "when":
            of = parts(target.child_by_field_name("arguments"))
            if of and of[0].type == "identifier":
                found.append(f"{code.text(of[0])}.{name}")
    return found
