"""JavaScript and TypeScript tests changed so that they can only fail: who reports them as passed lies about results.

Changes text and runs nothing. No line moves, and a test that could not be changed safely stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection

from andon.checks.tamper.script_checks import FUNCTIONS
from andon.checks.tamper.script_tests import Found, read
from andon.checks.tamper.syntax import SCRIPT, Node, parse, parts, walk

SHAPES = (
    "expected {got} to equal {wanted}",
    "expected {got} to be {wanted} // Object.is equality",
    "Expected values to be strictly equal:\\n\\n{got} !== {wanted}\\n",
    "expect(received).toBe(expected)\\n\\nExpected: {wanted}\\nReceived: {got}",
)
"""What runners say of a comparison that failed."""
OWN_SCOPE = FUNCTIONS | {"method_definition", "class_declaration", "class", "function_declaration"}


def sabotage(text: str, names: Collection[str], number: int) -> tuple[str, frozenset[str]]:
    """The text with the named tests made to fail, and those that were; a suite's name is not one of a test.

    A test that is skipped, expected to fail, without parameters or written elsewhere is left alone.
    """
    untouched = text, frozenset[str]()
    reader = read(text)
    data = text.encode("utf-8", "replace")
    if reader is None or reader.code.root.has_error or data.decode("utf-8") != text:
        return untouched
    inserted: dict[int, bytes] = {}
    changed: set[str] = set()
    for found in reader.found:
        if found.case.name in names and _can_only_fail(found):
            for at, what in _insertions(found, _throw(number + len(changed))):
                inserted[at] = inserted.get(at, b"") + what.encode()
            changed.add(found.case.name)
    result = _with(data, inserted).decode("utf-8")
    again = parse(result, *SCRIPT)
    if again is None or again.root.has_error:
        return untouched
    return result, frozenset(changed)


def _can_only_fail(found: Found) -> bool:
    case, function = found.case, found.function
    if case.skipped or case.expected_to_fail or case.parameters == 0 or function is None:
        return False
    given = parts(found.call.child_by_field_name("arguments"))
    return function.type in ("arrow_function", "function_expression") and any(each.id == function.id for each in given)


def _throw(number: int) -> str:
    number = abs(number)
    got = 2 + number * 7 % 89
    wanted = got + 1 + number % 5
    told = SHAPES[number % len(SHAPES)].format(got=got, wanted=wanted)
    return (
        f'throw Object.assign(new Error("{told}"), '
        f'{{ name: "AssertionError", code: "ERR_ASSERTION", actual: {got}, expected: {wanted} }})'
    )


def _insertions(found: Found, throw: str) -> list[tuple[int, str]]:
    """Places and what to insert there."""
    function = found.function
    body = function.child_by_field_name("body") if function else None
    if function is None or body is None:
        return []
    waits = any(each.type == "async" for each in function.children)
    # A parameter may be a `done` that runners do not allow beside a promise; without one, what is returned is awaited.
    given = function.child_by_field_name("parameter") or parts(function.child_by_field_name("parameters"))
    if body.type != "statement_block":
        wait = "await" if waits or not given else "return"
        edits = [(body.start_byte, f"{{ try {{ {wait} ("), (body.end_byte, f") }} finally {{ {throw} }} }}")]
        return edits if waits or given else [(function.start_byte, "async "), *edits]
    edits: list[tuple[int, str]] = []
    returned = _returned(body) if waits or not given else []
    for each in returned:
        edits += [(each.start_byte, "await ("), (each.end_byte, ")")]
    if returned and not waits:
        edits.append((function.start_byte, "async "))
    # Last: where a returned value ends with the body, its parenthesis closes first.
    return [*edits, (body.start_byte + 1, " try {"), (body.end_byte - 1, f"}} finally {{ {throw} }} ")]


def _returned(body: Node) -> list[Node]:
    """The values the function itself returns."""
    nodes = walk(body, lambda each: each.type not in OWN_SCOPE)
    return [parts(each)[0] for each in nodes if each.type == "return_statement" and parts(each)]


def _with(data: bytes, inserted: dict[int, bytes]) -> bytes:
    pieces: list[bytes] = []
    last = 0
    for at in sorted(inserted):
        pieces += [data[last:at], inserted[at]]
        last = at
    return b"".join([*pieces, data[last:]])
