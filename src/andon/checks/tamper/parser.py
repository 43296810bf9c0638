"""Parses source texts with tree-sitter and writes the syntax trees out as plain numbers.

A program of its own (`python -I parser.py`), imported by nothing: tree-sitter is native code that reads what strangers
wrote, and a crash of it must end this process alone. Requests and answers are framed as `processes/worker.py` says. A
request is the grammar (`module:function`), a line feed, and the text. An answer is a line of JSON and then one column
of unsigned 32-bit numbers for each of COLUMNS; it is empty when the text is nested too deeply.
"""

import importlib
import json
import struct
import sys
from array import array
from typing import BinaryIO

from tree_sitter import Language, Parser, Tree

LENGTH = struct.Struct(">I")
DEEPEST = 1000
"""Levels. People's code has under a hundred; text that is made to take long has many."""
COLUMNS = ("type", "field", "flags", "depth", "start", "end", "first_row", "last_row")
NAMED, ERROR, MISSING = 1, 2, 4


def columns(tree: Tree) -> bytes:
    """The nodes in the order of the text, a parent before its children."""
    types: dict[str, int] = {}
    fields: dict[str, int] = {"": 0}
    type_, field, flags, depths, start, end, first_row, last_row = (table := [array("I") for _ in COLUMNS])
    cursor, depth = tree.walk(), 0
    while True:
        node = cursor.node
        assert node is not None
        type_.append(types.setdefault(node.type, len(types)))
        field.append(fields.setdefault(cursor.field_name or "", len(fields)))
        flags.append(NAMED * node.is_named | ERROR * node.is_error | MISSING * node.is_missing)
        depths.append(depth)
        start.append(node.start_byte)
        end.append(node.end_byte)
        first_row.append(node.start_point[0])
        last_row.append(node.end_point[0])
        if cursor.goto_first_child():
            depth += 1
            if depth > DEEPEST:
                return b""
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                header = json.dumps({"types": [*types], "fields": [*fields], "count": len(type_)})
                return b"\n".join((header.encode(), b"".join(column.tobytes() for column in table)))
            depth -= 1


def answer(source: BinaryIO, target: BinaryIO) -> None:
    languages: dict[bytes, Language] = {}
    while head := source.read(LENGTH.size):
        grammar, _, text = source.read(*LENGTH.unpack(head)).partition(b"\n")
        if grammar not in languages:
            module, _, function = grammar.decode().partition(":")
            pointer: object = getattr(importlib.import_module(module), function)()
            languages[grammar] = Language(pointer)
        found = columns(Parser(languages[grammar]).parse(text))
        target.write(LENGTH.pack(len(found)) + found)
        target.flush()


if __name__ == "__main__":
    answer(sys.stdin.buffer, sys.stdout.buffer)
