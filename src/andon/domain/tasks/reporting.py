"""What a review tells of each criterion: passed, failed or not measured, what is wrong first (D-72, D-77, G-19)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andon.domain.tasks.criteria import Asked, By
from andon.domain.verdict import Verdict

_NOT_MEASURED = re.compile(r"(?:\w+: )?not (?:measured|judged)")
"""As rows told it before they said `measured`."""
_ORDER = {Verdict.FAILED: 0, Verdict.NOT_MEASURED: 1, Verdict.PASSED: 2}


@dataclass(frozen=True, slots=True)
class Outcome:
    id: str
    title: str
    verdict: Verdict
    why: str = ""
    by: By = By.PROGRAM
    parts: tuple[str, ...] = ()
    critical: bool = True
    """False: a remark, which stops nothing."""


@dataclass(frozen=True, slots=True)
class Tally:
    passed: int
    failed: int
    unmeasured: int


def outcomes(asked: Sequence[Asked], told: Mapping[str, Any]) -> list[Outcome]:
    """One row for every criterion that was asked for, and for whatever else went wrong. Failures stand first; what
    nobody looked at is not measured, never passed."""
    rows = {str(row["id"]): row for row in told.get("criteria", ())}
    found = [_outcome(each, rows.get(each.id)) for each in asked]
    known = {each.id for each in asked}
    found += [
        Outcome(id, id.replace("_", " ").capitalize(), verdict_of(row), str(row.get("detail", "")))
        for id, row in rows.items()
        if id not in known
    ]
    return sorted(found, key=lambda each: (not each.critical, _ORDER[each.verdict]))


def _outcome(asked: Asked, row: Mapping[str, Any] | None) -> Outcome:
    verdict = Verdict.NOT_MEASURED if row is None else verdict_of(row)
    why = "" if row is None else str(row.get("detail", ""))
    return Outcome(asked.id, asked.title, verdict, why, asked.by, asked.parts, asked.critical)


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    """What came of one criterion, as verification told it."""
    if row.get("passed"):
        return Verdict.PASSED
    if "measured" in row:
        return Verdict.FAILED if row["measured"] else Verdict.NOT_MEASURED
    causes = [line for line in str(row.get("detail", "")).splitlines() if line.strip()]
    unmeasured = bool(causes) and all(_NOT_MEASURED.fullmatch(line.strip()) for line in causes)
    return Verdict.NOT_MEASURED if unmeasured else Verdict.FAILED


def verdict_of_all(told: Mapping[str, Any]) -> Verdict:
    """What came of a verification: failed only when something failed, not measured when nobody could find out."""
    if told.get("passed"):
        return Verdict.PASSED
    missed = {verdict_of(row) for row in told.get("criteria") or ()} - {Verdict.PASSED}
    return Verdict.NOT_MEASURED if missed == {Verdict.NOT_MEASURED} else Verdict.FAILED


def tally(found: Sequence[Outcome]) -> Tally:
    """Remarks are not counted: they stop nothing."""
    of = [each.verdict for each in found if each.critical]
    return Tally(of.count(Verdict.PASSED), of.count(Verdict.FAILED), of.count(Verdict.NOT_MEASURED))
