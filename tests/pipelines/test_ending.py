"""What breaks a leg off becomes an ending with a reason, the same in every pipeline (E-18)."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from andon.domain.language import Language
from andon.domain.run import Blocked, BudgetSpent, Bug, Ending, Status, Stopped, TeammateFailed
from andon.pipelines.ending import ending_of
from andon.ports import Run


class Told:
    """A leg that notes what it is made to tell."""

    def __init__(self, language: Language = Language.EN) -> None:
        self.language = language
        self.said: list[tuple[str, dict[str, Any]]] = []

    @property
    def run(self) -> Run:
        return cast("Run", self)

    async def say(self, kind: str, /, **data: Any) -> None:
        self.said.append((kind, data))

    async def notify(self, text: str) -> None:
        await self.say("user_notified", text=text)


def ended(leg: Told, outcome: Ending | Exception) -> Ending:
    async def flow() -> Ending:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return asyncio.run(ending_of(leg, flow(), "andon uam resume"))


STOPPED = "Stopped by a person; `andon uam resume` goes on."
BROKEN_OFF = [
    (Stopped(), Status.STOPPED, "stopped", STOPPED, False),
    (BudgetSpent("$2"), Status.NEEDS_PERSON, "budget", "The budget is used up: $2. Raise it and resume.", True),
    (TeammateFailed("pm", "refused", ""), Status.NEEDS_PERSON, "teammate_refused", "pm: refused", True),
    (TeammateFailed("pm", "unauthenticated", "no key"), Status.NEEDS_PERSON, "teammate_unauthenticated", "pm:", True),
    (TeammateFailed("pm", "crashed", "signal 9"), Status.FAILED, "teammate_crashed", "pm: crashed (signal 9)", True),
    (Blocked("docs is a link"), Status.NEEDS_PERSON, "blocked", "docs is a link", True),
    (Bug("KeyError: x", "line 1"), Status.FAILED, "bug", "andon itself failed: KeyError: x", False),
]


@pytest.mark.parametrize(("broken", "status", "reason", "message", "notified"), BROKEN_OFF)
def test_E_18_whatever_breaks_a_leg_off_has_a_reason_and_is_told(
    broken: Exception, status: Status, reason: str, message: str, notified: bool
) -> None:
    leg = Told()

    ending = ended(leg, broken)

    assert (ending.status, ending.reason) == (status, reason)
    assert ending.message.startswith(message)
    assert [data["text"] for kind, data in leg.said if kind == "user_notified"] == [ending.message] * notified


def test_a_bug_leaves_its_traceback_in_the_journal() -> None:
    leg = Told()

    ended(leg, Bug("KeyError: x", "line 1"))

    assert leg.said == [("bug", {"error": "KeyError: x", "traceback": "line 1"})]


def test_a_flow_that_ends_by_itself_says_nothing_more_and_the_words_are_those_of_the_run() -> None:
    leg = Told(Language.KO)

    assert ended(leg, Ending(Status.DONE, "goal_met", "done")) == Ending(Status.DONE, "goal_met", "done")
    assert leg.said == []
    assert "중지" in ended(leg, Stopped()).message
