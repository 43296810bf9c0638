"""E-15, E-16: the constants of `auto` and that a limit always limits."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from andon.domain.auto.act import Counters
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts, promotion
from andon.domain.errors import UserError
from andon.domain.limits import AutoLimits

TABLE = {
    "plan_iterations": 5,
    "feedback_tokens": 5000,
    "feedback_kept": 3,
    "light_plan_characters": 50,
    "light_plan_rerequests": 1,
    "critic_lite_passes": 1,
    "critic_lite_revisions": 1,
    "implementation_iterations": 10,
    "implementation_restart_at": 5,
    "architect_rejections": 2,
    "qa_cycles_light": 1,
    "qa_cycles_standard": 3,
    "qa_cycles_heavy": 5,
    "same_failure": 3,
    "gap_threshold": 90,
    "phase4_reentries": 3,
    "cumulative_improvements": 5,
    "iterator_repetitions": 5,
    "rejection_bonus": 2,
    "coverage_warning": 80,
    "promotion_build_failures": 2,
    "promotion_qa_cycles": 3,
    "promotion_files": 5,
    "slack_messages": 100,
    "gmail_messages": 20,
}


@pytest.mark.parametrize(("name", "value"), TABLE.items())
def test_E_15_defaults_equal_the_table(name: str, value: int) -> None:
    assert getattr(AutoLimits(), name) == value


def test_E_15_an_override_changes_behaviour() -> None:
    limits = AutoLimits(promotion_files=7, cumulative_improvements=9)

    assert promotion(Mode.LIGHT, 1, Facts(affected_files=6), limits) is None
    assert Counters().improvement_limit(limits) == 9


def test_E_16_an_interactive_question_has_no_timeout() -> None:
    assert AutoLimits().interactive_seconds is None


@pytest.mark.parametrize("name", [each.name for each in fields(AutoLimits)])
def test_E_18_no_limit_can_be_negative(name: str) -> None:
    with pytest.raises(UserError, match=name):
        replace(AutoLimits(), **{name: -1})


@pytest.mark.parametrize("name", ["plan_iterations", "qa_cycles_heavy", "phase4_reentries", "same_failure"])
def test_E_18_a_loop_needs_at_least_one_round(name: str) -> None:
    with pytest.raises(UserError, match=name):
        replace(AutoLimits(), **{name: 0})


@pytest.mark.parametrize("changed", [{"prompt_plan_characters": 499}, {"prompt_output_characters": 7501}], ids=str)
def test_G_37_a_material_in_a_prompt_says_something_and_is_at_hand(changed: dict[str, int]) -> None:
    with pytest.raises(UserError, match=next(iter(changed))):
        AutoLimits(**changed)


def test_E_15_a_percentage_stays_one() -> None:
    with pytest.raises(UserError, match="gap_threshold"):
        AutoLimits(gap_threshold=101)
