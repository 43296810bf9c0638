"""Tripwires of JavaScript and TypeScript: tests of the base made so that they can only fail.

A test that compares with a literal gets another literal: a matcher that was made to accept everything, and an object
that is equal to everything, pass it all the same. Any other test throws at its end. Reads and writes text only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator

from andon.checks.tamper import sabotage_scripts
from andon.checks.tamper.script_checks import chain
from andon.checks.tamper.script_tests import Found, read
from andon.checks.tamper.syntax import SCRIPT, Code, Node, parse, parts, words

_ASSERTS = words("equal strictEqual deepEqual deepStrictEqual")
_MATCHERS = words("toBe toEqual toStrictEqual toHaveLength toBeCloseTo")
_NUMBER = re.compile(r"[\d.][\d._]*(?:e\d+)?$", re.IGNORECASE)


def sabotaged(text: str, names: Collection[str], chance: random.Random) -> tuple[str, frozenset[str]]:
    """The text with the named tests made to fail, and those that were."""
    changed, made = _with_other_literals(text, names, chance)
    rest = frozenset(names) - made
    changed, thrown = sabotage_scripts.sabotage(changed, rest, chance.randrange(1000)) if rest else (changed, rest)
    return changed, made | thrown


def _with_other_literals(text: str, names: Collection[str], chance: random.Random) -> tuple[str, frozenset[str]]:
    untouched = text, frozenset[str]()
    reader = read(text)
    if reader is None or reader.code.root.has_error or reader.code.data.decode("utf-8") != text:
        return untouched
    inserted: dict[int, str] = {}
    made: set[str] = set()
    for found in reader.found:
        literals = [*_expected(reader.code, found)] if found.case.name in names else []
        for literal in literals:
            at, what = _another(reader.code, literal, chance)
            inserted[at] = what
        if literals:
            made.add(found.case.name)
    pieces: list[bytes] = []
    last = 0
    for at in sorted(inserted):
        pieces += [reader.code.data[last:at], inserted[at].encode()]
        last = at
    result = b"".join([*pieces, reader.code.data[last:]]).decode("utf-8")
    again = parse(result, *SCRIPT)
    return (result, frozenset(made)) if again and not again.root.has_error else untouched


def _expected(code: Code, found: Found) -> Iterator[Node]:
    """Literals that checks compare with, among the test's own statements: those are reached whenever it passes."""
    case, function = found.case, found.function
    if function is None or case.skipped or case.expected_to_fail or case.parameters == 0:
        return
    if not found.call.start_byte <= function.start_byte < found.call.end_byte:
        return
    body = function.child_by_field_name("body")
    statements = parts(body) if body and body.type == "statement_block" else []
    for statement in statements:
        if statement.type == "return_statement":
            return
        if statement.type == "expression_statement" and (literal := _compared_with(code, parts(statement)[0])):
            yield literal


def _compared_with(code: Code, node: Node) -> Node | None:
    links = chain(code, node)
    last = links[-1] if links else None
    given = parts(last.arguments) if last and last.arguments else []
    names = [each.name for each in links]
    if last is None or not given or "not" in names or "rejects" in names:
        return None
    if last.name in _ASSERTS and "assert" in names[:-1] and len(given) >= 2:
        sides = [each for each in given[:2] if _is_literal(code, each)]
        return sides[0] if len(sides) == 1 else None
    if last.name in _MATCHERS and names[0] == "expect" and links[0].arguments:
        subject = parts(links[0].arguments)
        plain = subject and not _is_literal(code, subject[0])
        return given[0] if plain and _is_literal(code, given[0]) else None
    return None


def _is_literal(code: Code, node: Node) -> bool:
    if node.type == "number":
        return _NUMBER.match(code.text(node)) is not None
    if node.type == "template_string":
        return not any(each.type == "template_substitution" for each in node.named_children)
    if node.type == "object":
        return all(each.type in ("pair", "shorthand_property_identifier") for each in parts(node))
    return node.type in ("string", "array")


def _another(code: Code, literal: Node, chance: random.Random) -> tuple[int, str]:
    """Where something is put in, and what, so that the literal is another one."""
    number, letter = str(chance.randint(1, 9)), chr(chance.randint(97, 122))
    match literal.type:
        case "number":
            return literal.end_byte, " + 1"  # the next one: who takes what is near for the same is found out too
        case "array":
            return literal.start_byte + 1, f"{number}, " if parts(literal) else number
        case "object":
            return literal.start_byte + 1, f" {letter}{number}: {number}" + (", " if parts(literal) else "")
        case _:
            inside = [each for each in code.text(literal)[1:-1] if each.isascii() and each.isalnum()]
            return literal.end_byte - 1, chance.choice(inside or [letter])
