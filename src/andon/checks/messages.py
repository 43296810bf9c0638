"""The QA messages the check phase posts, in the words other programs already read, as JSON.

Reports what was measured. Reading such messages back is somebody else's work.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from andon.domain.verdict import CheckResult, Verdict

# A goal that could not be run is neither SKIP (which would let it pass) nor FAIL (nothing was seen to fail).
STATUS = {
    Verdict.PASSED: "PASS",
    Verdict.FAILED: "FAIL",
    Verdict.NOT_NEEDED: "SKIP",
    Verdict.NOT_MEASURED: "NOT_MEASURED",
}
OUTPUT_CHARACTERS = 2000


def passed(results: Sequence[CheckResult]) -> bool:
    """Nothing at all measured is no success."""
    return bool(results) and not any(result.verdict.blocks for result in results)


def failed_count(results: Sequence[CheckResult]) -> int:
    return sum(result.verdict is Verdict.FAILED for result in results)


def qa_message(results: Sequence[CheckResult]) -> str:
    ok = passed(results)
    goals = [_goal(result, with_signature=not ok) for result in results]
    if ok:
        return "QA_PASSED: " + json.dumps({"goals": goals}, ensure_ascii=False)
    body = {
        "goals": goals,
        "failed_count": failed_count(results),
        "not_measured_count": sum(result.verdict is Verdict.NOT_MEASURED for result in results),
    }
    return "QA_FAILED: " + json.dumps(body, ensure_ascii=False)


def _goal(result: CheckResult, *, with_signature: bool) -> dict[str, str]:
    said = result.output[-OUTPUT_CHARACTERS:] if result.output else result.reason
    entry = {"goal": result.goal, "status": STATUS[result.verdict], "output": said}
    if result.reason:
        entry["reason"] = result.reason
    if with_signature:
        entry["signature"] = " | ".join(result.signatures)
    return entry
