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
        rows = [_row(each) for each in self.criteria]
        told: dict[str, Any] = {"passed": self.passed, "criteria": rows, "report": self.report}
        return told if self.score is None else {**told, "score": self.score}


def _row(criterion: Criterion) -> dict[str, Any]:
    told: dict[str, Any] = {"id": criterion.id, "passed": criterion.passed, "detail": criterion.detail}
    return told if criterion.measured else {**told, "measured": False}


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
    return Verification(passed, criteria, report, _score(told.get("score")))


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
    """One result of both (D-12, D-79). What was not measured or not judged has not passed; a remark stops nothing."""
    told = {each.id: each for each in judged.criteria}
    rows = [_problems(each, measured, told) for each in asked]
    rows += _besides(asked, measured, judged.criteria)
    remarks = {each.id for each in asked if not each.critical}
    passed = judged.passed and all(each.passed or each.id in remarks for each in rows)
    return Verification(passed, tuple(rows), judged.report, judged.score)


def _problems(asked: Asked, measured: Sequence[Criterion], told: Mapping[str, Criterion]) -> Criterion:
    problems, unmeasured = _missed(asked, measured)
    answer = told.get(asked.id)
    if answer is not None and not answer.passed:
        problems.append(answer.detail or "refused by the verifier")
    elif answer is None and asked.judged:
        unmeasured.append("not judged")
    return Criterion.of(asked.id, problems, unmeasured)


def _missed(asked: Asked, measured: Sequence[Criterion]) -> tuple[list[str], list[str]]:
    """Of a criterion's measurements, those that failed; and those that nobody made or could make."""
    results = {each.id: each for each in measured}
    there = [results[part] for part in asked.parts if part in results and not results[part].passed]
    problems = [each.detail or f"{each.id}: failed" for each in there if each.measured]
    unmeasured = [each.detail or f"{each.id}: not measured" for each in there if not each.measured]
    return problems, [*unmeasured, *(f"{part}: not measured" for part in asked.parts if part not in results)]


def _besides(asked: Sequence[Asked], measured: Sequence[Criterion], told: Sequence[Criterion]) -> list[Criterion]:
    """What failed though nobody asked for it: a measurement, or an objection of the verifier's own."""
    known = {each.id for each in asked} | {part for each in asked for part in each.parts}
    found = {each.id: each for each in (*told, *measured) if each.id not in known and not each.passed}
    return [*found.values()]


def without_verifier(asked: Sequence[Asked], measured: Sequence[Criterion]) -> Verification | None:
    """A failure that needs no verifier: what andon measured is wrong already (D-22). None: ask the verifier."""
    rows = [Criterion.of(each.id, *_missed(each, measured)) for each in asked if each.parts]
    rows += _besides(asked, measured, ())
    failed = [each for each in rows if not each.passed]
    if not failed:
        return None
    return Verification(False, tuple(rows), "\n".join(f"{each.id}: {each.detail}" for each in failed))
