"""YAML files whose mistakes can be pointed at: plain values, the line of every key, errors as `file:line: reason`.

Reads the way YAML 1.2 and editors do (`no`, `on` and dates are text), only safe types, with bounds on size and depth.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from andon.domain.errors import UserError

MAX_DEPTH = 40
MAX_NODES = 200_000
"""With aliases counted at each use: a few lines of them can stand for billions of values."""


class _Loader(yaml.SafeLoader):
    """The safe loader with the implicit types of YAML 1.2's core schema, as far as JSON has them."""


_Loader.yaml_implicit_resolvers = {}

for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,17})", list("-+0123456789")),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?", list("-+0123456789")),
    ("merge", r"<<", ["<"]),
):
    cast(Any, _Loader).add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _first)


def _number(loader: yaml.SafeLoader, node: ScalarNode) -> float:
    return float(node.value)


# The base class wants a dot before an exponent and would read 1e3 as text.
_Loader.add_constructor("tag:yaml.org,2002:float", cast(Any, _number))

_TEXT, _MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"
_SURROGATE = re.compile("[\ud800-\udfff]")
Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file, read."""

    source: str
    value: Any
    root: Node

    def line(self, location: Location) -> int:
        """The line of the deepest key or item on the way that exists."""
        node, line = self.root, self.root.start_mark.line + 1
        for part in location:
            if isinstance(node, MappingNode):
                # From the end: what `<<` brought in stands before a mapping's own keys.
                pair = next(((key, value) for key, value in reversed(_pairs(node)) if key.value == part), None)
                if pair is None:
                    break
                line, node = pair[0].start_mark.line + 1, pair[1]
            elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = cast(Node, node.value[part])
                line = node.start_mark.line + 1
            else:
                break
        return line

    def error(self, wrong: ValidationError) -> UserError:
        """The first mistake as the message, the others as the hint."""
        found = sorted({self._place(each) for each in wrong.errors(include_url=False)})
        messages = [f"{self.source}:{line}: {reason}" for line, reason in found]
        return UserError(messages[0], hint="\n".join(messages[1:6]))

    def _place(self, mistake: ErrorDetails) -> tuple[int, str]:
        context = mistake.get("ctx", {})
        location = (*mistake["loc"], *cast(list[str | int], context.get("at", ())))
        return self.line(location), _reason(mistake)


def _reason(mistake: ErrorDetails) -> str:
    name = next((part for part in reversed(mistake["loc"]) if isinstance(part, str)), "")
    if mistake["type"] == "scenario":
        return mistake["msg"]
    if mistake["type"] == "missing":
        return f"`{name}` is missing"
    return f"`{name}`: {mistake['msg'][:1].lower()}{mistake['msg'][1:]}"


def read(path: Path, *, empty: str) -> Document:
    """Read one YAML document whose top is a mapping. `empty` says what such a file starts with."""
    source = str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as wrong:
        raise UserError(f"{source}: cannot be read: {wrong.strerror}") from None
    except UnicodeDecodeError as wrong:
        raise UserError(f"{source}:{wrong.object[: wrong.start].count(10) + 1}: not UTF-8") from None
    try:
        return _parse(source, text, empty)
    except RecursionError:
        raise UserError(f"{source}:1: nested too deeply") from None


def _parse(source: str, text: str, empty: str) -> Document:
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            raise UserError(f"{source}:1: the file is empty; {empty}")
        if not isinstance(root, MappingNode):
            raise UserError(f"{source}:{root.start_mark.line + 1}: not a mapping; {empty}")
        _Inspection(source, loader).inspect(root, 0)
        value: Any = cast(Any, loader).construct_document(root)
    except yaml.reader.ReaderError as wrong:
        line = text.count("\n", 0, int(wrong.position)) + 1
        raise UserError(f"{source}:{line}: a character that YAML does not allow") from None
    except yaml.MarkedYAMLError as wrong:
        raise _unreadable(source, wrong) from None
    return Document(source, value, root)


def _unreadable(source: str, wrong: yaml.MarkedYAMLError) -> UserError:
    mark = wrong.problem_mark or wrong.context_mark
    reason = wrong.problem or wrong.context or "not YAML"
    if "'\\t'" in reason:
        reason = "a tab; YAML is indented with spaces"
    if "expected a single document" in (wrong.context or ""):
        reason = "a second document; a file holds one"
    return UserError(f"{source}:{mark.line + 1 if mark else 1}: {reason}")


class _Inspection:
    """Refuses what the loader would let pass: keys given twice, keys that are no text, tags, floods of aliases."""

    def __init__(self, source: str, loader: yaml.SafeLoader) -> None:
        self._source = source
        self._loader: Any = loader
        self._nodes = 0

    def inspect(self, node: Node, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            self._refuse(node, "nested too deeply" if depth > MAX_DEPTH else "too large, counting aliases at each use")
        if node.tag not in (_TEXT, self._loader.resolve(type(node), node.value, (True, False))):
            self._refuse(node, f"the tag `{node.tag}` has no meaning here")
        if isinstance(node, ScalarNode) and _SURROGATE.search(node.value):
            self._refuse(node, "half a character (a surrogate), which no file can hold")
        if isinstance(node, MappingNode):
            self._keys(node)
            for _, value in _pairs(node):
                self.inspect(value, depth + 1)
        elif isinstance(node, SequenceNode):
            for item in cast(list[Node], node.value):
                self.inspect(item, depth + 1)

    def _keys(self, node: MappingNode) -> None:
        seen = dict[Hashable, int]()
        for key, _ in _pairs(node):
            line = key.start_mark.line + 1
            if key.tag not in (_TEXT, _MERGE):
                self._refuse(key, "a key is text; put it in quotes")
            if key.value in seen:
                self._refuse(key, f"the key `{key.value}` is given twice, first in line {seen[key.value]}")
            seen[key.value] = line

    def _refuse(self, node: Node, reason: str) -> NoReturn:
        raise UserError(f"{self._source}:{node.start_mark.line + 1}: {reason}")


def _pairs(node: MappingNode) -> list[tuple[ScalarNode, Node]]:
    return cast(list[tuple[ScalarNode, Node]], node.value)
