"""A file's diff as rows of a table: in one column or side by side, highlighted, changed words marked."""

from __future__ import annotations

from dataclasses import dataclass

from andon.app.reviewing import File
from andon.domain.patches import ADDED, DELETED, Line, Span, changed_words, pairs
from andon.web.highlighting import Token, coloured_lines, html_of, line_of

CLASSES = {ADDED: "add", DELETED: "del"}


@dataclass(frozen=True, slots=True)
class Cell:
    kind: str
    """add, del, or "" for a line that stayed."""
    mark: str
    old: int
    new: int
    html: str


@dataclass(frozen=True, slots=True)
class Row:
    """One column: only `right`. Side by side: either may be missing."""

    left: Cell | None
    right: Cell | None

    @property
    def new(self) -> int:
        return self.right.new if self.right else 0


@dataclass(frozen=True, slots=True)
class Section:
    head: str
    rows: tuple[Row, ...]


def sections(file: File, split: bool) -> list[Section]:
    colours = _Colours(file)
    made: list[Section] = []
    for hunk in file.patch.hunks:
        marks = _marks(hunk.lines)
        if split:
            rows = [Row(colours.cell(a, marks), colours.cell(b, marks)) for a, b in pairs(hunk.lines)]
        else:
            rows = [Row(None, colours.cell(line, marks)) for line in hunk.lines]
        made.append(Section(hunk.head, tuple(rows)))
    return made


def _marks(lines: tuple[Line, ...]) -> dict[Line, tuple[Span, ...]]:
    """Which words of a changed line are new or gone."""
    found: dict[Line, tuple[Span, ...]] = {}
    for old, new in pairs(lines):
        if old and new and old.kind == DELETED and new.kind == ADDED:
            found[old], found[new] = changed_words(old.text, new.text)
    return found


class _Colours:
    """Tokens of both sides of a file, made when they are first wanted."""

    def __init__(self, file: File) -> None:
        self._old: tuple[tuple[Token, ...], ...] = coloured_lines(file.path, file.old) if file.old else ()
        self._new: tuple[tuple[Token, ...], ...] = coloured_lines(file.path, file.new) if file.new else ()

    def cell(self, line: Line | None, marks: dict[Line, tuple[Span, ...]]) -> Cell | None:
        if line is None:
            return None
        lines, number = (self._old, line.old) if line.kind == DELETED else (self._new, line.new)
        html = html_of(line_of(lines, number, line.text), marks.get(line, ()))
        mark = "−" if line.kind == DELETED else line.kind.strip()
        return Cell(CLASSES.get(line.kind, ""), mark, line.old, line.new, html)
