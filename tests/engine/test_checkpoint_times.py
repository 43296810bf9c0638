"""Checkpoints that nobody asks for: every ten minutes, and at a rate limit. The clock is given (D-117, D-118, E-16)."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from andon.domain.tasks.checkpoints import INTERVAL
from andon.domain.tasks.phases import TaskType
from floor import Floor
from patience import until
from published import mistakes
from task_floor import documents, ending, working

TYPE = TaskType.WORKFLOW
KEY = "SLACK_TOKEN"
SIX = ("history", "phase", "step", "progress", "variables", "pending", "tokens")
"""Conversation, phase and step, progress, environment, what is left to do, tokens (D-118)."""


class Clock(asyncio.SelectorEventLoop):
    """The loop's own time, which a test can set forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def forward(self, seconds: float) -> None:
        self.ahead += seconds
        self.call_soon_threadsafe(lambda: None)  # whoever waits looks at the clock again


def kept(floor: Floor, reason: str) -> list[dict[str, Any]]:
    return [each for each in floor.told("checkpoint") if each["reason"] == reason]


def with_usage(rule: dict[str, Any], *first: dict[str, Any]) -> dict[str, Any]:
    return {**rule, "do": [*first, *rule["do"]], "usage": {"input_tokens": 700, "output_tokens": 77}}


def held(go: Path) -> dict[str, Any]:
    """The agent waits in the middle of its work until the test lets it go on."""
    waits = f"n=0; until [ -e {go} ]; do n=$((n+1)); [ $n -lt 1800 ] || exit 1; sleep 0.05; done"
    return {"run": {"command": waits}}


def test_D_117_D_118_E_16_while_an_agent_works_a_checkpoint_is_kept_every_ten_minutes(
    floor: Floor, tmp_path: Path
) -> None:
    # Given an agent that is at work in phase 2 for as long as we like, on a clock of ours
    clock, go = Clock(), tmp_path / "go"
    floor.clock, floor.deadline, floor.variables = (lambda: clock), 100 * INTERVAL, {KEY: "sesame-9f8e7d6c"}
    rules = [with_usage(working(1, 1, documents(TYPE, 1))), with_usage(working(2, 2, documents(TYPE, 2)), held(go))]
    counts: list[int] = []

    def time_passes() -> None:
        try:
            until("work", lambda: [e for e in floor.told("step_started") if e["name"] == "01_diagram"])
            for count in (1, 2):
                counts.append(len(kept(floor, "periodic")))
                clock.forward(INTERVAL)
                until(f"checkpoint {count}", lambda count=count: len(kept(floor, "periodic")) == count, 30)
        finally:
            go.touch()

    # When twice ten minutes pass
    passing = threading.Thread(target=time_passes)
    passing.start()
    ending(floor, TYPE, *rules)
    passing.join(30)

    # Then there is one checkpoint for each, with everything somebody needs to go on
    assert counts == [0, 1] and len(kept(floor, "periodic")) == 2
    for each in kept(floor, "periodic"):
        assert each.keys() >= {*SIX, "tree"}
        assert (each["phase"], each["step"], each["progress"]) == (2, "work", 0.25)
        assert each["history"]["task-agent"] and each["tokens"] >= 777 and each["pending"][0] == "work"
        assert each["variables"] == [KEY]


def test_D_117_D_118_a_rate_limit_keeps_one_checkpoint_before_the_agent_rests(floor: Floor, tmp_path: Path) -> None:
    # Given a provider that wants a pause in phase 1, and a secret that a person gave
    floor.variables = {KEY: "sesame-9f8e7d6c"}
    limited = {"match": {"name": "task-agent", "call": 1, "attempt": 1}, "do": [{"rate_limit": {"resets_in": 0.2}}]}

    ending(floor, TYPE, limited, working(1, 1, documents(TYPE, 1)))

    # Then one checkpoint says so, after it is known when it goes on and before it does (D-124)
    entries = floor.store.journal.entries("r1")
    kinds = [each.kind for each in entries if each.kind in ("rate_limited", "checkpoint", "phase_verified")]
    assert kinds[:3] == ["rate_limited", "checkpoint", "phase_verified"]
    [only] = kept(floor, "rate_limit")
    assert mistakes("checkpoint", only) == []
    assert only.keys() >= {*SIX, "tree"} and (only["phase"], only["step"], only["progress"]) == (1, "work", 0.0)
    assert (tmp_path / "run" / only["history"]["task-agent"]).is_dir()  # no session yet: what it said lies there
    assert only["variables"] == [KEY] and "phase_complete" in [each["reason"] for each in floor.told("checkpoint")]
