"""What a verifier answered, read, and joined with what andon measured itself (D-71, D-72, G-19).

A verifier can only veto: what andon found wrong stays wrong, and what nobody judged has not passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from andon.domain.grammar import Unreadable, read_object
from andon.domain.tasks.criteria import Asked, Criterion


@dataclass(frozen=True, slots=True)
class Verification:
    passed: bool
    criteria: tuple[Criterion, ...] = ()
    report: str = ""
    score: float | None = None

    @property
    def failed(self) -> tuple[Criterion, ...]:
        """What has to be mended (D-73)."""
        return tuple(each for each in self.criteria if not each.passed)

    def as_json(self) -> dict[str, Any]:
        """In the form of G-19."""
        rows = [{"id": each.id, "passed": each.passed, "detail": each.detail} for each in self.criteria]
        told: dict[str, Any] = {"passed": self.passed, "criteria": rows, "report": self.report}
        return told if self.score is None else {**told, "score": self.score}


def read_verification(text: str, exit_code: int | None = 0) -> Verification | Unreadable:
    """The verifier's JSON. Anything but exit 0 and a readable object is an error, not a failed verification (D-72)."""
    if exit_code != 0:
        return Unreadable(f"the verifier ended with {exit_code}")
    told = read_object(text)
    if isinstance(told, Unreadable):
        return told
    passed, report = told.get("passed"), told.get("report")
    if not isinstance(passed, bool) or not isinstance(report, str):
        return Unreadable("`passed` (true or false) and `report` (text) are needed")
    criteria = _criteria(told.get("criteria", []))
    if isinstance(criteria, Unreadable):
        return criteria
    return Verification(passed and all(each.passed for each in criteria), criteria, report, _score(told.get("score")))


def _criteria(told: object) -> tuple[Criterion, ...] | Unreadable:
    if not isinstance(told, list):
        return Unreadable("`criteria` is no list")
    found: list[Criterion] = []
    for each in cast("list[object]", told):
        if not isinstance(each, dict):
            return Unreadable("each of `criteria` is an object")
        row = cast("Mapping[str, object]", each)
        id, passed, detail = row.get("id"), row.get("passed"), row.get("detail", "")
        if not isinstance(id, str) or not isinstance(passed, bool) or not isinstance(detail, str):
            return Unreadable("each of `criteria` needs `id`, `passed` (true or false) and `detail`")
        found.append(Criterion(id, passed, detail))
    return tuple(found)


def _score(told: object) -> float | None:
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else None


def joined(asked: Sequence[Asked], measured: Sequence[Criterion], judged: Verification) -> Verification:
    """One result of both. A criterion that is asked for and that nobody answered has not passed (D-12, D-79)."""
    told = {each.id: each for each in judged.criteria}
    vetoed = {each.id for each in judged.failed}
    rows = [told[each.id] if each.passed and each.id in vetoed else each for each in measured]
    known = {each.id for each in rows}
    for each in asked:
        if each.id not in known and (each.measured or each.id not in told):
            detail = "not measured" if each.measured else "not judged"
            rows.append(Criterion(each.id, passed=False, detail=detail))
    known = {each.id for each in rows}
    rows += [each for each in judged.criteria if each.id not in known]
    passed = judged.passed and all(each.passed for each in rows)
    return Verification(passed, tuple(rows), judged.report, judged.score)


def without_verifier(measured: Sequence[Criterion]) -> Verification | None:
    """A failure that needs no verifier: what andon measured is wrong already (D-22). None: ask the verifier."""
    failed = tuple(each for each in measured if not each.passed)
    if not failed:
        return None
    return Verification(False, tuple(measured), "\n".join(f"{each.id}: {each.detail}" for each in failed))
