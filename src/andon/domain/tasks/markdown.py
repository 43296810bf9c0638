"""Sections, labelled lines and tables of a document, as the rules about documents need them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.language import announces
from andon.domain.tasks.phases import Part

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(\S.*)")
_LABEL = re.compile(
    r"[\s>*+•-]*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?[*_`]*(?P<name>[^:：|`\n]{1,60}?)[*_`]*\s*[:：]\s*[*_`]*(?P<value>.*)"
)
_RULER = re.compile(r"[\s|:-]+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A heading and what stands below it, headings of a deeper level included."""

    level: int
    title: str
    line: int
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(each.text for each in self.lines)

    @property
    def filled(self) -> bool:
        """Whether anything but headings and empty list marks stands there (D-11)."""
        return any(each.kind is not Kind.HEADING and re.search(r"\w", each.text) is not None for each in self.lines)


def passages(text: str) -> tuple[Passage, ...]:
    """Every heading of a document with all that belongs to it."""
    lines = read_outline(text)
    heads = [(index, *_heading(line)) for index, line in enumerate(lines) if line.kind is Kind.HEADING]
    found: list[Passage] = []
    for place, (index, level, title) in enumerate(heads):
        end = next((other for other, deeper, _ in heads[place + 1 :] if deeper <= level), len(lines))
        found.append(Passage(level, title, lines[index].number, lines[index + 1 : end]))
    return tuple(found)


def _heading(line: Line) -> tuple[int, str]:
    match = _HEADING.match(line.text)
    return (len(match[1]), match[2].rstrip(" \t#")) if match else (6, line.text.strip())


def announces_part(title: str, part: Part) -> bool:
    """Whether a heading or a label announces this part."""
    plain = title.casefold()
    return announces(title, part.names) or (part.anywhere and any(name in plain for name in part.names))


def part_of(text: str, part: Part) -> Passage | None:
    """The passage of this part that has something in it."""
    return next((each for each in passages(text) if announces_part(each.title, part) and each.filled), None)


def label_of(line: str) -> tuple[str, str] | None:
    """Name and value of a line such as `- **Retry**: 3 times`."""
    match = _LABEL.fullmatch(line)
    return (match["name"].strip(" *_`"), match["value"].strip(" *_`")) if match else None


def labels(lines: tuple[Line, ...] | list[Line]) -> Iterator[tuple[str, str, int]]:
    """Labelled lines: name, value, and the line's number."""
    for line in lines:
        if line.kind is not Kind.HEADING and (found := label_of(line.text)):
            yield *found, line.number


def has_part(text: str, part: Part) -> bool:
    """A filled passage under a heading of this part, or a labelled line of it with a value or a list below (D-28)."""
    if part_of(text, part) is not None:
        return True
    lines = read_outline(text)
    for index, line in enumerate(lines):
        found = label_of(line.text) if line.kind is not Kind.HEADING else None
        if found and announces_part(found[0], part) and (found[1] or _listed(lines[index + 1 : index + 3])):
            return True
    return False


def _listed(below: tuple[Line, ...]) -> bool:
    return any(each.kind in (Kind.ITEM, Kind.ROW, Kind.CODE) for each in below)


def lacking(text: str, parts: tuple[Part, ...]) -> tuple[str, ...]:
    """The parts that a document has not, or has empty (D-28, D-31, D-40, D-43)."""
    return tuple(part.name for part in parts if not has_part(text, part))


def mentioned(text: str, part: Part) -> bool:
    """Whether one of a part's names stands anywhere in the text."""
    plain = " ".join(text.split()).casefold()
    return any(name in plain for name in part.names)


def rows(lines: tuple[Line, ...]) -> tuple[tuple[str, ...], ...]:
    """The cells of a table's rows, rulers left out."""
    return tuple(
        tuple(cell.strip(" *_`") for cell in line.text.strip().strip("|").split("|"))
        for line in lines
        if line.kind is Kind.ROW and not _RULER.fullmatch(line.text)
    )
