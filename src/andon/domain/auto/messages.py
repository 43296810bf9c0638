"""The two structured messages of `auto`: the QA runner's result and the impl-manager's final word (A-86, A-87, A-103).

Read here into nouns; what they mean is decided in qa.py and implementation.py. Unreadable never counts as success.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from andon.domain.grammar import Unreadable, object_after
from andon.domain.verdict import Verdict


class GoalStatus(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    SKIP = "SKIP"
    """Does not apply here."""
    NOT_MEASURED = "NOT_MEASURED"
    """Applies, but could not be run: blocks like FAIL."""
    ACCEPTED = "ACCEPTED"
    """Failed, and a person accepted that; never counted as passed."""


@dataclass(frozen=True, slots=True)
class GoalResult:
    goal: str
    status: GoalStatus
    output: str = ""
    signature: str = ""

    @property
    def failed(self) -> bool:
        return self.status in (GoalStatus.FAIL, GoalStatus.NOT_MEASURED)


@dataclass(frozen=True, slots=True)
class QaReport:
    goals: tuple[GoalResult, ...]
    claimed_passed: bool
    claimed_failures: int | None = None
    problem: str = ""
    """Why the message could not be read, when it could not."""

    @property
    def failures(self) -> tuple[GoalResult, ...]:
        return tuple(goal for goal in self.goals if goal.failed)

    @property
    def mismatch(self) -> bool:
        """The message contradicts itself: its keyword or its count does not fit its goals (A-103)."""
        if self.claimed_failures is not None and self.claimed_failures != len(self.failures):
            return True
        return self.claimed_passed == bool(self.failures)

    @property
    def verdict(self) -> Verdict:
        """From the goals, never from the keyword alone; a message that says QA_FAILED has failed (A-102, E-21)."""
        statuses = {goal.status for goal in self.goals}
        if GoalStatus.FAIL in statuses or not self.claimed_passed or not statuses:
            return Verdict.FAILED
        if GoalStatus.NOT_MEASURED in statuses:
            return Verdict.NOT_MEASURED
        if self.mismatch:
            return Verdict.FAILED
        return Verdict.PASSED if GoalStatus.PASS in statuses else Verdict.NOT_NEEDED


_QA = re.compile(r"^[ \t>*`#-]*(QA_PASSED|QA_FAILED)\s*:", re.MULTILINE)


def read_qa(text: str) -> QaReport:
    """QA_PASSED or QA_FAILED with its goals (A-103, X-17). Unreadable is a failure of type custom (E-06)."""
    kinds = {match.group(1) for match in _QA.finditer(text)}
    if len(kinds) != 1:
        return _unreadable_qa("both QA_PASSED and QA_FAILED" if kinds else "neither QA_PASSED nor QA_FAILED", text)
    keyword = next(_QA.finditer(text))
    found = object_after(text[keyword.end() :])
    if isinstance(found, Unreadable):
        return _unreadable_qa(found.problem, text)
    goals = _goals(found.get("goals"))
    if isinstance(goals, Unreadable):
        return _unreadable_qa(goals.problem, text)
    count = found.get("failed_count")
    if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        return _unreadable_qa("failed_count is not a number", text)
    return QaReport(goals, keyword.group(1) == "QA_PASSED", count)


def _goals(value: object) -> tuple[GoalResult, ...] | Unreadable:
    if not isinstance(value, list) or not value:
        return Unreadable("goals is not a list with entries")
    goals: list[GoalResult] = []
    for each in cast("list[object]", value):
        entry = cast("dict[str, object]", each) if isinstance(each, dict) else {}
        goal, status = entry.get("goal"), str(entry.get("status", "")).upper()
        if not isinstance(goal, str) or not goal or status not in GoalStatus.__members__:
            return Unreadable("a goal needs `goal` and `status` PASS, FAIL, SKIP or NOT_MEASURED")
        goals.append(GoalResult(goal, GoalStatus[status], _text(entry.get("output")), _text(entry.get("signature"))))
    return tuple(goals)


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _unreadable_qa(problem: str, text: str) -> QaReport:
    failure = GoalResult("custom", GoalStatus.FAIL, text.strip()[-2000:], f"custom:unreadable QA message: {problem}")
    return QaReport((failure,), claimed_passed=False, problem=problem)


def qa_message(goals: tuple[GoalResult, ...]) -> str:
    """The message andon's own QA runner posts, as JSON (X-17)."""
    report = QaReport(goals, claimed_passed=True)
    passed = not report.verdict.blocks
    entries = [
        {"goal": each.goal, "status": each.status.value, "output": each.output}
        | ({} if passed else {"signature": each.signature})
        for each in goals
    ]
    body: dict[str, object] = {"goals": entries} if passed else {"goals": entries, "failed_count": len(report.failures)}
    return f"{'QA_PASSED' if passed else 'QA_FAILED'}: {json.dumps(body, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class Completed:
    iterations: int
    files_changed: tuple[str, ...]
    test_results: str
    build_results: str
    lint_results: str
    self_review: str


@dataclass(frozen=True, slots=True)
class Failed:
    iterations: int
    remaining_issues: tuple[str, ...]
    last_attempt: str
    recommendation: str
    red_flags: tuple[str, ...] = ()


_IMPLEMENTATION = re.compile(r"^[ \t>*`#-]*(IMPLEMENTATION_COMPLETED|IMPLEMENTATION_FAILED)\s*:", re.MULTILINE)


def read_implementation(text: str) -> Completed | Failed | Unreadable:
    """The impl-manager's final message (A-86, A-87). Unreadable is not completed: it is asked again."""
    kinds = {match.group(1) for match in _IMPLEMENTATION.finditer(text)}
    if len(kinds) != 1:
        return Unreadable("both completed and failed" if kinds else "no IMPLEMENTATION_COMPLETED or _FAILED message")
    keyword = next(_IMPLEMENTATION.finditer(text))
    found = object_after(text[keyword.end() :])
    if isinstance(found, Unreadable):
        return found
    try:
        if keyword.group(1) == "IMPLEMENTATION_COMPLETED":
            return Completed(
                _iterations(found),
                _strings(found, "files_changed"),
                *(_string(found, key) for key in ("test_results", "build_results", "lint_results", "self_review")),
            )
        return Failed(
            _iterations(found),
            _strings(found, "remaining_issues"),
            _string(found, "last_attempt"),
            _string(found, "recommendation"),
            _strings(found, "red_flags") if "red_flags" in found else (),
        )
    except ValueError as problem:
        return Unreadable(str(problem))


def _iterations(found: Mapping[str, Any]) -> int:
    value = found.get("iterations")
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("iterations must be a whole number from 1")
    return value


def _string(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text")
    return value


def _strings(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = found.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in cast("list[object]", value)):
        raise ValueError(f"{key} must be a list of texts")
    return tuple(cast("list[str]", value))
