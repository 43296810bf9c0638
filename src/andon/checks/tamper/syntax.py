"""Source text of languages other than Python as a syntax tree, and its text without comments and formatting.

Knows grammars, not tests, and raises for no text. The parsers are native code, which may crash: they live in a process
of their own (`parser.py`) that starts with the first text. The trees here are plain Python.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from array import array
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from andon.processes.worker import Worker

LARGEST = 2_000_000
"""Bytes. A test file beyond that is generated; nobody reviews it either."""
SECONDS = 10.0
"""Error recovery is quadratic in some grammars (Go: 225 s for 0.9 MB of JavaScript); 2 MB of good text need one."""
TRIES = 2
"""A parser may also die of something else than the text: too little memory, an impatient administrator."""
BRIEF = 100
"""Tokens."""
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
_COLUMNS = 8
_NAMED, _ERROR, _MISSING = 1, 2, 4
_PARSER = Worker((sys.executable, "-I", str(Path(__file__).with_name("parser.py"))))


@dataclass(slots=True, eq=False)
class Node:
    """A piece of a text with its place in the syntax tree; names as in tree-sitter."""

    id: int
    type: str
    field: str
    """The name that its parent has for it, or ""."""
    flags: int
    start_byte: int
    end_byte: int
    first_row: int
    last_row: int
    parent: Node | None
    children: list[Node]
    has_error: bool
    """It is an error or something missing, or has one in it."""

    @property
    def is_named(self) -> bool:
        return bool(self.flags & _NAMED)

    @property
    def is_error(self) -> bool:
        return bool(self.flags & _ERROR)

    @property
    def is_missing(self) -> bool:
        return bool(self.flags & _MISSING)

    @property
    def named_children(self) -> list[Node]:
        return [child for child in self.children if child.flags & _NAMED]

    @property
    def prev_named_sibling(self) -> Node | None:
        before: Node | None = None
        for child in self.parent.named_children if self.parent else ():
            if child is self:
                break
            before = child
        return before

    def child_by_field_name(self, name: str) -> Node | None:
        return next((child for child in self.children if child.field == name), None)

    def children_by_field_name(self, name: str) -> list[Node]:
        return [child for child in self.children if child.field == name]


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
            elif not each.children:
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
    if best is None or best[0] > len(data) * HOPELESS:
        return None
    return Code(best[1], data)


def _root(data: bytes, grammar: Grammar, until: float) -> Node | None:
    """None: it cannot be read, is nested too deeply, takes too long, or crashes the parser."""
    request = f"{grammar.value}\n".encode() + data
    answer: bytes | None = None
    for _ in range(TRIES):
        if answer is None and (left := until - time.monotonic()) > 0:
            answer = _PARSER.ask(request, left)
    root = _tree(answer) if answer else None
    return None if root is None or (root.is_error and data.strip()) else root


def _tree(answer: bytes) -> Node:
    head, _, body = answer.partition(b"\n")
    known = json.loads(head)
    numbers = array("I", body)
    count: int = known["count"]
    columns = (numbers[at * count : (at + 1) * count] for at in range(_COLUMNS))
    types, fields = known["types"], known["fields"]
    above: list[Node] = []
    nodes: list[Node] = []
    for id, (type_, name, flags, depth, start, end, first, last) in enumerate(zip(*columns, strict=True)):
        del above[depth:]
        parent = above[-1] if above else None
        bad = flags & (_ERROR | _MISSING) > 0
        node = Node(id, types[type_], fields[name], flags, start, end, first, last, parent, [], bad)
        above.append(node)
        nodes.append(node)
        if parent is not None:
            parent.children.append(node)
    for node in reversed(nodes):
        if node.has_error and node.parent:
            node.parent.has_error = True
    return nodes[0]


def _lost(root: Node) -> int:
    """How many bytes stand inside errors; a token that is missing counts as one."""
    lost = 0
    for node in walk(root, lambda each: each.has_error and not each.is_error):
        if node.is_error:
            lost += max(1, node.end_byte - node.start_byte)
        elif node.is_missing:
            lost += 1
    return lost


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
    return node.first_row + 1


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
