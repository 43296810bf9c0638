"""The forms replies must have: what an agent is told about its answer, and how the answer is read into a type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from andon.domain.assignment import ContractError
from andon.domain.auto.complexity import Judgement
from andon.domain.auto.context import Part, headings_of, read_drafts, read_parts
from andon.domain.auto.messages import Completed, Failed, read_implementation
from andon.domain.auto.quality import Quality, read_quality
from andon.domain.grammar import (
    ArchitectReply,
    CriticReply,
    Diagnosis,
    Unreadable,
    VerifierReply,
    read_architect,
    read_critic,
    read_diagnosis,
    read_gap,
    read_object,
    read_repetitions,
    read_verifier,
)


@dataclass(frozen=True, slots=True)
class FreeText:
    """Any text; also none at all, where the work is in the files."""

    instruction: str = ""
    retries: int = 0

    def parse(self, text: str) -> str:
        return text.strip()


@dataclass(frozen=True, slots=True)
class Scouting:
    """What was found before planning, and how big the task looks."""

    summary: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class ScoutingForm:
    retries: int = 1
    instruction: str = """End your answer with one fenced JSON object:
```json
{"files": ["path"], "files_reason": "one line",
 "new_pattern": false, "pattern_reason": "one line",
 "new_dependency": false, "dependency_reason": "one line",
 "modules": ["name"], "modules_reason": "one line"}
```"""

    def parse(self, text: str) -> Scouting:
        found = read_object(text)
        if isinstance(found, Unreadable):
            raise ContractError(f"the JSON object at the end is missing: {found.problem}")
        judgement = Judgement(
            files=_strings(found, "files"),
            new_pattern=_flag(found, "new_pattern"),
            new_dependency=_flag(found, "new_dependency"),
            modules=_strings(found, "modules"),
            files_reason=str(found.get("files_reason", "")),
            pattern_reason=str(found.get("pattern_reason", "")),
            dependency_reason=str(found.get("dependency_reason", "")),
            modules_reason=str(found.get("modules_reason", "")),
        )
        return Scouting(text.partition("```")[0].strip().partition("\n{")[0].strip(), judgement)


@dataclass(frozen=True, slots=True)
class VerdictForm:
    """APPROVE or REJECT on the first line; anything else is a REJECT, so it is not asked for again (E-06)."""

    retries: int = 0
    instruction: str = (
        "The first line of your answer is exactly `VERDICT: APPROVE` or `VERDICT: REJECT`. "
        "After it come the reasons; for a rejection, each with file, place and what has to change."
    )

    def parse(self, text: str) -> VerifierReply:
        return read_verifier(text)


@dataclass(frozen=True, slots=True)
class CriticForm:
    """APPROVE or REVISE on the first line; anything else is a REVISE (A-46, A-52)."""

    retries: int = 0
    instruction: str = (
        "The first line of your answer is exactly `VERDICT: APPROVE` or `VERDICT: REVISE`. After it one line for each "
        "gate, `QG1: PASS` or `QG1: FAIL` with the reason; for REVISE then what has to change, concretely."
    )

    def parse(self, text: str) -> CriticReply:
        return read_critic(text)


@dataclass(frozen=True, slots=True)
class ArchitectForm:
    """A verdict and the domain of what is wrong; anything else is a REJECT, domain other (A-92, E-06)."""

    retries: int = 0
    instruction: str = (
        "The first line of your answer is exactly `VERDICT: APPROVE` or `VERDICT: REJECT`, the second "
        "`DOMAIN: ` and one of UI, build, test, security, logic, other. After them the reasons; for a rejection, each "
        "with file, place and how to mend it."
    )

    def parse(self, text: str) -> ArchitectReply:
        return read_architect(text)


@dataclass(frozen=True, slots=True)
class ImplementationForm:
    """The impl-manager's word. Strict: what cannot be read is asked for again, and never counts as completed (A-86)."""

    retries: int = 1
    instruction: str = """Your answer is one of these two messages, with nothing after it:
IMPLEMENTATION_COMPLETED: {"iterations": 1, "files_changed": ["path"], "test_results": "…", "build_results": "…", \
"lint_results": "…", "self_review": "…"}
IMPLEMENTATION_FAILED: {"iterations": 1, "remaining_issues": ["…"], "last_attempt": "…", "recommendation": "…", \
"red_flags": []}"""

    def parse(self, text: str) -> Completed | Failed:
        found = read_implementation(text)
        if isinstance(found, Unreadable):
            raise ContractError(found.problem)
        return found


@dataclass(frozen=True, slots=True)
class DiagnosisForm:
    """Three labels. What lacks one is still a diagnosis, which says what it lacks; asking again is the pipeline's."""

    retries: int = 0
    instruction: str = """Your answer has exactly these three parts:
DIAGNOSIS: the cause, in one line
FIX_GUIDE: what to change, by file and line; no "try things"
DOMAIN: one of UI, build, test, security, logic, other"""

    def parse(self, text: str) -> Diagnosis:
        return read_diagnosis(text)


@dataclass(frozen=True, slots=True)
class Gap:
    rate: float
    """Per cent."""
    text: str


@dataclass(frozen=True, slots=True)
class GapForm:
    retries: int = 1
    instruction: str = "The last line of your answer is `GAP: NN%`, the match rate from 0 to 100."

    def parse(self, text: str) -> Gap:
        rate = read_gap(text)
        if rate is None:
            raise ContractError("there is no match rate")
        return Gap(rate, text.strip())


@dataclass(frozen=True, slots=True)
class QualityForm:
    retries: int = 1
    instruction: str = """End your answer with one fenced JSON object; `findings` is empty when there is nothing:
```json
{"findings": [{"severity": "critical|major|minor", "file": "path", "line": 1, "problem": "…", "fix": "…"}]}
```
Critical is only what must not be shipped: a vulnerability, lost data, a crash in ordinary use."""

    def parse(self, text: str) -> Quality:
        found = read_quality(text)
        if isinstance(found, Unreadable):
            raise ContractError(found.problem)
        return found


@dataclass(frozen=True, slots=True)
class RepetitionsForm:
    """How often the iterator went round. Unreadable means once: it has used its turn all the same."""

    retries: int = 0
    instruction: str = "The last line of your answer is `REPETITIONS: N`: how many rounds you made."

    def parse(self, text: str) -> int:
        return read_repetitions(text)


@dataclass(frozen=True, slots=True)
class PartsForm:
    """An analysis in parts, each below its own heading."""

    parts: tuple[Part, ...]
    retries: int = 1

    @property
    def instruction(self) -> str:
        return f"Answer with these headings, all of them, in this order:\n{headings_of(self.parts)}"

    def parse(self, text: str) -> dict[str, str]:
        found = read_parts(text, self.parts)
        if missing := [part.title.en for part in self.parts if not found.get(part.key)]:
            raise ContractError(f"nothing stands below the heading: {', '.join(missing)}")
        return found


@dataclass(frozen=True, slots=True)
class DraftsForm:
    """One reply for each of so many mails."""

    count: int
    retries: int = 1

    @property
    def instruction(self) -> str:
        return (
            f"Answer with one heading for each of the {self.count} mails, `## Draft 1` and so on; below it the reply."
        )

    def parse(self, text: str) -> tuple[str, ...]:
        found = read_drafts(text, self.count)
        if missing := [str(number) for number in range(1, self.count + 1) if not found.get(number)]:
            raise ContractError(f"there is no draft for mail {', '.join(missing)}")
        return tuple(found[number] for number in range(1, self.count + 1))


def _strings(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = found.get(key, [])
    if not isinstance(value, list):
        raise ContractError(f"`{key}` must be a list of texts")
    return tuple(str(each) for each in cast("list[object]", value))


def _flag(found: Mapping[str, Any], key: str) -> bool:
    value = found.get(key, False)
    if not isinstance(value, bool):
        raise ContractError(f"`{key}` must be true or false")
    return value


TEXT = FreeText()
SCOUTING = ScoutingForm()
VERDICT = VerdictForm()
CRITIC = CriticForm()
ARCHITECT = ArchitectForm()
IMPLEMENTATION = ImplementationForm()
DIAGNOSIS = DiagnosisForm()
GAP = GapForm()
QUALITY = QualityForm()
REPETITIONS = RepetitionsForm()
