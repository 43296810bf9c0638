"""Go tests changed so that they can only fail: who reports them as passed lies about results.

Changes text and runs nothing. No line moves, and a test that could not be changed safely stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection

from andon.checks.tamper.go_tests import outline
from andon.checks.tamper.syntax import Code, Grammar, Node, parse, parts

SHAPES = ("got %d, want %d", "= %d; want %d", "expected: %[2]d, actual: %[1]d", "got: %d, expected: %d")


def sabotage(text: str, names: Collection[str], number: int) -> tuple[str, frozenset[str]]:
    """The text with the named tests made to fail, and those that were; only functions `TestX(t *testing.T)` are."""
    untouched = text, frozenset[str]()
    code, found = parse(text, Grammar.GO), outline(text)
    if code is None or found is None or code.root.has_error or code.data.decode("utf-8") != text:
        return untouched
    wanted = {each.name for each in found.cases if each.name in names and not each.skipped}
    pieces: list[bytes] = []
    changed: set[str] = set()
    last = 0
    for function in parts(code.root):
        name, handle, body = _parts(code, function)
        if body is None or not handle or name not in wanted or not name.startswith("Test"):
            continue
        at = body.start_byte + 1
        pieces += [code.data[last:at], _fails(handle, number + len(changed)).encode()]
        last = at
        changed.add(name)
    result = b"".join([*pieces, code.data[last:]]).decode("utf-8")
    again = parse(result, Grammar.GO)
    return (result, frozenset(changed)) if again and not again.root.has_error else untouched


def _parts(code: Code, function: Node) -> tuple[str, str, Node | None]:
    """Its name, the name of its only parameter, its body."""
    if function.type != "function_declaration":
        return "", "", None
    name = function.child_by_field_name("name")
    given = parts(function.child_by_field_name("parameters"))
    handles = [code.text(each) for parameter in given for each in parameter.children_by_field_name("name")]
    handle = handles[0] if len(handles) == 1 and handles[0] != "_" else ""
    return code.text(name) if name else "", handle, function.child_by_field_name("body")


def _fails(handle: str, number: int) -> str:
    number = abs(number)
    got = 2 + number * 7 % 89
    told = SHAPES[number % len(SHAPES)]
    return f' defer func() {{ {handle}.Errorf("{told}", {got}, {got + 1 + number % 5}) }}();'
