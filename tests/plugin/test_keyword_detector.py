"""The keyword detector: what begins a pipeline, which one, and what never does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.uam import state, words

BEGINS = {
    "C-83 English": ("uam add login", "full", "phase1-plan"),
    "C-83 Korean": ("uam으로 이 기능을 만들어 줘", "full", "phase1-plan"),
    "C-83 capitals": ("Please use UAM for this", "full", "phase1-plan"),
    "C-09 small": ("uam small a button", "small", "phase1-plan"),
    "C-09 quick": ("uam quick a button", "small", "phase1-plan"),
    "C-09 light": ("uam light a button", "small", "phase1-plan"),
    "C-09 bugfix": ("uam bugfix the login", "bugfix", "phase4-fix"),
}
BEGINS_NOTHING = {
    "C-83 no word": "add login",
    "C-83 part of a word": "a flight to Guam, and my_uam",
    "X-39 a command": "/uam:uam-status",
    "X-39 a notice": "<task-notification>uam</task-notification>",
}


@pytest.mark.parametrize(("prompt", "pipeline", "phase"), BEGINS.values(), ids=BEGINS)
def test_the_word_begins_a_pipeline(project: Any, prompt: str, pipeline: str, phase: str) -> None:
    said = project.prompt(prompt)

    begun = project.state()
    assert (begun["pipeline"], begun["current_phase"], begun["session_id"]) == (pipeline, phase, "s1")
    assert (begun["driver"], begun["task"]) == ("plugin", prompt), "what `andon uam adopt` goes on with"
    assert begun["pipeline_id"] in said.context
    assert "Skill" in said.context


def test_C_85_a_fresh_state_has_every_field_with_its_default(project: Any) -> None:
    project.prompt("uam add login")

    begun = project.state()
    defaults = state.fresh(begun["pipeline_id"], begun["started_at"])
    assert {key: begun[key] for key in defaults} == defaults
    assert begun["pipeline_id"].startswith("uam-20") and begun["pipeline_id"].endswith("-add-login"), "X-62"


def test_C_84_the_folders_are_there_from_the_start(project: Any) -> None:
    project.prompt("uam add login")

    for folder in (".uam/context", ".uam/gate-results", ".uam/fix-loop", ".uam/sandbox", "docs/learnings"):
        assert (project.folder / folder).is_dir()


@pytest.mark.parametrize("prompt", BEGINS_NOTHING.values(), ids=BEGINS_NOTHING)
def test_what_begins_nothing(project: Any, prompt: str) -> None:
    assert project.prompt(prompt).passed
    assert project.files() == {}


def test_C_83_an_active_pipeline_is_never_begun_again(project: Any) -> None:
    before = project.stands("phase3-gate", ("x", "x")).state()

    said = project.prompt("uam, go on please")

    assert project.state() == before
    assert "active already" in said.context


def test_a_finished_pipeline_makes_room_for_the_next(project: Any) -> None:
    project.stands("completed", ("x", "x"), fix_loop_count=3).prompt("uam add logout")

    assert (project.phase, project.state()["fix_loop_count"]) == ("phase1-plan", 0)


def test_two_sessions_that_begin_at_once_share_one_pipeline(project: Any) -> None:
    with ThreadPoolExecutor(6) as pool:
        said = [
            *pool.map(lambda number: project.prompt(f"uam task {number}", session_id=f"s{number}"), range(8)),
        ]

    begun = project.state()
    number = begun["session_id"][1:]
    assert begun["pipeline_id"].endswith(f"task-{number}")
    assert all(begun["pipeline_id"] in each.context for each in said), "each is told of the one that began"


@given(st.text())
def test_any_prompt_gives_a_name_that_is_a_name(prompt: str) -> None:
    name = words.feature(prompt)

    assert name and len(name) <= 40
    assert name.strip("-") == name and "/" not in name and "." not in name
