"""Mutants of JavaScript and TypeScript: functions whose body no longer does its work. Text in, text out; nothing runs.

The same three kinds as for Python: one returns nothing, one a thing that is equal to nothing, one throws. Things may be
made while modules load, so a constructor only does nothing; it is called `Cart.constructor`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from andon.checks.tamper.syntax import SCRIPT, Code, Node, line, parse, walk

KINDS = {
    "nothing": "{ return undefined; }",
    "stranger": "{ return { stranger: Symbol() }; }",
    "raising": '{ throw new Error("not available"); }',
}
_VALUES = frozenset({"arrow_function", "function_expression", "function", "generator_function"})
_DECLARED = frozenset({"function_declaration", "generator_function_declaration", "method_definition"})
_HOLDERS = {
    "variable_declarator": "name",
    "pair": "key",
    "assignment_expression": "left",
    "public_field_definition": "name",
}
_NAMES = frozenset(
    {
        *("identifier", "property_identifier", "shorthand_property_identifier"),
        *("shorthand_property_identifier_pattern", "private_property_identifier"),
    }
)
GENTLE = "nothing"
CONSTRUCTOR = "constructor"


def functions(text: str) -> dict[str, tuple[int, int]]:
    """Names of functions and methods that can be mutated, with their first and last line."""
    code = parse(text, *SCRIPT)
    found = _functions(code) if code else ()
    return {name: (line(node), node.last_row + 1) for name, node, _ in found}


def names_used(text: str) -> frozenset[str]:
    """Every name and property a text speaks of."""
    code = parse(text, *SCRIPT)
    return frozenset(code.text(node) for node in walk(code.root) if node.type in _NAMES) if code else frozenset()


def mutant(text: str, names: Collection[str], kind: str) -> str | None:
    """The text with these functions hollowed out; None when it has none of them, or cannot be read."""
    code = parse(text, *SCRIPT)
    if code is None or code.root.has_error or code.data.decode("utf-8") != text:
        return None
    pieces: list[bytes] = []
    last = 0
    for name, _, body in _functions(code):
        if name in names and (kind == GENTLE or "." not in name):
            pieces += [code.data[last : body.start_byte], _hollow(body, kind, "." in name)]
            last = body.end_byte
    return b"".join([*pieces, code.data[last:]]).decode("utf-8") if pieces else None


def _functions(code: Code) -> Iterator[tuple[str, Node, Node]]:
    """Name, whole, body: in the order of the text, not those inside others, nor those without a name."""
    rest = [code.root]
    while rest:
        node = rest.pop()
        named = _named(code, node)
        if named is not None:
            yield named
        elif node.type not in _VALUES:
            rest.extend(reversed(node.named_children))


def _named(code: Code, node: Node) -> tuple[str, Node, Node] | None:
    if node.type in _DECLARED:
        holder, function = node.child_by_field_name("name"), node
    elif node.type in _HOLDERS:
        holder = node.child_by_field_name(_HOLDERS[node.type])
        function = node.child_by_field_name("value") or node.child_by_field_name("right")
    else:
        return None
    if holder is None or function is None or (node.type in _HOLDERS and function.type not in _VALUES):
        return None
    body = function.child_by_field_name("body")
    name = code.text(holder).rpartition(".")[2]
    if name == CONSTRUCTOR and node.type == "method_definition":
        made = _class(node)
        owner = made.child_by_field_name("name") if made else None
        return (f"{code.text(owner)}.{name}", node, body) if owner and body else None
    return (name, node, body) if body is not None else None


def _class(node: Node) -> Node | None:
    return node.parent.parent if node.parent else None


def _hollow(body: Node, kind: str, makes: bool) -> bytes:
    """A constructor of a class that has one above must call it."""
    made = _class(body.parent) if makes and body.parent else None
    derived = made is not None and any(each.type == "class_heritage" for each in made.children)
    return b"{ super(...arguments); }" if derived else KINDS[kind].encode()
