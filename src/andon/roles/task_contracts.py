"""The forms of replies in tasks: the end of a phase, and what a verifier found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from andon.domain.assignment import ContractError
from andon.domain.grammar import Unreadable
from andon.domain.tasks.criteria import Asked
from andon.domain.tasks.protocol import announced, complete, wrong_phase
from andon.domain.tasks.verification import Verification, read_verification


@dataclass(frozen=True, slots=True)
class PhaseForm:
    """The agent's own line says that the phase is complete (D-69). Nothing is believed because of it."""

    phase: int
    retries: int = 1

    @property
    def instruction(self) -> str:
        return (
            "When everything the phase asks for is there, tell in a few lines what you did, and end your reply with "
            f"this line, alone:\n{complete(self.phase)}"
        )

    def parse(self, text: str) -> str:
        told = announced([text])
        if not told:
            raise ContractError(f"the line `{complete(self.phase)}` is missing: is the phase complete?")
        if problem := wrong_phase(told[-1], self.phase):
            raise ContractError(problem)
        return text.strip()


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """Words, whatever they are; but some."""

    instruction: str = ""
    retries: int = 1

    def parse(self, text: str) -> str:
        if not text.strip():
            raise ContractError("the answer is empty")
        return text.strip()


ANSWER = AnswerForm()


@dataclass(frozen=True, slots=True)
class VerificationForm:
    """What a verifier says of each criterion (G-19)."""

    asked: tuple[Asked, ...]
    retries: int = 1

    @property
    def instruction(self) -> str:
        rows = [{"id": each.id, "passed": True, "detail": "why not, naming file and line"} for each in self.asked[:2]]
        form = json.dumps({"passed": True, "criteria": rows, "report": "What you found, in Markdown"}, indent=1)
        return f"End your answer with one fenced JSON object that has every criterion:\n```json\n{form}\n```"

    def parse(self, text: str) -> Verification:
        told = read_verification(text)
        if isinstance(told, Unreadable):
            raise ContractError(told.problem)
        there = {each.id for each in told.criteria}
        if missing := [each.id for each in self.asked if each.id not in there]:
            raise ContractError(f"criteria without a judgement: {', '.join(missing)}")
        return told


def listed(asked: Sequence[Asked]) -> str:
    """Criteria as prompts have them."""
    return "\n".join(f"- {each.id}: {each.title}" for each in asked)
