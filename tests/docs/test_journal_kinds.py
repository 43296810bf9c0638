"""The kinds of journal entries: one closed set, which the product sends, screens know and the reference explains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from andon.cli.lines import _LINES
from andon.cli.live import _NOTABLE
from andon.domain.journal import KINDS

ROOT = Path(__file__).resolve().parents[2]
SENDERS = {"run", "self", "_dispatch", "journal", "_leg"}
"""What `say` and `append` are called on where they write an entry; `cycle.say` words a message."""


def sent(source: str) -> Iterator[str]:
    """The kinds that a source file writes: the first text among what it passes to the journal."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Tuple) and len(node.elts) == 3:  # (key, kind, data), of several in one transaction
            kind = node.elts[1]
            if isinstance(kind, ast.Constant) and kind.value in KINDS:
                yield str(kind.value)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        receiver = ast.unparse(node.func.value).rpartition(".")[2]
        writes_a_file = node.func.attr == "write" and receiver == "run"
        if (
            node.func.attr in ("say", "say_each", "_say", "write", "append")
            and receiver in SENDERS
            and not writes_a_file
        ):
            texts = (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
            yield from list(texts)[:1]


def test_E_09_what_the_product_sends_is_the_closed_set() -> None:
    files = (ROOT / "src" / "andon").rglob("*.py")

    assert {kind for file in files for kind in sent(file.read_text(encoding="utf-8"))} == set(KINDS)


def test_E_09_screens_know_no_other_kinds() -> None:
    assert {*_LINES, *_NOTABLE} <= set(KINDS)


def test_E_09_the_reference_explains_every_kind() -> None:
    page = (ROOT / "docs/reference/journal.md").read_text(encoding="utf-8").splitlines()

    assert [line for line in page if line.startswith("| `")] == [f"| `{kind}` | {why} |" for kind, why in KINDS.items()]
