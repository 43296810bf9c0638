"""Reviews of phases: one for a task and phase at a time, decided once, by whoever saw what it is now."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from andon.app.queries import open_store
from andon.app.store import Store
from andon.domain.errors import Conflict, UserError
from andon.domain.order import Question
from andon.domain.tasks.reviews import Comment, Decision, Review, assigned
from andon.domain.tasks.states import ReviewState

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
REVIEW = Review("r1.1.7", "r1", 1, "tree", NOW, "base", ("docs/a.md",))
FOUND = {"passed": True, "criteria": [], "report": "Fine."}
AS_SEEN = Decision("ada", NOW, 1, "tree", "Well done", (Comment("docs/a.md", "This line", 3),))
APPROVED, CHANGES = ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store({"ANDON_HOME": str(tmp_path)})
    common = {"created_at": 1.0, "pipeline": "task", "task": "t", "feature": "f", "repository": "/r", "branch": "b"}
    store.runs.create("r1", {**common, "spec": {}})
    store.holds.open("r1/1.7", "r1", Question("Phase 1?", category="review"))
    store.reviews.open("r1/1.7", REVIEW, FOUND)
    return store


def test_D_99_D_100_a_second_review_of_the_same_phase_is_the_first_one(store: Store) -> None:
    again = store.reviews.open("r1/1.9", replace(REVIEW, id="r1.1.9", tree="other"), FOUND)

    assert again.id == REVIEW.id and [each.id for each in store.reviews.of_run("r1")] == [REVIEW.id]


def test_D_100_a_review_that_outlived_a_stop_is_presented_again_and_wakes_the_new_leg(
    store: Store,
) -> None:
    store.holds.open("r1/2.5", "r1", Question("Phase 1?", category="review"))
    again = store.reviews.open("r1/2.5", replace(REVIEW, id="r1.2.5", tree="other"), FOUND | {"report": "Again."})

    assert (again.id, again.version, again.tree) == (REVIEW.id, 2, "other")
    with pytest.raises(Conflict):
        store.reviews.decide(REVIEW.id, APPROVED, AS_SEEN)
    decided = store.reviews.decide(REVIEW.id, APPROVED, replace(AS_SEEN, version=2, tree="other"))
    hold = store.holds.get("r1/2.5")
    assert decided.report == "Again." and hold is not None and hold.answer == "approved"


def test_D_101_a_decision_is_kept_with_its_comments_and_lets_the_run_go_on(store: Store) -> None:
    store.reviews.decide(REVIEW.id, CHANGES, AS_SEEN)

    kept, hold = store.reviews.get(REVIEW.id), store.holds.get("r1/1.7")
    assert (kept.status, kept.version, kept.decided_by, kept.decided_at) == (CHANGES, 2, "ada", NOW)
    assert kept.comments == AS_SEEN.comments and kept.report == "Fine." and kept.verified
    assert hold is not None and (hold.answer, hold.answered_by) == ("changes_requested", "ada")


@pytest.mark.parametrize("other", [{"version": 2}, {"tree": "another"}])
def test_D_102_who_saw_something_else_has_decided_nothing(store: Store, other: dict[str, Any]) -> None:
    with pytest.raises(Conflict, match="Review was already processed by another user"):
        store.reviews.decide(REVIEW.id, APPROVED, replace(AS_SEEN, **other))

    hold = store.holds.get("r1/1.7")
    assert store.reviews.get(REVIEW.id).pending and hold is not None and hold.open


def test_D_103_a_decided_review_stays_decided(store: Store) -> None:
    store.reviews.decide(REVIEW.id, APPROVED, AS_SEEN)

    with pytest.raises(UserError, match="Review already approved"):
        store.reviews.decide(REVIEW.id, APPROVED, replace(AS_SEEN, version=2))
    with pytest.raises(UserError, match="Invalid review state"):
        store.reviews.decide(REVIEW.id, CHANGES, replace(AS_SEEN, version=2))


def test_D_101_of_many_who_decide_at_once_exactly_one_wins(store: Store) -> None:
    ends: list[str] = []

    def decide(number: int) -> None:
        try:
            wanted = APPROVED if number % 2 else CHANGES
            ends.append(store.reviews.decide(REVIEW.id, wanted, replace(AS_SEEN, by=f"p{number}")).decided_by)
        except UserError:
            ends.append("")

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    [winner] = [each for each in ends if each]
    assert len(ends) == 40 and store.reviews.get(REVIEW.id).decided_by == winner


def test_D_104_another_reviewer_is_another_version(store: Store) -> None:
    store.reviews.change(REVIEW.id, lambda review: assigned(review, "bob"))

    assert (store.reviews.get(REVIEW.id).reviewer, store.reviews.get(REVIEW.id).version) == ("bob", 2)
    with pytest.raises(Conflict):
        store.reviews.decide(REVIEW.id, APPROVED, AS_SEEN)


def test_D_101_an_unknown_review_is_named(store: Store) -> None:
    with pytest.raises(UserError, match=r"Review not found: r9"):
        store.reviews.decide("r9", APPROVED, AS_SEEN)
    with pytest.raises(UserError, match=r"Review not found: r9"):
        store.reviews.verification("r9")
    assert store.reviews.verification(REVIEW.id) == FOUND and [each.id for each in store.reviews.pending()] == [
        REVIEW.id
    ]
