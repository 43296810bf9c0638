"""Rework played as a whole: a verification that fails once, twice, three times, always (S-27)."""

from __future__ import annotations

from typing import Any

import pytest

from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.states import ReviewState
from floor import Floor
from task_floor import Person, documents, ending, objecting, working

TYPE = TaskType.WORKFLOW
ALWAYS = range(1, 41)


def played(floor: Floor, objections: range, person: Person) -> dict[str, Any]:
    """Phase 1 to its end. In phase 2 the agent has nothing more to say, which ends the run."""
    [(path, text)] = documents(TYPE, 1).items()
    agent = [working(call, 1, {path: f"{text}\nEdition {call}.\n"}) for call in range(1, 9)]
    rejects = [objecting(TYPE, 1, objections)] if objections else []
    return ending(floor, TYPE, *agent, *rejects, person=person)


def verified(floor: Floor) -> list[bool]:
    return [each["passed"] for each in floor.told("phase_verified") if each["number"] == 1]


def order_of(floor: Floor, *kinds: str) -> list[str]:
    """What happened in phase 1, in order."""
    entries = floor.store.journal.entries("r1")
    return [each.kind for each in entries if each.kind in kinds and each.phase == "planning"]


@pytest.mark.parametrize("failures", [0, 1, 2, 3])
def test_S_27_X_48_G_19_a_verification_that_fails_so_often_is_reviewed_after_as_many_reworks(
    floor: Floor, failures: int
) -> None:
    person = Person()

    played(floor, range(1, failures + 1), person)

    # Then the agent worked once and mended as often as it failed, told each time what (D-73, G-19)
    assert verified(floor) == [False] * failures + [True]
    assert [each["attempt"] for each in floor.told("rework")] == list(range(1, failures + 1))
    assert [each["reasons"] for each in floor.told("rework")] == [["C1-05: not good: C1-05"]] * failures
    for each in floor.told("phase_verified"):
        assert {"passed", "criteria", "report"} <= each.keys()
        assert all(row.keys() == {"id", "passed", "detail"} for row in each["criteria"])
    steps = ("phase_verified", "rework", "review_decided")
    assert order_of(floor, *steps) == ["phase_verified", "rework"] * failures + ["phase_verified", "review_decided"]
    # and a person saw only what passed: what the last rework left
    [review] = person.seen
    assert (review.phase, review.verified, person.asked) == (1, True, [])
    written = (floor.tree / review.deliverables[0]).read_text()
    assert f"Edition {failures + 1}." in written


def test_S_27_D_74_what_always_fails_is_told_to_a_person_who_stops_it(floor: Floor) -> None:
    person = Person(stuck="stop")

    found = played(floor, ALWAYS, person)

    # Then three reworks, four verifications, a notice, one question with both ways out, and no review
    assert verified(floor) == [False] * 4
    assert [each["attempt"] for each in floor.told("rework")] == [1, 2, 3]
    [notice] = floor.told("user_notified")
    assert "Phase 1 (planning) still fails its verification after 3 reworks" in notice["text"]
    [asked] = person.asked
    assert asked.question.options == ("review", "stop") and asked.question.text == notice["text"]
    assert (found["status"], found["reason"], person.seen) == ("failed", "verification", [])
    assert floor.told("checkpoint")[-1]["reason"] == "error"


def test_S_27_D_74_what_always_fails_is_looked_at_by_a_person_and_counts_anew(floor: Floor) -> None:
    # Given a person who looks themselves, wants it otherwise, looks once more, and takes it as it is
    person = Person(["Name the services"], stuck="review")

    played(floor, ALWAYS, person)

    # Then the reworks are counted anew after the person spoke, and both reviews show that it failed
    assert [each["attempt"] for each in floor.told("rework")] == [1, 2, 3, 1, 2, 3]
    notices = [each["text"] for each in floor.told("user_notified") if "still fails" in each["text"]]
    assert [each.question.text for each in person.asked] == notices and len(notices) == 2
    assert [each.verified for each in person.seen] == [False, False]
    assert ["C1-05 does not hold." in each.report for each in person.seen] == [True, True]
    decided = [each["status"] for each in floor.told("review_decided")]
    assert decided == [str(ReviewState.CHANGES_REQUESTED), str(ReviewState.APPROVED)]  # G-44: two reviews, both kept
    entered = [each.phase for each in floor.store.journal.entries("r1") if each.kind == "phase_entered"]
    assert entered == ["planning", "design"]
