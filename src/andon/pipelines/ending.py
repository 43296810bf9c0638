"""How a leg ends that does not come to an end of its own: stopped, out of budget, let down, blocked, or by a bug.

What every pipeline tells of that is here; the ends of its own flow are its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from types import MappingProxyType
from typing import Protocol

from andon.domain.language import Language, Wording, fill
from andon.domain.run import Blocked, BudgetSpent, Bug, Ending, Status, Stopped, TeammateFailed
from andon.ports import Run

WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "stopped": Wording(
            "사용자가 중지했습니다. `{resume}`으로 이어갑니다.", "Stopped by a person; `{resume}` goes on."
        ),
        "budget": Wording(
            "예산을 다 썼습니다: {spent}. 예산을 늘린 뒤 이어가세요.",
            "The budget is used up: {spent}. Raise it and resume.",
        ),
        "bug": Wording("andon 자체가 실패했습니다: {error}", "andon itself failed: {error}"),
    }
)
FOR_A_PERSON = ("unauthenticated", "refused")
"""Outcomes of a teammate that only a person can do something about."""


class Leg(Protocol):
    """What a pipeline carries from phase to phase, as far as an ending needs it."""

    @property
    def run(self) -> Run: ...
    @property
    def language(self) -> Language: ...
    async def notify(self, text: str) -> None: ...


async def ending_of(leg: Leg, flow: Awaitable[Ending], resume: str = "andon resume") -> Ending:
    """Of the flow itself, or of whatever broke it off. `resume` is the command that goes on after a stop."""
    try:
        return await flow
    except Stopped:
        return Ending(Status.STOPPED, "stopped", _word(leg, "stopped", resume=resume))
    except BudgetSpent as spent:
        return await _told(leg, Status.NEEDS_PERSON, "budget", _word(leg, "budget", spent=spent))
    except TeammateFailed as failure:
        status = Status.NEEDS_PERSON if failure.outcome in FOR_A_PERSON else Status.FAILED
        return await _told(leg, status, f"teammate_{failure.outcome}", str(failure))
    except Blocked as blocked:
        return await _told(leg, Status.NEEDS_PERSON, "blocked", str(blocked))
    except Bug as bug:
        await leg.run.say("bug", error=str(bug), traceback=bug.traceback)
        return Ending(Status.FAILED, "bug", _word(leg, "bug", error=bug))


async def _told(leg: Leg, status: Status, reason: str, text: str) -> Ending:
    await leg.notify(text)
    return Ending(status, reason, text)


def _word(leg: Leg, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], leg.language.value), key, values)
