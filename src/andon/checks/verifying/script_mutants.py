"""Makes mutants of JavaScript and TypeScript functions. Text in, mutants out; nothing runs here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from andon.checks.mutants import Kind, Mutant
from andon.checks.tamper.syntax import SCRIPT, Code, Node, line, parse, walk

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
CONSTRUCTOR = "constructor"
_COMPARING = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", "<=": "<", ">": "<=", ">=": ">"}
_OPPOSITES = _COMPARING | {
    **{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&&": "||", "||": "&&", "??": "&&", "&": "|", "|": "&"},
    **{"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "<<": ">>", ">>": "<<", "**": "*"},
}
_SPOKEN = frozenset(
    {"arguments", "return_statement", "binary_expression", "variable_declarator", "assignment_expression", "array"}
)
"""Where a string may be another one without another meaning of the code around it."""


def names_used(text: str) -> frozenset[str]:
    """Every name and property a text speaks of."""
    code = parse(text, *SCRIPT)
    return frozenset(code.text(node) for node in walk(code.root) if node.type in _NAMES) if code else frozenset()


def make_mutants(path: str, text: str) -> list[Mutant]:
    """Every mutant of every function of a file; none of a text that cannot be read without errors."""
    code = parse(text, *SCRIPT)
    if code is None or code.root.has_error or code.data.decode("utf-8") != text:
        return []
    return [
        Mutant(path, name, line(function), piece.start, piece.end, piece.new, piece.kind)
        for name, function, body in _functions(code)
        for piece in _pieces(code, body, makes=name.endswith(f".{CONSTRUCTOR}"))
    ]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    new: str
    kind: Kind


def _pieces(code: Code, body: Node, *, makes: bool) -> Iterator[_Piece]:
    """What of a function can be written otherwise. A constructor must do what it must, so only its parts are."""
    if body.type != "statement_block":
        yield _Piece(body.start_byte, body.end_byte, "undefined", Kind.HOLLOW)
        thrown = '(() => { throw new Error("not available"); })()'
        yield _Piece(body.start_byte, body.end_byte, thrown, Kind.RAISING)
    elif body.named_children and not makes:
        at = body.start_byte + 1
        yield _Piece(at, at, " return;", Kind.HOLLOW)
        yield _Piece(at, at, ' throw new Error("not available");', Kind.RAISING)
    for node in walk(body):
        yield from _piece(code, node)


def _piece(code: Code, node: Node) -> Iterator[_Piece]:
    match node.type:
        case "return_statement" if node.named_children:
            value = node.named_children[0]
            yield _Piece(value.start_byte, value.end_byte, "undefined", Kind.RESULT)
        case "if_statement" | "while_statement" | "ternary_expression":
            test = node.child_by_field_name("condition")
            if test is not None:
                inside = code.text(test)
                new = f"(!{inside})" if inside.startswith("(") else f"!({inside})"
                yield _Piece(test.start_byte, test.end_byte, new, Kind.CONDITION)
        case "binary_expression" | "augmented_assignment_expression":
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type in _OPPOSITES:
                kind = Kind.COMPARISON if operator.type in _COMPARING else Kind.OPERATOR
                yield _Piece(operator.start_byte, operator.end_byte, _OPPOSITES[operator.type], kind)
        case "expression_statement" if node.named_children and node.named_children[0].type == "call_expression":
            called = node.named_children[0]
            if not code.text(called).startswith("super"):
                yield _Piece(called.start_byte, called.end_byte, "undefined", Kind.CALL)
        case "number":
            yield _Piece(node.start_byte, node.end_byte, f"({code.text(node)} + 1)", Kind.CONSTANT)
        case "true" | "false":
            yield _Piece(node.start_byte, node.end_byte, "false" if node.type == "true" else "true", Kind.CONSTANT)
        case "string" if node.parent is not None and node.parent.type in _SPOKEN:
            yield _Piece(node.start_byte, node.end_byte, "''" if len(code.text(node)) > 2 else "'x'", Kind.CONSTANT)
        case _:
            return


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
