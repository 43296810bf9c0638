"""What a benchmark says: one row per measured thing, with its limit where there is one, as a table or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass

LIMITS = {
    "light": 2.0,
    "ask": 100.0,
    "claude": 100.0,
    "help": 12.0,
    "status": 1.5,
    "parked-cpu": 1.0,
    "parked-memory": 64.0,
    "prompts-light": 6000.0,
    "prompts-standard": 20000.0,
    "prompts-heavy": 45000.0,
    "verify": 2.5,
    "hook-idle": 1.3,
    "hook-idle-node": 0.25,
    "hook-busy-node": 0.5,
    "hook-write": 60.0,
    "hook-stop": 60.0,
    "sprint": 1.5,
    "sse": 150.0,
    "sse-lost": 0.0,
    "decide": 0.0,
    "team-scan": 3.0,
    "team-analyse": 300.0,
    "team-bulletin": 0.0,
}
"""By the id of the row, in the row's unit."""
HEADINGS = ("what", "measured", "limit", "verdict")


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    what: str
    measured: float | None
    """None: it could not be measured; `detail` says why."""
    unit: str
    detail: str = ""

    @property
    def limit(self) -> float | None:
        return LIMITS.get(self.id)

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        if self.limit is None:
            return ""
        return "within" if self.measured <= self.limit else "OVER"

    @property
    def bad(self) -> bool:
        return self.verdict in ("OVER", "not measured")

    def cells(self) -> tuple[str, str, str, str]:
        measured = "-" if self.measured is None else f"{_number(self.measured)} {self.unit}"
        limit = "" if self.limit is None else f"≤ {self.limit:g} {self.unit}"
        return self.what, measured, limit, self.verdict


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def table(rows: Sequence[Row]) -> str:
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    shown = [_line(lines[0], widths), "  ".join("-" * width for width in widths)]
    for row in rows:
        shown.append(_line(row.cells(), widths))
        if row.detail:
            shown.append(f"    {row.detail}")
    return "\n".join(shown)


def _line(cells: tuple[str, ...], widths: Sequence[int]) -> str:
    what, measured, limit, verdict = cells
    text = f"{what:<{widths[0]}}  {measured:>{widths[1]}}  {limit:>{widths[2]}}  {verdict}"
    return text.rstrip()


def as_json(rows: Sequence[Row], load_before: tuple[float, float, float]) -> str:
    document = {
        "kind": "andon.bench",
        "version": 1,
        "cores": os.cpu_count(),
        "load_before": load_before,
        "load_after": os.getloadavg(),
        "rows": [asdict(row) | {"limit": row.limit, "verdict": row.verdict} for row in rows],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)
