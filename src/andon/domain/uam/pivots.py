"""`.uam/pivot-points.md`: what does not move, and what becomes of a discovery that meets it (C-18 to C-20).

One grammar for whoever writes the file: a person, andon, or a session of the plugin. A point is a line,
`- [CONFIRMED] PP-1: text`, or a heading, `## PP-1: title`, with `- Status:` and `- Constraint:` below it. Points are
changed where they stand and added after the last one; whatever else is in the file stays as it is, word for word.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIRMED, PROVISIONAL = "CONFIRMED", "PROVISIONAL"
REJECT, ASK, APPLY, QUEUE, DEFER = "reject", "ask", "apply", "queue", "defer"
TITLE = "# Pivot Points\n\n"
_STATUS = r"(?P<status>(?i:CONFIRMED|PROVISIONAL))"
_NAME = r"(?:\*\*)?PP-(?P<number>\d{1,9})(?:\*\*)?"
_LINE = re.compile(rf"^ {{0,3}}[-*+] \[{_STATUS}\] {_NAME} ?[:.—-](?:\*\*)? *(?P<text>\S.*?) *$")
_HEADING = re.compile(rf"^#{{2,6}} +(?:\[{_STATUS}\] *)?{_NAME}(?: *[:.—-]? *(?P<text>\S.*?))? *#* *$")
_FIELD = re.compile(
    r"^ {0,3}[-*+] (?:\*\*)?(?i:(?P<name>status|constraint|상태|제약))(?:\*\*)?:(?:\*\*)? *(?P<text>\S.*?) *$"
)
_MEANT = re.compile(r"^ {0,3}(?:[-*+]|\d+[.)]|#{1,6}) .*(?:\bPP-\d|\[(?i:CONFIRMED|PROVISIONAL)\])")
_ANY = re.compile(r"\bPP-(\d{1,9})\b")
_STATUS_FIELDS = ("status", "상태")
_BY_MODE = {"explore": APPLY, "standard": QUEUE, "strict": ASK}


class Point:
    __slots__ = ("number", "status", "text")

    def __init__(self, number: int, status: str, text: str) -> None:
        self.number = number
        self.status = status
        self.text = text

    @property
    def id(self) -> str:
        return f"PP-{self.number}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and (self.number, self.status, self.text) == (
            other.number,
            other.status,
            other.text,
        )

    __hash__ = None  # type: ignore[assignment]


class _Place:
    """A point, and its lines in the file."""

    __slots__ = ("end", "heading", "point", "status_line")

    def __init__(self, point: Point, end: int, status_line: int, heading: bool) -> None:
        self.point = point
        self.end = end
        """The first line that is not its own any more."""
        self.status_line = status_line
        self.heading = heading


def read(text: str) -> list[Point]:
    """Every point, in the order of the file."""
    return [each.point for each in _places(text.splitlines())]


def unread(text: str) -> list[str]:
    """Lines that speak of a point and are none: for whoever wrote them."""
    lines = text.splitlines()
    own = {at for place in _places(lines) for at in range(_first(lines, place), place.end)}
    return [line.strip() for at, line in enumerate(lines) if at not in own and _MEANT.match(line)]


def revised(text: str, points: Iterable[tuple[str, str]]) -> str:
    """The file with these (status, text) pairs in it. One that is there has its status changed where it stands; the
    others come after the last point, in its form, and take the next numbers."""
    lines = (text if text.strip() else TITLE).splitlines()
    for status, told in points:
        told = " ".join(told.split())
        places = _places(lines)
        known = next((each for each in places if each.point.text.casefold() == told.casefold()), None)
        if known is not None:
            line = lines[known.status_line]
            lines[known.status_line] = re.sub(_STATUS, status, line, count=1)
            continue
        number = max((int(each[1]) for line in lines for each in _ANY.finditer(line)), default=0) + 1
        if places and places[-1].heading:
            at = places[-1].end
            while not lines[at - 1].strip():
                at -= 1
            fresh = ["", f"## PP-{number}: {told}", f"- Status: {status}", f"- Constraint: {told}"]
        else:
            at = places[-1].end if places else len(lines)
            fresh = [f"- [{status}] PP-{number}: {told}"]
            if not places and lines[-1].strip():
                fresh = ["", *fresh]
        lines[at:at] = fresh
    return "\n".join(lines) + "\n"


def _places(lines: Sequence[str]) -> list[_Place]:
    found: list[_Place] = []
    for at, line in enumerate(lines):
        if told := _LINE.match(line):
            end = at + 1
            while end < len(lines) and lines[end].startswith("  ") and lines[end].strip():
                end += 1
            point = Point(int(told["number"]), told["status"].upper(), told["text"])
            found.append(_Place(point, end, at, heading=False))
        elif told := _HEADING.match(line):
            end = next((n for n in range(at + 1, len(lines)) if re.match(r"#{1,6} ", lines[n])), len(lines))
            if place := _block(lines, at, end, told):
                found.append(place)
    return found


def _block(lines: Sequence[str], at: int, end: int, heading: re.Match[str]) -> _Place | None:
    """None where nothing says whether it is confirmed, or what must not change."""
    text, status, line = heading["text"] or "", heading["status"] or "", at
    for number in range(at + 1, end):
        if (field := _FIELD.match(lines[number])) is None:
            continue
        if field["name"].casefold() not in _STATUS_FIELDS:
            text = field["text"]
        elif said := re.match(rf"[*`]*{_STATUS}\b", field["text"]):
            status, line = said["status"], number
    if not text or not status:
        return None
    return _Place(Point(int(heading["number"]), status.upper(), text), end, line, heading=True)


def _first(lines: Sequence[str], place: _Place) -> int:
    if not place.heading:
        return place.status_line
    return next(at for at in range(place.status_line, -1, -1) if _HEADING.match(lines[at]))


def decision(points: Sequence[Point], conflicts: Iterable[int], mode: str) -> str:
    """What becomes of one discovery: a confirmed point is stronger than one that is only presumed (C-20)."""
    met = {point.status for point in points if point.number in {*conflicts}}
    if CONFIRMED in met:
        return REJECT
    return ASK if PROVISIONAL in met else _BY_MODE[mode]
