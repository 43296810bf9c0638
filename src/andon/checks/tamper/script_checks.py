"""What stands in the body of a JavaScript or TypeScript test: the checks that can fail, and what is mocked.

A check behind a condition carries the condition; a check that cannot fail is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from andon.checks.tamper.reached import LOOKED_AT, reached
from andon.checks.tamper.syntax import Code, Node, parts, walk, words

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function_declaration"})
WRAPPERS = frozenset(
    {"non_null_expression", "parenthesized_expression", "as_expression", "satisfies_expression", "await_expression"}
)
LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
TAP = words(
    """is not deepEqual notDeepEqual equal notEqual true false truthy falsy throws notThrows throwsAsync notThrowsAsync
    rejects resolves regex notRegex like snapshot ok notOk same notSame match strictSame pass fail plan doesNotThrow
    strictEqual error matchSnapshot"""
)
"""Checks that are methods of the test's first parameter: ava, tap, tape."""
WORDS = words("not resolves rejects to be been is that which and has have with at of same but does still")
"""Parts of a chain that check nothing themselves."""
LONGEST = 30
"""Links of a chain that are looked at, from its end."""
_NAMED = re.compile(r"(assert|expect|verify|should)([A-Z_]\w*)?$")
_MATCHER = re.compile(r"to[A-Z]")
_REPLACED_MODULE = frozenset({"mock", "doMock", "unstable_mockModule", "setMock", "module", "proxyquire", "replaceEsm"})
_REPLACED_MEMBER = frozenset({"stub", "replaceProperty", "replace", "method", "getter", "setter", "replaceGetter"})
_TOOLS = frozenset({"jest", "vi", "vitest", "mock", "sinon", "sandbox", "td", "t", "ctx", "context", "proxyquire"})


@dataclass(frozen=True, slots=True)
class Link:
    """One part of `root.name(…).name`."""

    name: str
    arguments: Node | None = None
    """Of the call, if it is called."""


def chain(code: Code, node: Node) -> list[Link]:
    """Root first. The call of a call is a link named "()"; a root that is no name is one named ""."""
    known = code.known.get(node.id)
    if known is None:
        known = code.known[node.id] = _chain(code, node)
    return known


def _chain(code: Code, node: Node) -> list[Link]:
    links: list[Link] = []
    arguments: Node | None = None
    current: Node | None = node
    while current is not None and len(links) < LONGEST:
        if current.type == "call_expression":
            if arguments is not None:
                links.append(Link("()", arguments))
            arguments = current.child_by_field_name("arguments")
            current = current.child_by_field_name("function")
        elif current.type == "member_expression":
            name = current.child_by_field_name("property")
            links.append(Link(code.text(name) if name else "", arguments))
            arguments, current = None, current.child_by_field_name("object")
        elif current.type == "subscript_expression":
            index = current.child_by_field_name("index")
            links.append(Link(literal(code, index) or "[]", arguments))
            arguments, current = None, current.child_by_field_name("object")
        elif current.type in WRAPPERS:
            if arguments is not None and current.type == "await_expression":
                break
            current = next(iter(parts(current)), None)
        else:
            links.append(Link(code.text(current) if current.type in ("identifier", "this") else "", arguments))
            break
    return links[::-1]


def literal(code: Code, node: Node | None) -> str | None:
    """The text of a string without its quotes."""
    if node is not None and node.type in ("string", "template_string"):
        return code.text(node)[1:-1]
    return None


def is_check(links: list[Link], parameter: str = "", statement: bool = False) -> bool:
    """`parameter`: the test's own first one. `statement`: nobody uses the value."""
    names = [each.name for each in links]
    called = links[-1].arguments is not None
    if "expect" in names or names[0].startswith("expectTypeOf"):
        at = names.index("expect") if "expect" in names else 0
        return _expects(links[at:], any(each.arguments for each in links[:at]))
    if "should" in names:
        return called or (len(names) > 1 and names[-1] not in WORDS | {"should"})
    if not called:
        return False
    if "assert" in names or (names[-1] == "fail" and names[0] in ("fail", "done", "t", parameter)):
        return True
    if parameter and len(names) == 2 and names[0] == parameter and names[1] in TAP:
        return True
    return statement and any(_NAMED.match(each) for each in (names[0], names[-1]))


def _expects(links: list[Link], after_call: bool) -> bool:
    first, *rest = links
    if first.arguments is None:
        if not rest or rest[0].name not in (
            "soft",
            "poll",
            "element",
            "assertions",
            "hasAssertions",
            "fail",
            "unreachable",
        ):
            return False
        if rest[0].name not in ("soft", "poll", "element"):
            return rest[0].arguments is not None
        rest = rest[1:]
    if not rest:
        return after_call
    last = rest[-1]
    return last.arguments is not None or not (last.name in WORDS or _MATCHER.match(last.name))


def ends(code: Code, statement: Node) -> bool:
    """Nothing after it is reached."""
    inside = walk(statement, lambda each: each.type in ("statement_block", "expression_statement"))
    for node in islice(inside, LOOKED_AT):
        if node.type in ("return_statement", "throw_statement"):
            return True
        if node.type == "call_expression":
            names = [each.name for each in chain(code, node)]
            if names == ["process", "exit"]:
                return True
    return False


def checks(code: Code, function: Node, parameter: str, nested: Callable[[Node], bool]) -> tuple[str, ...]:
    """Those of a test's function, in order; `nested` says which calls are tests of their own."""
    found: list[str] = []
    told: set[int] = set()

    def into(node: Node) -> bool:
        return node.id not in told and not (node.type == "call_expression" and node.id != function.id and nested(node))

    nodes = reached(code, function, into, lambda each: ends(code, each), lambda each: _swallowed(code, each, parameter))
    for node, guards in nodes:
        if (check := _check(code, node, parameter)) is not None and into(node):
            told.add(node.id)
            found.append(" ".join((*guards, check)))
    return tuple(found)


def _check(code: Code, node: Node, parameter: str) -> str | None:
    if node.type == "throw_statement":
        return code.normalised(node).removesuffix(" ;")
    statement = node.type == "expression_statement"
    target = next(iter(parts(node)), None) if statement or node.type == "return_statement" else node
    if target is None or target.type not in ("call_expression", "member_expression", "await_expression"):
        return None
    links = chain(code, target)
    if not links or not is_check(links, parameter, statement):
        return None
    waits = {"resolves", "rejects"} & {each.name for each in links}
    returned = "await " if waits and node.type == "return_statement" else ""
    return returned + code.normalised(target)


def _swallowed(code: Code, node: Node, parameter: str) -> Node | None:
    """The body of a `try` whose `catch` lets no failed check through."""
    handler = node.child_by_field_name("handler") if node.type == "try_statement" else None
    if handler is None:
        return None
    for each in islice(walk(handler), LOOKED_AT):
        if each.type == "throw_statement" or (
            each.type == "identifier" and code.text(each) in ("done", "fail", "reject")
        ):
            return None
        if each.type in ("call_expression", "member_expression") and is_check(chain(code, each), parameter, True):
            return None
    return node.child_by_field_name("body")


def replaced(code: Code, scope: Node, imports: Mapping[str, str], nested: Callable[[Node], bool]) -> tuple[str, ...]:
    """What a test or what stands around it mocks: "./module", "./module.name" or "object.name"."""
    found: list[str] = []
    for node in walk(scope, lambda each: each.id == scope.id or each.type != "call_expression" or not nested(each)):
        told = None
        if node.type == "call_expression":
            told = _replaced_by_call(code, chain(code, node), imports)
        elif node.type == "assignment_expression":
            told = _replaced_by_assignment(code, node, imports)
        if told and told not in found:
            found.append(told)
    return tuple(found)


def _replaced_by_call(code: Code, links: list[Link], imports: Mapping[str, str]) -> str | None:
    names = [each.name for each in links]
    for at, link in enumerate(links):
        given = parts(link.arguments) if link.arguments and link.arguments.type == "arguments" else []
        if not given:
            continue
        first, second = given[0], literal(code, given[1]) if len(given) > 1 else None
        later = any(each.startswith("mock") or each in ("returns", "callsFake", "and") for each in names[at + 1 :])
        tool = names[0] in _TOOLS or "mock" in names[:at]
        if link.name in _REPLACED_MODULE and tool and (path := literal(code, first)) is not None:
            return path
        if link.name in _REPLACED_MEMBER and tool and second:
            return f"{_origin(code, first, imports)}.{second}"
        if link.name == "spyOn" and second and later:
            return f"{_origin(code, first, imports)}.{second}"
        if link.name == "mocked" and later:
            return _origin(code, first, imports)
        if link.name == "stubGlobal":
            return literal(code, first)
    return None


def _replaced_by_assignment(code: Code, node: Node, imports: Mapping[str, str]) -> str | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return None
    names = [each.name for each in chain(code, right)]
    if names[:2] in (["jest", "fn"], ["vi", "fn"], ["mock", "fn"], ["sinon", "stub"], ["sinon", "fake"]):
        return _origin(code, left, imports)
    return None


def _origin(code: Code, node: Node, imports: Mapping[str, str]) -> str:
    """`calc.add` as "./calc.add" where calc was imported."""
    root, dot, rest = code.normalised(node).replace(" ", "").partition(".")
    return imports.get(root, root) + dot + rest
