"""The five conditions an implementation is measured by, and andon's own word on them (A-76 to A-82, A-86, A-87).

Judged on what andon measured; of the agent's message only its self-review is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass

from andon.domain.auto.findings import FindingKind, OpenFinding, check_findings
from andon.domain.auto.messages import Completed, Failed
from andon.domain.goal import Goal
from andon.domain.promises import unkept
from andon.domain.verdict import CheckResult, Verdict

NAMES = {1: "every item of the design", 2: "build", 3: "tests", 4: "lint and types", 5: "self-review"}
MEASURED = {"build": 2, "test": 3, "lint": 4, "typecheck": 4}
"""The condition each goal belongs to."""
COMPARED = ("lint", "typecheck")
"""Goals in which only what the change adds counts. Tests and build have to hold, whatever the base is like."""
_LINTER = (
    r"(?:\b(?:lint\w*|ruff|flake8|pylint|mypy|pyright|eslint|tsc|clippy|checkstyle"
    r"|typecheck\w*|typ(?:e|ing)[- ](?:check|error)\w*)\b|go vet|린트|린터|타입\s*(?:체크|검사|오류|에러))"
)
_MENDING = (
    r"(?:\b(?:fix(?:e[sd]|ing)?|mend\w*|repair\w*|clean(?:s|ed|ing)?|resolv\w+|remov\w+(?! it\b)|eliminat\w+|get rid)\b"
    r"|고[치친칠칩침쳐]|수정|없[애앤앨앱]|해결|정리|제거)"
)
_BETWEEN = r"(?:(?![.!?]\s|\n).){0,60}?"
_MENDS_THE_LINTER = re.compile(
    rf"{_LINTER}{_BETWEEN}{_MENDING}|{_MENDING}{_BETWEEN}{_LINTER}"
    rf"|\b(?:make|get)\s+(?:the\s+)?{_LINTER}\s+(?:to\s+)?(?:pass|green|happy|quiet)\b"
    r"|\bno (?:rules for a )?(?:linter|type checker)\b|\b(?:lint|typecheck):\S*[./]\S",
    re.IGNORECASE,
)
"""A word of mending near one for linters or types; that there is none; or a failure by the name andon gives it."""


@dataclass(frozen=True, slots=True)
class Unmet:
    condition: int
    """1 to 5; 0 for a rule that is no condition: a red flag, a deleted test, a word of hope."""
    text: str
    findings: tuple[OpenFinding, ...] = ()
    """What a person would have to accept for it not to count."""

    def __str__(self) -> str:
        return f"condition {self.condition} ({NAMES[self.condition]}): {self.text}" if self.condition else self.text


def speaks_of_linters(text: str) -> bool:
    return re.search(_LINTER, text, re.IGNORECASE) is not None


def asks_to_mend(task: str) -> bool:
    """Whether a task is to mend what linter or types say: then what the base fails with is what there is to do."""
    return _MENDS_THE_LINTER.search(task) is not None


def unmet_conditions(
    wanted: Iterable[str], changed: Collection[str], goals: Sequence[Goal], results: Sequence[CheckResult]
) -> tuple[Unmet, ...]:
    """Conditions 1 to 4, by files and checks. `wanted` are the files the design says will be changed."""
    found = [Unmet(1, finding.text, (finding,)) for finding in unkept(wanted, changed)]
    untested = next((goal for goal in goals if goal.name == "test" and goal.settled and goal.fix), None)
    if untested is not None:
        text = f"{untested.reason}; {untested.fix}"
        found.append(Unmet(3, text, (OpenFinding(FindingKind.CHECK, "no tests", text),)))
    for result in results:
        if result.verdict.blocks and result.goal in MEASURED:
            found.append(Unmet(MEASURED[result.goal], _failure(result), check_findings(result)))
    return tuple(found)


def _failure(result: CheckResult) -> str:
    named = "; ".join(result.signatures[:5]) or result.reason
    return f"{result.goal} {str(result.verdict).replace('_', ' ')}: {named}"


def feedback(unmet: Sequence[Unmet], results: Sequence[CheckResult], most: int) -> str:
    """What the next iteration is told: each thing that is wrong, then what the failed checks printed, of each so
    many characters."""
    lines = [f"- {each}" for each in unmet]
    outputs = [
        f"{result.goal} (`{' '.join(result.command)}`):\n{result.shown(most)}"
        for result in results
        if result.verdict.blocks and result.goal in MEASURED and result.output.strip()
    ]
    return "\n\n".join(["\n".join(lines), *outputs])


def completed_message(iterations: int, files: Sequence[str], results: Sequence[CheckResult], self_review: str) -> str:
    """IMPLEMENTATION_COMPLETED with andon's evidence in the place of the agent's (A-82)."""
    evidence = {number: _evidence(results, number) for number in (2, 3, 4)}
    message = Completed(iterations, tuple(files), evidence[3], evidence[2], evidence[4], self_review.strip())
    return f"IMPLEMENTATION_COMPLETED: {json.dumps(asdict(message), ensure_ascii=False)}"


def _evidence(results: Sequence[CheckResult], condition: int) -> str:
    of_it = [result for result in results if MEASURED.get(result.goal) == condition]
    return "; ".join(_in_words(result) for result in of_it) or "nothing to measure"


def _in_words(result: CheckResult) -> str:
    verdict = str(result.verdict).replace("_", " ")
    if result.verdict is Verdict.NOT_NEEDED or not result.command or (result.reason and not result.verdict.blocks):
        return f"{result.goal}: {verdict} ({result.reason})"
    last = next((line.strip(" =") for line in reversed(result.output.splitlines()) if line.strip(" =")), "")
    return f"{result.goal}: {verdict} ({' '.join(result.command)}) {last[:160]}".rstrip()


def failed_message(iterations: int, unmet: Sequence[Unmet], last: Failed | None) -> str:
    """IMPLEMENTATION_FAILED as andon saw it; the agent's advice is kept, its list of issues is not (A-87)."""
    message = Failed(
        iterations,
        tuple(str(each) for each in unmet),
        last.last_attempt if last else "",
        last.recommendation if last else "",
        tuple(each.text for each in unmet if each.condition == 0),
    )
    return f"IMPLEMENTATION_FAILED: {json.dumps(asdict(message), ensure_ascii=False)}"
