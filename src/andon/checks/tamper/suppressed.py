"""Orders to linters, type checkers, scanners and coverage to look away, that a change adds to a file."""

from __future__ import annotations

from collections.abc import Iterator

from andon.domain.auto.diffs import Written
from andon.domain.auto.suppressions import added
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")


def suppression_findings(change: ChangeSet) -> list[Finding]:
    return [
        found("suppression_added", f"tells a tool to look away: {each.shown}", line.path, line.line, each.shown)
        for line, each in added([*_lines(change)])
    ]


def _lines(change: ChangeSet) -> Iterator[Written]:
    """Whole files, since a diff may be cut: what both versions have cancels out. A file that moved is one."""
    moved = {new: old for old, new in change.renamed.items()}
    for file in change:
        if file.path.endswith(_PROSE) or file.new is None or file.new == file.old:
            continue
        origin = change.by_path.get(moved.get(file.path, file.path))
        for text in ((origin.old if origin else None) or "").splitlines():
            yield Written(file.path, 0, text, "-")
        for number, text in enumerate(file.new.splitlines(), 1):
            yield Written(file.path, number, text, "+")
