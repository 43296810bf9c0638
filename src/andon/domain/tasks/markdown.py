"""Sections, labelled lines and tables of a document, as the rules about documents need them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from andon.domain.auto.outline import Kind, Line, read_outline
from andon.domain.language import announces
from andon.domain.tasks.phases import Part

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(\S.*)")
_COLON = re.compile(r"[:：]")
_LEAD = re.compile(r"(?:\d+[.)]\s+|\[[ xX]\]\s+)+")
_MARKS = " \t>*+•-_`"
LONGEST_LABEL = 60
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
    colon = _COLON.search(line, 0, 200)
    if colon is None:
        return None
    name = _LEAD.sub("", line[: colon.start()].lstrip(_MARKS), count=1).strip(_MARKS)
    if not name or len(name) > LONGEST_LABEL or "|" in name:
        return None
    return name, line[colon.end() :].strip(_MARKS)


def lacking(text: str, parts: tuple[Part, ...]) -> tuple[str, ...]:
    """The parts that a document has not, or has empty (D-28, D-31, D-40, D-43).

    A part is a filled passage under its heading, or a labelled line with a value or a list below.
    """
    told = [each.title for each in passages(text) if each.filled] + _labelled(read_outline(text))
    return tuple(part.name for part in parts if not any(announces_part(each, part) for each in told))


def _labelled(lines: tuple[Line, ...]) -> list[str]:
    """Names of labelled lines that say something, or have a list right below."""
    found: list[str] = []
    for index, line in enumerate(lines):
        label = label_of(line.text) if line.kind is not Kind.HEADING else None
        if label and (label[1] or _listed(lines[index + 1 : index + 3])):
            found.append(label[0])
    return found


def _listed(below: tuple[Line, ...]) -> bool:
    return any(each.kind in (Kind.ITEM, Kind.ROW, Kind.CODE) for each in below)


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
