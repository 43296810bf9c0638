"""Orders to linters, type checkers, scanners and coverage to look away, that a change adds to a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from andon.domain.auto.diffs import Written
from andon.domain.auto.suppressions import Directive, added, directives
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|<!--|--)")
_FOR_NEXT = re.compile(r"next|@ts-(?:ignore|expect-error)\b", re.IGNORECASE)


def suppression_findings(change: ChangeSet) -> list[Finding]:
    left = _left(change)
    findings: list[Finding] = []
    for line, each in added([*_lines(change)]):
        spot = _spot((change.by_path[line.path].new or "").splitlines(), line.line - 1)
        if left[spot] > 0:
            left[spot] -= 1
            continue
        text = f"tells a tool to look away: {each.shown}"
        findings.append(found("suppression_added", text, line.path, line.line, each.shown))
    return findings


def _left(change: ChangeSet) -> Counter[str]:
    """Lines with orders that files no longer give: with its line, an order may move to another file."""
    left: Counter[str] = Counter()
    for file in change:
        now = change.by_path.get(change.renamed.get(file.path, file.path))
        if file.path.endswith(_PROSE) or file.old is None or now is None:
            continue
        old, new = [*_orders(file.old)], [*_orders(now.new or "")]
        lost = Counter(each for each, _ in old) - Counter(each for each, _ in new)
        stays = Counter(spot for _, spot in new)
        for each, spot in old:
            if stays[spot] > 0:
                stays[spot] -= 1
            elif spot and lost[each] > 0:
                lost[each] -= 1
                left[spot] += 1
    return left


def _orders(text: str) -> Iterator[tuple[Directive, str]]:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        for each in directives(line):
            yield each, _spot(lines, number)


def _spot(lines: list[str], number: int) -> str:
    """The code an order is about, with the order; nothing where it is about a whole file or what follows it."""
    line = lines[number]
    if not _COMMENT.match(line):
        return line.strip()
    if _FOR_NEXT.search(line) and number + 1 < len(lines):
        return f"{line.strip()}\n{lines[number + 1].strip()}"
    return ""


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
