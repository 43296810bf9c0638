"""The tests of a Rust file: functions with a test attribute, in `mod tests` or in a file of their own.

In a file of product code only what stands in its test modules is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from andon.checks.tamper.outline import Outline, TestCase
from andon.checks.tamper.reached import LOOKED_AT, reached
from andon.checks.tamper.syntax import COMMENTS, Code, Grammar, Node, digest, line, parse, parts, walk, words

TEST = re.compile(r"(\w+ :: )*(test|rstest|test_case|quickcheck|wasm_bindgen_test|parameterized|sqlx_test)\b")
CASE = re.compile(r"(\w+ :: )*(case|test_case)\b")
CHECKS = re.compile(r"(\w+::)*((\w+_)?assert\w*|check\w*|panic|unreachable|unimplemented|todo|bail|ensure)$")
ENDS = words("panic unreachable unimplemented todo bail")
UNWRAPS = words("unwrap expect unwrap_err expect_err unwrap_none")
DEEPEST = 50


@dataclass(frozen=True, slots=True)
class _Item:
    node: Node
    attributes: tuple[str, ...]
    path: tuple[str, ...]
    skipped: bool
    in_tests: bool
    start: Node
    """Its first attribute, or itself."""


def outline(text: str) -> Outline | None:
    code = parse(text, Grammar.RUST)
    if code is None:
        return None
    cases: list[TestCase] = []
    left_out: set[int] = set()
    modules: list[Node] = []
    for item in _items(code):
        if item.node.type == "mod_item":
            if item.in_tests and len(item.path) == 1:
                modules.append(item.node)
            continue
        cases.append(_case(code, item))
        left_out.update(each.id for each in _with_attributes(item))
    support = [code.normalised(each, left_out) for each in modules or [code.root]]
    return Outline(tuple(cases), support=digest(*support))


def _items(code: Code) -> Iterator[_Item]:
    """Test functions and modules, in the order of the text."""
    rest: list[tuple[Node, tuple[str, ...], bool, bool]] = [(code.root, (), False, False)]
    while rest:
        scope, path, skipped, in_tests = rest.pop()
        inner = [_attribute(code, each) for each in scope.children if each.type == "inner_attribute_item"]
        skipped = skipped or any(_switches_off(each) for each in inner)
        attributes: list[str] = []
        start: Node | None = None
        modules: list[tuple[Node, tuple[str, ...], bool, bool]] = []
        for node in scope.named_children:
            if node.type in COMMENTS:
                continue
            if node.type == "attribute_item":
                attributes.append(_attribute(code, node))
                start = start or node
                continue
            off = skipped or any(_switches_off(each) for each in attributes)
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            if node.type == "function_item" and name and any(TEST.match(each) for each in attributes):
                inside = (*path, code.text(name))
                yield _Item(node, tuple(attributes), inside, off, in_tests, start or node)
            elif node.type == "mod_item" and name and body and len(path) < DEEPEST:
                tests = in_tests or any(each.startswith("cfg") and "test" in each.split() for each in attributes)
                inside = (*path, code.text(name))
                yield _Item(node, tuple(attributes), inside, off, tests, start or node)
                modules.append((body, inside, off, tests))
            attributes, start = [], None
        rest.extend(reversed(modules))


def _attribute(code: Code, node: Node) -> str:
    inner = next(iter(parts(node)), None)
    return code.normalised(inner) if inner else ""


def _switches_off(attribute: str) -> bool:
    """`#[cfg(test)]` is what test modules have; every other condition is one more."""
    if attribute.startswith("cfg_attr"):
        return "ignore" in attribute.split()
    if attribute.startswith("cfg "):
        return attribute != "cfg ( test )"
    return attribute.split()[:1] == ["ignore"]


def _with_attributes(item: _Item) -> Iterator[Node]:
    yield item.node
    before = item.node.prev_named_sibling
    while before is not None and before.start_byte >= item.start.start_byte:
        yield before
        before = before.prev_named_sibling


def _case(code: Code, item: _Item) -> TestCase:
    body = item.node.child_by_field_name("body")
    sets = sum(bool(CASE.match(each)) for each in item.attributes)
    return TestCase(
        name="::".join(item.path),
        line=line(item.node),
        skipped=item.skipped,
        expected_to_fail=any("should_panic" in each.split() for each in item.attributes),
        checks=_checks(code, body) if body else (),
        parameters=sets or None,
        body=digest(*item.attributes, code.normalised(item.node, _name_ids(item.node))),
    )


def _name_ids(node: Node) -> frozenset[int]:
    name = node.child_by_field_name("name")
    return frozenset({name.id}) if name else frozenset()


def _checks(code: Code, body: Node) -> tuple[str, ...]:
    found: list[str] = []
    told: set[int] = set()
    unused: set[int] = set()

    def into(node: Node) -> bool:
        return node.id not in told and not _caught(code, node)

    for node, guards in reached(code, body, into, lambda each: _ends(code, each)):
        if (value := _unused(code, node)) is not None:
            unused.add(value.id)
        if _is_check(code, node) or (node.id in unused and _unwraps(code, node)):
            told.add(node.id)
            found.append(" ".join((*guards, code.normalised(node))))
    return tuple(found)


def _is_check(code: Code, node: Node) -> bool:
    name = node.child_by_field_name("macro") if node.type == "macro_invocation" else None
    if name is not None:
        return bool(CHECKS.match(code.text(name)))
    return node.type == "return_expression" and code.brief(node).startswith("return Err (")


def _unused(code: Code, node: Node) -> Node | None:
    """The value in a node that nobody uses: of a statement, of `let _`, and the last one of a block."""
    if node.type in ("expression_statement", "block"):
        return next(reversed(parts(node)), None)
    pattern = node.child_by_field_name("pattern") if node.type == "let_declaration" else None
    return node.child_by_field_name("value") if pattern and code.text(pattern).startswith("_") else None


def _unwraps(code: Code, node: Node) -> bool:
    """`f().unwrap()`, `f()?`: the only thing that is wanted of it is that it holds."""
    if node.type == "try_expression":
        return True
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    name = function.child_by_field_name("field") if function and function.type == "field_expression" else None
    return name is not None and code.text(name) in UNWRAPS


def _caught(code: Code, node: Node) -> bool:
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return function is not None and code.text(function).endswith("catch_unwind")


def _ends(code: Code, statement: Node) -> bool:
    entered = ("block", "expression_statement")
    for node in islice(walk(statement, lambda each: each.type in entered), LOOKED_AT):
        if node.type == "return_expression":
            return True
        name = node.child_by_field_name("macro") if node.type == "macro_invocation" else None
        if name and code.text(name) in ENDS:
            return True
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function and code.text(function).endswith("process::exit"):
            return True
    return False
