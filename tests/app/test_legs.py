"""What earlier legs leave for the next one, read from the journal."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from andon.app.legs import by_hand, checkpoint, team, warnings
from andon.domain.assignment import TeamRecord
from andon.domain.journal import Entry
from andon.domain.order import Usage


def story(*kinds: str) -> list[Entry]:
    return [Entry("r1", number, 0.0, kind) for number, kind in enumerate(kinds, start=1)]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("run_started", "result", "run_ended"), []),
        (("run_started", "run_ended", "taken_over"), [""]),
        (("run_started", "run_ended", "accepted"), [""]),
        (("run_started", "accepted", "run_ended"), []),  # within the leg: it was acted on then
        (("run_started", "run_ended", "taken_over", "run_started", "run_ended"), []),
        ((), []),
    ],
)
def test_a_person_has_acted_only_if_they_did_so_since_the_last_leg(kinds: tuple[str, ...], expected: list[str]) -> None:
    assert by_hand(story(*kinds)) == expected


def test_a_person_has_acted_on_the_files_they_took_over_and_on_no_others() -> None:
    entries = [
        *story("run_started", "run_ended"),
        Entry("r1", 3, 0.0, "taken_over", "do", {"by": "ada", "branch": "writers", "tree": "t"}),
    ]

    assert by_hand(entries) == ["writers"]


def test_A_28_a_later_leg_knows_who_worked_before_and_what_went_wrong() -> None:
    usage = {"input_tokens": 3, "output_tokens": 4, "cached_tokens": 0, "money": 0.5}
    told = {"name": "planner", "usage": usage, "seconds": 2.0}
    entries = [
        Entry("r1", 1, 0.0, "spawn", "plan", {"name": "planner", "role": "planner", "model": "sonnet"}),
        Entry("r1", 2, 0.0, "result", "plan", told),
        Entry("r1", 3, 0.0, "result", "check", {"name": "qa-runner-1", "usage": {}, "seconds": 0.0}),
        Entry("r1", 4, 0.0, "warning", "plan", {"text": "gh is not installed"}),
    ]

    assert team(entries) == (TeamRecord("planner", "planner", "plan", "sonnet", Usage(3, 4, 0, 0.5), 2.0),)
    assert TeamRecord.read(json.loads(json.dumps(asdict(team(entries)[0])))) == team(entries)[0]
    assert warnings(entries) == ["gh is not installed"]


def test_A_28_what_a_stopped_teammate_used_counts_too() -> None:
    usage = {"input_tokens": 3, "output_tokens": 4, "of_a_later_version": 1}
    told = {"name": "executor", "status": "stopped", "usage": usage, "seconds": 2.0}
    entries = [
        Entry("r1", 1, 0.0, "spawn", "do", {"name": "executor", "role": "executor", "model": "sonnet"}),
        Entry("r1", 2, 0.0, "task_update", "do", told),
    ]

    assert team(entries) == (TeamRecord("executor", "executor", "do", "sonnet", Usage(3, 4), 2.0),)


def kept(reason: str, phase: int, step: str = "work") -> Entry:
    return Entry("r1", 1, 0.0, "checkpoint", data={"reason": reason, "phase": phase, "step": step})


@pytest.mark.parametrize("reason", ["manual_pause", "error", "periodic", "rate_limit"])
def test_D_119_a_checkpoint_within_a_phase_is_gone_on_from(reason: str) -> None:
    found = checkpoint([kept("phase_complete", 1), kept(reason, 2, "rework")])

    assert (found["phase"], found["step"]) == (2, "rework")


def test_D_119_after_a_phase_that_is_complete_the_next_one_begins() -> None:
    assert checkpoint([kept("error", 1), kept("phase_complete", 2, "review")]) == {"phase": 3}
    assert checkpoint([]) == {}
