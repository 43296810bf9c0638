"""Source text of languages other than Python as a syntax tree, and its text without comments and formatting.

Knows grammars, not tests. Runs nothing, and raises for no text; a grammar is loaded with the first text of its kind.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Language, Node

LARGEST = 2_000_000
"""Bytes. A test file beyond that is generated; nobody reviews it either."""
SECONDS = 10.0
"""Error recovery is quadratic in some grammars (Go: 225 s for 0.9 MB of JavaScript); 2 MB of good text need one."""
CHUNK = 4096
BRIEF = 100
"""Tokens."""
DEEPEST = 1000
"""Levels. People's code has under a hundred; text that is made to take long has many."""
HOPELESS = 0.5
"""The share of a text inside errors from which on nothing is said about it."""


class Grammar(StrEnum):
    GO = "tree_sitter_go:language"
    JAVA = "tree_sitter_java:language"
    JAVASCRIPT = "tree_sitter_javascript:language"
    RUST = "tree_sitter_rust:language"
    TSX = "tree_sitter_typescript:language_tsx"
    TYPESCRIPT = "tree_sitter_typescript:language_typescript"


SCRIPT = (Grammar.TSX, Grammar.TYPESCRIPT, Grammar.JAVASCRIPT)
"""Read in this order: TSX is JavaScript with JSX and types, but not `<T>value`; JavaScript has the newest syntax."""

COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment", "hash_bang_line"})
LITERALS = frozenset(
    {
        "string",
        "template_string",
        "regex",
        "string_literal",
        "raw_string_literal",
        "interpreted_string_literal",
        "char_literal",
        "character_literal",
        "rune_literal",
    }
)
"""Spaces inside them count."""
_ENDS = ("_statement", "_declaration", "_definition", "_item")
_CLOSERS = frozenset(")]}>")


@dataclass(frozen=True, slots=True)
class Code:
    """A text that was parsed."""

    root: Node
    data: bytes
    known: dict[int, Any] = field(default_factory=dict[int, Any], compare=False, repr=False)
    """What a reader of the language has found out about nodes, by their ids."""

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def normalised(self, node: Node, without: Container[int] = ()) -> str:
        """Its tokens with a space between: no comments, no trailing commas, one kind of quotes, ";" after statements.

        `without`: ids of nodes that are left out.
        """
        return " ".join(_without_trailing_commas(self._tokens(node, without)))

    def brief(self, node: Node, without: Container[int] = ()) -> str:
        """The same, but not more than its beginning: for text that is told again and again of nested nodes."""
        return " ".join(islice(_without_trailing_commas(self._tokens(node, without)), BRIEF))

    def _tokens(self, node: Node, without: Container[int]) -> Iterator[str]:
        rest: list[Node | str] = [node]
        while rest:
            each = rest.pop()
            if isinstance(each, str):
                yield each
            elif each.type in COMMENTS or each.id in without:
                continue
            elif each.type in LITERALS:
                yield _same_quotes(self.text(each)) if each.type == "string" else self.text(each)
            elif each.child_count == 0:
                word = " ".join(self.text(each).split())
                if word and word not in (";", "\0"):
                    yield word
            else:
                if each.type.endswith(_ENDS):
                    rest.append(";")
                rest.extend(_with_parentheses(each))


def parse(text: str, *grammars: Grammar) -> Code | None:
    """With the first grammar that reads all of it, else the one that reads most. None: none reads half of it."""
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return None
    until = time.monotonic() + SECONDS
    best: tuple[int, Node] | None = None
    for grammar in grammars:
        root = _root(data, grammar, until)
        if root is None:
            continue
        lost = _lost(root)
        if best is None or lost < best[0]:
            best = lost, root
        if lost == 0:
            break
    if best is None or best[0] > len(data) * HOPELESS or _too_deep(best[1]):
        return None
    return Code(best[1], data)


def _root(data: bytes, grammar: Grammar, until: float) -> Node | None:
    from tree_sitter import Parser

    late = False

    def read(offset: int, _: object) -> bytes:
        # Ending the text is the only way to stop a parser: the binding's progress callback crashes the interpreter.
        nonlocal late
        late = late or time.monotonic() > until
        return b"" if late else data[offset : offset + CHUNK]

    root = Parser(_language(grammar)).parse(read).root_node
    return None if late or (root.is_error and data.strip()) else root


@cache
def _language(grammar: Grammar) -> Language:
    from tree_sitter import Language

    module, _, attribute = grammar.value.partition(":")
    pointer: object = getattr(import_module(module), attribute)()
    return Language(pointer)


def _lost(root: Node) -> int:
    """How many bytes stand inside errors; a token that is missing counts as one."""
    lost = 0
    for node in walk(root, lambda each: each.has_error and not each.is_error):
        if node.is_error:
            lost += max(1, node.end_byte - node.start_byte)
        elif node.is_missing:
            lost += 1
    return lost


def _too_deep(root: Node) -> bool:
    rest = [(root, 0)]
    while rest:
        node, depth = rest.pop()
        if depth > DEEPEST:
            return True
        rest.extend((each, depth + 1) for each in node.children)
    return False


def walk(node: Node, into: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """The node and what is in it, in the order of the text; not what is in a node for which `into` says no."""
    rest = [node]
    while rest:
        each = rest.pop()
        yield each
        if into(each):
            rest.extend(reversed(each.children))


def parts(node: Node | None) -> list[Node]:
    """Its named children but comments."""
    return [each for each in node.named_children if each.type not in COMMENTS] if node else []


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def line(node: Node) -> int:
    return node.start_point.row + 1


def digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:16]


def _with_parentheses(node: Node) -> list[Node | str]:
    """Its children, last first. A formatter writes `x => y` as `(x) => y`."""
    children: list[Node | str] = [*reversed(node.children)]
    if node.type == "arrow_function" and (parameter := node.child_by_field_name("parameter")):
        at = children.index(parameter)
        children[at : at + 1] = [")", parameter, "("]
    return children


def _same_quotes(text: str) -> str:
    if text[:1] == "'" and not {'"', "\\"} & set(text):
        return f'"{text[1:-1]}"'
    return text


def _without_trailing_commas(tokens: Iterator[str]) -> Iterator[str]:
    held = False
    for each in tokens:
        if held and each not in _CLOSERS:
            yield ","
        held = each == ","
        if not held:
            yield each
