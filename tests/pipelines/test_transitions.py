"""`--interactive`: what is asked at the end of each phase, and that the answer is honoured (A-139, A-140, X-19)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

ANSWERS = ("revise", "Name the order of ties.", "proceed", "proceed", "", "finish")
"""The plan is revised once; an empty answer takes the default."""


def answer_all(story: Any, answers: tuple[str, ...] = ANSWERS) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    for number, text in enumerate(answers, start=1):
        story.until(f"question {number}", lambda number=number: len(story.seen("hold_opened")) == number)
        listed = json.loads(story.andon("answer", "--json").stdout)
        [asked] = [each for each in listed if each["id"].startswith(f"{story.row.id}/")]  # other stories ask, too
        story.andon("answer", asked["id"], text)
    story.finish(process, words)


def test_A_139_exactly_these_choices_are_offered_with_these_defaults(story: Callable[..., Any]) -> None:
    told = story("interactive", answer_all)

    asked = [(tuple(e.data["options"]), e.data["default"]) for e in told.of("hold_opened")]
    plan_or_design = (("proceed", "revise", "skip"), "proceed")
    free_text = ((), None)
    assert asked == [
        plan_or_design,
        free_text,
        plan_or_design,
        plan_or_design,
        (("proceed", "revise"), "proceed"),
        (("auto improve", "manual fix", "finish"), "auto improve"),
    ]


def test_A_139_revising_has_the_planner_write_again_with_the_persons_words(story: Callable[..., Any]) -> None:
    told = story("interactive", answer_all)

    planners = [e for e in told.of("spawn") if e.data["name"] == "planner"]
    assert len(planners) == 2
    assert "Name the order of ties." in planners[1].data["prompt"]


def revise_once(story: Any) -> None:
    answer_all(story, ("revise", "Make it shorter."))


def test_A_139_A_47_a_revised_plan_is_measured_like_any_other(story: Callable[..., Any]) -> None:
    told = story("revised", revise_once)  # whose planner throws the criteria out

    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "plan_incomplete")
    assert "QG2 FAIL: no acceptance criterion" in told.ending["message"]


def test_A_139_finishing_is_a_persons_acceptance_and_the_report_says_so(story: Callable[..., Any]) -> None:
    told = story("interactive", answer_all)

    [accepted] = told.of("accepted")
    assert accepted.data["id"].startswith("gap-")
    assert told.ending["status"] == "done"
    assert "iterator" not in told.spawned  # "finish" is not "auto improve"
    assert accepted.data["id"] in told.document(f"docs/04-report/{told.row.feature}.report.md")


def test_A_140_the_banner_names_artefact_teammates_and_decision(story: Callable[..., Any]) -> None:
    told = story("interactive", answer_all)

    banners = [e.data["question"] for e in told.of("hold_opened") if e.data["options"]]
    assert "Phase 1 PLAN done -> Phase 2 DESIGN waiting to start" in banners[0]
    assert f"Artefact: docs/01-plan/{told.row.feature}.plan.md" in banners[0]
    assert "planner (sonnet)" in banners[0] and "critic-lite (sonnet)" in banners[0]
    assert banners[0].splitlines()[0] == "=" * 51
    assert f"Artefact: {told.worktree}\n" in banners[3]  # of what was done the artefact is the files
    assert "gap 80%" in banners[-1]


def test_A_113_X_19_one_flag_asks_and_measures_the_command_in_a_real_terminal(story: Callable[..., Any]) -> None:
    told = story("typed")

    [measured] = told.of("check", goal="interactive")
    assert measured.data["verdict"] == "passed"  # `test -t 1` needs a terminal
    assert "Install" in measured.data["output"]
    assert len(told.of("hold_opened")) == 3  # LIGHT has no Phase 2


def test_A_139_E_16_nobody_answers_and_the_defaults_are_taken(story: Callable[..., Any]) -> None:
    told = story("typed")

    answers = [(e.data["answer"], e.data["by"]) for e in told.of("hold_answered")]
    assert answers == [("proceed", "timeout"), ("proceed", "timeout"), ("auto improve", "timeout")]
    assert told.ending["status"] == "done"
