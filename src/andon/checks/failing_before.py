"""What of failed tests is the change's doing: a test that fails on the base too is not held against the change.

Only where andon's own reporter told of every test on both sides. Runs nothing.
"""

from __future__ import annotations

from dataclasses import replace

from andon.domain.testing import TestReport
from andon.domain.trial import Tried
from andon.domain.verdict import CheckResult, Verdict

MOST_NAMED = 3


def tests_compared(before: Tried, now: Tried) -> CheckResult:
    """`now` as far as it differs from `before`, the same command on the base."""
    then, told = before.report, now.report
    if then is None or told is None or not _whole(before, then) or not _whole(now, told):
        return _untold(before, now)
    if now.result.exits != before.result.exits or not told.passed or not told.failed:
        return now.result
    known = {*then.failed}
    fresh = [id for id in told.failed if id not in known]
    inherited = len(told.failed) - len(fresh)
    if fresh:
        others = f"; {inherited} more {'fail' if inherited > 1 else 'fails'} on the base too" if inherited else ""
        return replace(now.result, reason=f"{_some(fresh)} {'fails' if len(fresh) == 1 else 'fail'}{others}")
    one = "the only test that fails fails" if inherited == 1 else f"all {inherited} tests that fail do so"
    return replace(now.result, verdict=Verdict.PASSED, reason=f"nothing new: {one} on the base too", signatures=())


def _untold(before: Tried, now: Tried) -> CheckResult:
    """Where nobody told of single tests, a base that fails in the very same way makes the failure say nothing."""
    then, present = before.result, now.result
    failed = then.verdict is present.verdict is Verdict.FAILED
    broken = then.environment_error or present.environment_error or _tells(before.report) or _tells(now.report)
    if broken or not failed or (then.exits, then.signatures) != (present.exits, present.signatures):
        return present
    why = f"{present.reason}; the base fails in the very same way, so this says nothing about the change"
    return replace(present, verdict=Verdict.NOT_MEASURED, reason=why)


def _tells(report: TestReport | None) -> bool:
    return report is not None and bool(report.outcomes or report.forged)


def _whole(tried: Tried, report: TestReport) -> bool:
    """Every test was found, was run, and told how it ended."""
    result = tried.result
    told = report.finished and not (report.forged or report.problems or report.unfinished)
    return told and result.verdict is Verdict.FAILED and not result.environment_error


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:MOST_NAMED]) + (f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else "")
