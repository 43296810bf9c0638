"""Reviews: opened once, decided once; the ladder of those that wait; statistics and feedback."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.language import Language
from andon.domain.tasks.metrics import Conversation, Feedback, Metrics, feedback_problem, metrics
from andon.domain.tasks.reminders import (
    AUTO_APPROVED_COMMENT,
    LADDER,
    Stage,
    To,
    delay,
    due,
    message,
    next_at,
    rung,
    switched_on,
)
from andon.domain.tasks.reviews import (
    ACTIONS,
    CONFLICT,
    SYSTEM,
    Comment,
    Decision,
    Kind,
    Refusal,
    Review,
    approved,
    assigned,
    change_requests,
    changes_requested,
    feedback_text,
    not_found,
    opened,
    statistics,
)
from andon.domain.tasks.states import ReviewState

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
REVIEW = Review("r1", "t1", 2, "tree-1", START, ("docs/design/01_screen.md",), "fine")


def decision(by: str = "kim", version: int = 1, tree: str = "tree-1", comment: str = "") -> Decision:
    return Decision(by, START + timedelta(hours=1), version, tree, comment)


def after(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def test_D_100_G_36_a_review_that_is_open_is_taken_again() -> None:
    new = replace(REVIEW, id="r2")

    assert opened([], new) is new
    assert opened([REVIEW], new) is REVIEW
    assert opened([replace(REVIEW, status=ReviewState.CHANGES_REQUESTED)], new) is new
    assert opened([replace(REVIEW, phase=1), replace(REVIEW, task="t2")], new) is new


def test_D_101_an_approval_names_who_when_and_counts_the_version() -> None:
    found = approved(REVIEW, decision(comment="good"))

    assert isinstance(found, Review)
    assert (found.status, found.decided_by, found.comment, found.version) == (ReviewState.APPROVED, "kim", "good", 2)
    assert found.decided_at == after(1)
    assert not found.auto_approved


def test_D_101_D_102_S_22_of_two_approvals_one_wins() -> None:
    first = approved(REVIEW, decision("kim"))

    assert isinstance(first, Review)
    assert approved(first, decision("lee")) == Refusal(Kind.STATE, "Review already approved")
    assert not_found("r9") == "Review not found: r9"


@pytest.mark.parametrize("stale", [decision(version=0), decision(version=2), decision(tree="tree-2")])
def test_D_102_a_stale_version_or_other_files_are_a_conflict(stale: Decision) -> None:
    assert approved(REVIEW, stale) == CONFLICT
    assert changes_requested(REVIEW, stale) == CONFLICT
    assert CONFLICT.message == "Review was already processed by another user"


def test_D_103_a_request_for_changes_keeps_the_feedback_and_a_decided_review_refuses_it() -> None:
    found = changes_requested(REVIEW, decision(comment="F"))

    assert isinstance(found, Review)
    assert (found.status, found.comment, found.version) == (ReviewState.CHANGES_REQUESTED, "F", 2)
    assert changes_requested(found, decision(version=2)) == Refusal(Kind.STATE, "Invalid review state")
    assert approved(found, decision(version=2)) == Refusal(Kind.STATE, "Review already changes_requested")


@given(
    some.lists(some.tuples(some.booleans(), some.integers(0, 3), some.sampled_from(["tree-1", "tree-2"])), max_size=8)
)
def test_D_101_D_102_D_103_whatever_comes_at_most_one_decision_is_taken(
    attempts: list[tuple[bool, int, str]],
) -> None:
    review, taken = REVIEW, 0
    for approves, version, tree in attempts:
        found = (approved if approves else changes_requested)(review, decision(version=version, tree=tree))
        if isinstance(found, Review):
            taken += 1
            assert (version, tree) == (review.version, review.tree)
            review = found

    assert taken <= 1
    assert review.pending == (taken == 0)


def test_D_111_X_55_actions_of_the_api() -> None:
    assert ACTIONS == {"approve": ReviewState.APPROVED, "reject": ReviewState.CHANGES_REQUESTED}


def test_G_44_requests_for_changes_are_counted_by_task_and_phase() -> None:
    rejected = replace(REVIEW, status=ReviewState.CHANGES_REQUESTED)

    assert change_requests([rejected, rejected, replace(rejected, phase=1), REVIEW], "t1", 2) == 2


def test_D_75_D_77_feedback_reaches_the_agent_with_file_and_line() -> None:
    told = feedback_text("F", [Comment("src/a.py", "rename it", 12), Comment("README.md", "too short")])

    assert told == "F\n- src/a.py:12: rename it\n- README.md: too short"
    assert feedback_text(" ", []) == ""


def test_D_104_G_29_another_reviewer_can_be_named_while_it_waits() -> None:
    found = assigned(REVIEW, "lee")

    assert isinstance(found, Review)
    assert (found.reviewer, found.version) == ("lee", 2)
    assert isinstance(assigned(replace(REVIEW, status=ReviewState.APPROVED), "lee"), Refusal)


@pytest.mark.parametrize("auto_approve", [False, True])
def test_D_104_S_24_a_week_without_a_decision_hour_by_hour(auto_approve: bool) -> None:
    recorded: list[Stage] = []
    acted: list[tuple[int, str]] = []
    for hour in range(200):
        for stage in due(START, after(hour), recorded, pending=True, auto_approve=auto_approve):
            recorded.append(stage)
            acted.append((hour, stage.value))

    ladder = [(24, "reminder_1"), (48, "reminder_2"), (72, "escalation"), (168, "auto_approval")]
    assert acted == ladder[: 4 if auto_approve else 3]


@pytest.mark.parametrize(
    ("hours", "recorded", "stages"),
    [
        (50, [], [Stage.REMINDER_1, Stage.REMINDER_2]),
        (50, [Stage.REMINDER_1], [Stage.REMINDER_2]),
        (50, [Stage.REMINDER_1, Stage.REMINDER_2], []),
        (23.99, [], []),
        (24, [], [Stage.REMINDER_1]),
        (1000, [], [Stage.REMINDER_1, Stage.REMINDER_2, Stage.ESCALATION]),
    ],
)
def test_D_105_D_110_G_21_S_25_after_a_restart_only_what_is_not_recorded_is_due(
    hours: float, recorded: list[Stage], stages: list[Stage]
) -> None:
    assert list(due(START, after(hours), recorded, pending=True)) == stages


def test_D_105_delays_of_a_review_that_was_created_50_hours_ago() -> None:
    assert [delay(stage, START, after(50)) / timedelta(hours=1) for stage in Stage] == [0, 0, 22, 118]


@given(
    some.lists(some.floats(0, 400), max_size=12).map(sorted),
    some.lists(some.booleans(), min_size=12, max_size=12),
    some.booleans(),
)
def test_D_110_G_21_with_any_restarts_every_stage_fires_once_and_in_order(
    hours: list[float], forgotten: list[bool], auto_approve: bool
) -> None:
    """A restart forgets everything but the records; looking twice at one moment finds nothing new."""
    recorded: list[Stage] = []
    for hour, twice in zip(hours, forgotten, strict=False):
        for _ in range(1 + twice):
            recorded += due(START, after(hour), tuple(recorded), pending=True, auto_approve=auto_approve)

    wanted = [each.stage for each in LADDER if hours and hours[-1] >= each.hours]
    if not auto_approve:
        wanted = [each for each in wanted if each is not Stage.AUTO_APPROVAL]
    assert recorded == wanted


@given(some.floats(0, 1000), some.sets(some.sampled_from(Stage)), some.booleans())
def test_D_109_X_54_a_decided_review_has_nothing_due_and_nothing_to_wait_for(
    hours: float, recorded: set[Stage], auto_approve: bool
) -> None:
    assert due(START, after(hours), recorded, pending=False, auto_approve=auto_approve) == ()
    assert next_at(START, recorded, pending=False, auto_approve=auto_approve) is None


@given(some.sets(some.sampled_from(Stage)), some.booleans(), some.floats(0, 400))
def test_D_105_looking_again_at_the_told_time_finds_something_and_before_it_nothing(
    recorded: set[Stage], auto_approve: bool, hours: float
) -> None:
    moment = next_at(START, recorded, pending=True, auto_approve=auto_approve)
    found = due(START, after(hours), recorded, pending=True, auto_approve=auto_approve)

    assert bool(found) == (moment is not None and after(hours) >= moment)


def test_D_106_approval_at_30_hours_leaves_one_reminder() -> None:
    sent = [*due(START, after(24), [], pending=True)]
    sent += due(START, after(48), sent, pending=False)

    assert sent == [Stage.REMINDER_1]


@pytest.mark.parametrize(
    ("stage", "notice", "urgency", "to", "korean"),
    [
        (Stage.REMINDER_1, "review_reminder", "normal", To.CREATOR, "리뷰가 24시간 동안 대기 중입니다."),
        (Stage.REMINDER_2, "review_reminder", "high", To.CREATOR, "긴급: 리뷰가 48시간 동안 대기 중입니다!"),
        (Stage.ESCALATION, "review_escalation", "critical", To.ADMINS,
         "리뷰가 72시간 동안 대기 중입니다. 에스컬레이션 필요."),
        (Stage.AUTO_APPROVAL, "review_auto_approved", "normal", To.CREATOR,
         "리뷰가 7일 타임아웃으로 인해 자동 승인되었습니다."),
    ],
)  # fmt: skip
def test_D_106_D_107_D_108_who_is_told_what(stage: Stage, notice: str, urgency: str, to: To, korean: str) -> None:
    found = rung(stage)

    assert (found.notice, found.urgency, found.to) == (notice, urgency, to)
    assert message(stage, Language.KO) == korean
    assert str(found.hours if stage is not Stage.AUTO_APPROVAL else 7) in message(stage, Language.EN)


@pytest.mark.parametrize(
    ("value", "on"), [("true", True), ("false", False), (None, False), ("True", False), ("1", False)]
)
def test_D_108_D_112_approval_by_time_is_off_unless_the_setting_says_true(value: str | None, on: bool) -> None:
    assert switched_on(value) is on
    assert (Stage.AUTO_APPROVAL in due(START, after(169), [], pending=True, auto_approve=switched_on(value))) is on


def test_D_108_X_53_approval_by_time_goes_the_same_versioned_way() -> None:
    found = approved(REVIEW, decision(SYSTEM, comment=AUTO_APPROVED_COMMENT.ko), automatic=True)

    assert isinstance(found, Review)
    assert (found.decided_by, found.comment, found.auto_approved) == ("system", "7일 타임아웃 후 자동 승인됨", True)
    assert approved(replace(REVIEW, version=2), decision(SYSTEM), automatic=True) == CONFLICT


def test_D_107_an_escalated_review_says_since_when() -> None:
    assert not REVIEW.escalated
    assert replace(REVIEW, escalated_at=after(72)).escalated


def test_D_113_statistics() -> None:
    reviews = [
        replace(REVIEW, opened_at=after(-25)),
        replace(REVIEW, opened_at=after(-1)),
        replace(REVIEW, opened_at=after(-200), status=ReviewState.APPROVED, auto_approved=True),
    ]

    found = statistics(reviews, START)

    assert (found.pending_over_24h, found.auto_approved) == (1, 1)


@pytest.mark.parametrize(("rating", "good"), [(1, True), (5, True), (4, True), (0, False), (6, False), ("4", False),
                                              (4.0, False), (True, False), (None, False)])  # fmt: skip
def test_D_63_X_47_a_rating_is_a_whole_number_from_1_to_5(rating: object, good: bool) -> None:
    assert (feedback_problem(rating) == "") is good


TALKS = (
    Conversation(
        ("Explain JWT", "But how is it signed?", "And why?"),
        ("x" * 10, "```x```", "see https://x"),
        (Feedback(5, START),),
    ),
    Conversation(("Write a regex",), ("```y```",), (Feedback(2, START, "wrong"),)),
    Conversation(("Help", "Thanks, that is all."), ("ok",), abandoned=True),
)


def test_D_64_D_65_eight_figures_of_three_conversations() -> None:
    assert metrics(TALKS) == Metrics(
        user_rating=3.5,
        thumbs_up_rate=0.5,
        follow_up_question_rate=1 / 3,
        task_abandonment_rate=1 / 3,
        avg_conversation_length=(6 + 2 + 3) / 3,
        avg_response_length=(10 + 7 + 13 + 7 + 2) / 5,
        code_example_rate=2 / 5,
        link_inclusion_rate=1 / 5,
    )
    assert [talk.follow_ups for talk in TALKS] == [2, 0, 0]


@pytest.mark.parametrize(("rating", "thumbs"), [(3, 0.0), (4, 1.0)])
def test_D_64_from_four_stars_on_a_thumb_is_up(rating: int, thumbs: float) -> None:
    assert metrics([Conversation(("x",), ("y",), (Feedback(rating, START),))]).thumbs_up_rate == thumbs


def test_D_64_without_conversations_nothing_is_claimed() -> None:
    assert metrics([]) == Metrics(*[None] * 8)
