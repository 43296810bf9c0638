"""A workflow document, read: its head, and a unit for every heading of the second and third level (B-16, B-17)."""

from __future__ import annotations

import re
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.teams.composing import Workflow
from andon.domain.teams.graph import Cycle, ordered
from andon.domain.teams.selecting import remarks, selected
from andon.domain.teams.units import Unit, described, slug
from andon.teamify.heads import split
from andon.teamify.texts import read_text

LARGEST = 10_000_000
LEVELS = (2, 3)
LONGEST = 200
"""Letters of a name or a title; the rest of it is left out."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t](.*))?$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_MARKS = re.compile(r"[*_`]+")


def read_workflow(path: Path) -> Workflow:
    missing = "`andon team scan` lists what could be analysed."
    return workflow_of(read_text(path, LARGEST, missing=missing, kind="A workflow is a Markdown document."), path)


def workflow_of(text: str, path: Path) -> Workflow:
    """Raises UserError where its units wait for each other."""
    head, body = split(text)
    notes = [head.problem] if head.problem else []
    own = " ".join(head.text("name").split()) or (path.parent.name if path.name == "SKILL.md" else path.stem)
    name = own[:LONGEST]
    units, about = selected(units_of(body, text.count("\n") - body.count("\n")))
    notes += remarks(units, about)
    if not units:
        notes.append("it has no headings of the second or third level: the whole document is one unit")
        units = (described(Unit(slug(name), name, 2, 1, body)),)
    try:
        made = ordered(units)
    except Cycle as circle:
        titles = {unit.id: unit.title for unit in units}
        told = " → ".join(titles[id] for id in circle.names)
        raise UserError(f"{path}: these wait for each other: {told}", "Take one of the dependencies out.") from None
    return Workflow(
        name=name,
        description=head.text("description"),
        path=str(path),
        text=text,
        units=made,
        allowed=head.tools,
        model=head.text("model"),
        notes=tuple(notes),
        about=tuple(unit.title for unit in about),
    )


def units_of(body: str, offset: int = 0) -> list[Unit]:
    """What stands under a heading ends at the next one of either level."""
    return _nested(headings(body, offset))


def headings(body: str, offset: int = 0) -> list[tuple[int, str, int, list[str]]]:
    """Level, title, line and the lines under it. Headings inside of fences are text."""
    found = list[tuple[int, str, int, list[str]]]()
    fence = ""
    for number, line in enumerate(body.splitlines(), start=1 + offset):
        opened = _FENCE.match(line)
        if fence:
            closes = opened is not None and opened[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif opened is not None:
            fence = opened[1]
        elif (heading := _HEADING.match(line)) is not None and (level := len(heading[1])) in LEVELS:
            found.append((level, _title(heading[2] or ""), number, []))
            continue
        if found:
            found[-1][3].append(line)
    return found


def _title(text: str) -> str:
    """Without marks, without the signs that may close a heading, and without what a terminal would obey."""
    text = text.strip()
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in " \t"):
        text = bare
    shown = "".join(each if each.isprintable() else " " for each in _MARKS.sub("", text))
    return " ".join(shown.split())[:LONGEST].rstrip()


def _nested(found: list[tuple[int, str, int, list[str]]]) -> list[Unit]:
    made, parent = list[Unit](), ""
    taken = set[str]()
    for level, title, line, lines in found:
        named = title or f"line {line}"
        id = slug(named, taken)
        taken.add(id)
        parent = "" if level == LEVELS[0] else parent
        made.append(described(Unit(id, named, level, line, "\n".join(lines).strip("\n"), parent)))
        if level == LEVELS[0]:
            parent = id
    return made
