"""`.uam/pivot-points.md`: what does not move, and what becomes of a discovery that meets it (C-18 to C-20)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIRMED, PROVISIONAL = "CONFIRMED", "PROVISIONAL"
REJECT, ASK, APPLY, QUEUE, DEFER = "reject", "ask", "apply", "queue", "defer"
_POINT = re.compile(r"^- \[(CONFIRMED|PROVISIONAL)\] PP-(\d{1,9}): *(\S.*?) *$")
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


def read(text: str) -> list[Point]:
    """Every point; a person may have written the file, and whatever else stands there is left out."""
    found = (_POINT.match(line) for line in text.splitlines())
    return [Point(int(each[2]), each[1], each[3]) for each in found if each]


def written(points: Iterable[tuple[str, str]]) -> str:
    """From (status, text) pairs, numbered in their order."""
    lines = [
        f"- [{status}] PP-{number}: {' '.join(text.split())}" for number, (status, text) in enumerate(points, start=1)
    ]
    return "\n".join(("# Pivot Points", "", *lines)) + "\n"


def decision(points: Sequence[Point], conflicts: Iterable[int], mode: str) -> str:
    """What becomes of one discovery: a confirmed point is stronger than one that is only presumed (C-20)."""
    met = {point.status for point in points if point.number in {*conflicts}}
    if CONFIRMED in met:
        return REJECT
    return ASK if PROVISIONAL in met else _BY_MODE[mode]
