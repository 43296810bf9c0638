"""States, progress, errors, checkpoints, rework and inputs of tasks."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from andon.domain.order import Outcome
from andon.domain.tasks.checkpoints import TRIGGERS, Checkpoint, Reason, periodic_due, tokens_used
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.errors import Action, ErrorType, error_of, recovery, resumes_at
from andon.domain.tasks.inputs import FIELDS, missing_inputs
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.progress import progress, task_progress
from andon.domain.tasks.rework import Choice, Next, after_choice, after_verification, rework_text
from andon.domain.tasks.states import (
    AGENT_EDGES,
    REVIEW_EDGES,
    TASK_EDGES,
    WAITING_FOR,
    AgentState,
    IllegalMove,
    ReviewState,
    TaskState,
    moved,
    task_edges,
)
from andon.domain.tasks.verification import Verification
from andon.domain.tasks.workflows import WORKFLOWS

TASK = """draft>pending pending>in_progress in_progress>review review>completed in_progress>failed review>in_progress
in_progress>paused paused>in_progress failed>pending draft>cancelled pending>cancelled in_progress>cancelled
review>cancelled paused>cancelled failed>cancelled"""
AGENT = """idle>running running>waiting_review waiting_review>running running>completed running>failed
running>waiting_question waiting_question>running running>waiting_dependency waiting_dependency>running
running>waiting_rate_limit waiting_rate_limit>running waiting_review>paused paused>running running>paused"""


@pytest.mark.parametrize(("before", "after"), list(product(TaskState, repeat=2)))
def test_D_125_X_56_a_task_takes_these_ways_and_no_other(before: TaskState, after: TaskState) -> None:
    if f"{before.value}>{after.value}" in TASK.split():
        assert moved(TASK_EDGES, before, after) is after
    else:
        with pytest.raises(IllegalMove, match=f"{before.value} → {after.value}"):
            moved(TASK_EDGES, before, after)


@pytest.mark.parametrize(("before", "after"), list(product(AgentState, repeat=2)))
def test_D_126_X_56_an_agent_takes_these_ways_and_no_other(before: AgentState, after: AgentState) -> None:
    if f"{before.value}>{after.value}" in AGENT.split():
        assert moved(AGENT_EDGES, before, after) is after
    else:
        with pytest.raises(IllegalMove):
            moved(AGENT_EDGES, before, after)


@pytest.mark.parametrize(("before", "after"), list(product(ReviewState, repeat=2)))
def test_D_75_a_review_is_decided_once(before: ReviewState, after: ReviewState) -> None:
    if before is ReviewState.PENDING and after is not ReviewState.PENDING:
        assert moved(REVIEW_EDGES, before, after) is after
    else:
        with pytest.raises(IllegalMove):
            moved(REVIEW_EDGES, before, after)


def test_D_53_D_54_a_conversation_has_no_review_and_goes_on_after_its_end() -> None:
    custom = task_edges(TaskType.CUSTOM)

    assert not any(TaskState.REVIEW in edge for edge in custom)
    assert moved(custom, TaskState.IN_PROGRESS, TaskState.COMPLETED) is TaskState.COMPLETED
    assert moved(custom, TaskState.COMPLETED, TaskState.IN_PROGRESS) is TaskState.IN_PROGRESS
    assert task_edges(TaskType.CREATE_APP) == TASK_EDGES


def test_D_70_D_114_D_116_D_124_every_wait_is_a_state_that_running_leads_to_and_from() -> None:
    assert {state.value for state in WAITING_FOR.values()} == {
        state.value for state in AgentState if state.value.startswith("waiting_")
    }
    for state in WAITING_FOR.values():
        assert {(AgentState.RUNNING, state), (state, AgentState.RUNNING)} <= AGENT_EDGES


class TaskMachine(RuleBasedStateMachine):
    """However a task is pushed about: it is completed only out of a review, and what is cancelled stays so."""

    def __init__(self) -> None:
        super().__init__()
        self.path = [TaskState.DRAFT]

    @rule(after=some.sampled_from(TaskState))
    def push(self, after: TaskState) -> None:
        try:
            self.path.append(moved(TASK_EDGES, self.path[-1], after))
        except IllegalMove:
            assert (self.path[-1], after) not in TASK_EDGES

    @invariant()
    def completed_only_after_review(self) -> None:
        for before, after in zip(self.path, self.path[1:], strict=False):
            assert after is not TaskState.COMPLETED or before is TaskState.REVIEW
            assert not before.ended
        assert TaskState.IN_PROGRESS in self.path or TaskState.COMPLETED not in self.path


test_D_125_pushed_about = TaskMachine.TestCase


@pytest.mark.parametrize(
    ("completed", "phases", "step", "steps", "found"),
    [
        (1, 4, 3, 5, 0.40),
        (0, 4, 0, 9, 0.0),
        (4, 4, 0, 0, 1.0),
        (4, 4, 9, 9, 1.0),
        (3, 4, 0, 0, 0.75),
        (3, 4, 7, 0, 0.75),
        (0, 4, 12, 9, 0.25),
        (9, 4, 0, 5, 1.0),
        (0, 0, 0, 0, None),
    ],
)
def test_D_120_S_26_the_formula(completed: int, phases: int, step: int, steps: int, found: float | None) -> None:
    assert progress(completed, phases, step, steps) == found


@given(some.integers(0, 9), some.integers(1, 9), some.integers(-2, 12), some.integers(0, 12))
def test_D_120_progress_lies_between_0_and_1_and_a_further_step_or_phase_never_lowers_it(
    completed: int, phases: int, step: int, steps: int
) -> None:
    now = progress(completed, phases, step, steps)

    assert now is not None
    assert 0 <= now <= 1
    assert now <= (progress(completed, phases, step + 1, steps) or 0)
    assert now <= (progress(completed + 1, phases, 0, steps) or 0)


def test_D_120_S_26_of_a_task() -> None:
    assert task_progress(TaskType.CREATE_APP, 1, 3) == 0.40
    assert task_progress(TaskType.CREATE_APP, 3, 1) == 0.75
    assert task_progress(TaskType.MODIFY_APP, 3, 3) == 1.0
    assert task_progress(TaskType.CUSTOM, 0, 1) is None
    assert all(task_progress(each.type, len(each.phases), 0) == 1.0 for each in WORKFLOWS.values() if each.phases)


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Outcome.CRASHED, ErrorType.EXECUTION),
        (Outcome.LIMIT, ErrorType.EXECUTION),
        (Outcome.RATE_LIMITED, ErrorType.RATE_LIMIT),
        (Outcome.LOST, ErrorType.SYSTEM),
        (Outcome.UNAUTHENTICATED, ErrorType.SYSTEM),
        (Outcome.DONE, None),
        (Outcome.ASKED, None),
        (Outcome.CANCELLED, None),
    ],
)
def test_D_122_the_kind_of_an_error(outcome: Outcome, error: ErrorType | None) -> None:
    assert error_of(outcome) is error
    assert [each.value for each in ErrorType] == ["execution", "verification", "rate_limit", "system"]


@pytest.mark.parametrize("error", [*ErrorType])
def test_D_123_what_follows_comes_in_this_order(error: ErrorType) -> None:
    first = ["checkpoint", "pause", "log", "notify"]
    tried = {"rate_limit": "wait", "verification": "rework"}.get(error.value, "recover")

    good, bad = recovery(error, recovered=True), recovery(error, recovered=False)

    assert [each.value for each in good.actions] == [*first, tried, "resume"]
    assert [each.value for each in bad.actions] == [*first, tried, "manual_intervention"]
    assert (good.state, bad.state) == (TaskState.IN_PROGRESS, TaskState.FAILED)
    assert len({*good.actions}) == len(good.actions)
    assert {*good.actions, *bad.actions} <= {*Action}


@pytest.mark.parametrize(("resets_at", "found"), [(1060.0, 1060.0), (900.0, 1000.0), (None, 1060.0)])
def test_D_124_an_agent_goes_on_at_the_reset(resets_at: float | None, found: float) -> None:
    assert resumes_at(1000.0, resets_at) == found


def test_D_117_five_triggers_and_ten_minutes() -> None:
    assert [each.value for each in TRIGGERS] == ["periodic", "rate_limit", "manual_pause", "error", "phase_complete"]
    assert {*Reason} - {*TRIGGERS} == {Reason.RISKY}
    assert [periodic_due(0.0, now) for now in (0.0, 599.9, 600.0, 9000.0)] == [False, False, True, True]


def test_D_118_a_checkpoint_has_six_things_and_no_value_of_a_variable() -> None:
    names = [each for each in Checkpoint.__dataclass_fields__ if each != "reason"]

    assert names == ["history", "phase", "step", "progress", "variables", "pending", "tokens"]
    assert Checkpoint.__dataclass_fields__["variables"].type == "tuple[str, ...]"


@pytest.mark.parametrize(
    ("reported", "text", "found"), [(7, "x" * 40, 7), (0, "x", 0), (None, "x" * 40, 10), (None, "x", 1)]
)
def test_G_24_tokens_are_what_was_reported_or_a_quarter_of_the_characters(
    reported: int | None, text: str, found: int
) -> None:
    assert tokens_used(reported, text) == found


@pytest.mark.parametrize("failures", range(6))
def test_D_73_S_27_X_48_failing_once_twice_three_times_always(failures: int) -> None:
    """S-27: a review after rework 1, 2, 3, then a person."""
    reworks, verifications = 0, 0
    while True:
        verifications += 1
        following = after_verification(verifications > failures, reworks)
        if following is not Next.REWORK:
            break
        reworks += 1

    assert following is (Next.REVIEW if failures <= 3 else Next.PERSON)
    assert reworks == min(failures, 3)
    assert verifications <= 4


def test_D_73_the_agent_is_told_the_report_and_every_failed_criterion() -> None:
    found = Verification(False, (Criterion("length", False, "short"), Criterion("sections", True)), "Write more.")

    told = rework_text(found, 2)

    assert "rework 2 of 3" in told
    assert "- length: short" in told
    assert "sections" not in told
    assert told.endswith("Write more.")


def test_D_74_a_person_looks_or_stops() -> None:
    assert after_choice(Choice.REVIEW) is TaskState.REVIEW
    assert after_choice(Choice.STOP) is TaskState.FAILED


@pytest.mark.parametrize(
    ("type", "fields", "mandatory"),
    [
        (TaskType.CREATE_APP, "description users features technology constraints", "description users features"),
        (TaskType.MODIFY_APP, "code change reason documents critical", "code change"),
        (TaskType.WORKFLOW, "goal trigger result integrations errors", "goal trigger result"),
        (TaskType.CUSTOM, "prompt", "prompt"),
    ],
)
def test_D_128_fields_by_type_and_the_mandatory_ones_that_are_missing(
    type: TaskType, fields: str, mandatory: str
) -> None:
    assert [each.name for each in FIELDS[type]] == fields.split()
    assert [each.name for each in missing_inputs(type, {})] == mandatory.split()
    assert missing_inputs(type, dict.fromkeys(mandatory.split(), "x")) == ()
    assert [each.name for each in missing_inputs(type, dict.fromkeys(mandatory.split(), " "))] == mandatory.split()


@pytest.mark.parametrize("use", ["Q&A", "code review", "debugging help", "quick task", "research", "comparison"])
def test_D_55_a_custom_task_needs_a_prompt_and_no_plan(use: str) -> None:
    assert missing_inputs(TaskType.CUSTOM, {"prompt": use}) == ()
    assert WORKFLOWS[TaskType.CUSTOM].phases == ()
