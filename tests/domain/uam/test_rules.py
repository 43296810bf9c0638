"""Phases, convergence, words, the guard and summaries of UAM."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.uam import commits, convergence, guard, phases, state, summary, words
from andon.domain.uam.convergence import DIVERGING, FIX, IMPROVING, REPLAN, RESET, STAGNATING, strategy, trend

SAMPLE_ERRORS = [
    ("test_api_update", "KeyError", "'user_id' missing in payload"),
    ("test_api_delete", "PermissionError", "admin check bypassed"),
    *((f"test_{number}", kind, "x") for number, kind in enumerate(("KeyError", "KeyError", "PermissionError"))),
    ("test_a", "TypeError", "x"),
    ("test_b", "TypeError", "x"),
]


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        ([0.70, 0.71, 0.72], STAGNATING),
        ([0.80, 0.70], DIVERGING),
        ([1.0, 0.9], DIVERGING),
        ([0.5, 0.6, 0.7], IMPROVING),
        ([0.70, 0.71], IMPROVING),
        ([0.7], "unclear"),
        ([], "unclear"),
        ([0.70, 0.75, 0.75], IMPROVING),
    ],
)
def test_C_53_X_35_pass_rates_tell_whether_it_converges(rates: list[float], found: str) -> None:
    assert trend(rates) == found


@pytest.mark.parametrize(
    ("failing", "total", "same", "rates", "chosen"),
    [
        (1, 20, 1, [0.95], FIX),
        (1, 20, 3, [0.95], RESET),
        (11, 20, 1, [0.45], REPLAN),
        (6, 20, 1, [0.80, 0.70], REPLAN),
        (1, 1, 1, [0.0], FIX),
        (5, 20, 1, [0.75], FIX),
        (8, 20, 1, [0.60, 0.61, 0.60], RESET),
    ],
)
def test_C_05_C_51_X_34_the_pattern_of_failure_chooses_the_way_to_fix(
    failing: int, total: int, same: int, rates: list[float], chosen: str
) -> None:
    assert strategy(failing, total, same, rates) == chosen


RATES = some.lists(some.floats(0, 1), max_size=12)


@given(RATES)
def test_C_53_there_is_always_one_verdict_and_a_window_is_needed_to_stagnate(rates: list[float]) -> None:
    found = trend(rates)

    assert found in (IMPROVING, STAGNATING, DIVERGING, convergence.UNCLEAR)
    assert found != STAGNATING or len(rates) >= convergence.WINDOW
    assert (found == DIVERGING) == (len(rates) >= 2 and rates[-1] - rates[-2] <= -0.10 + 1e-9)


@given(RATES, some.floats(0, 1))
def test_C_53_what_was_before_the_window_does_not_make_it_stagnate_or_diverge(rates: list[float], first: float) -> None:
    if len(rates) >= convergence.WINDOW:
        for kind in (STAGNATING, DIVERGING):
            assert (trend(rates) == kind) == (trend([first, *rates]) == kind)


def test_C_85_a_fresh_state_has_every_field_and_the_sample_loads_unchanged() -> None:
    made = state.fresh("uam-20260228-auth-feature", "2026-02-28T10:00:00Z")

    assert state.read(json.dumps(made)) == (made, "")
    assert made["convergence"] == {
        "pass_rate_history": [],
        "stagnation_window": convergence.WINDOW,
        "min_improvement": convergence.MIN_IMPROVEMENT,
        "regression_threshold": convergence.REGRESSION,
    }
    assert (made["max_fix_loops"], made["cost"]["max_total_tokens"]) == (10, 500_000)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"current_phase": "phase9"}', "[" * 100_000])
def test_C_90_a_state_that_cannot_be_read_is_inactive_and_says_why(text: str) -> None:
    read, problem = state.read(text)

    assert problem
    assert not state.active(read)


def test_C_87_an_empty_state_is_inactive_and_no_mistake() -> None:
    assert state.read("{}") == ({}, "")
    assert not state.active({})


def test_C_03_the_plan_wins_over_the_counters_of_the_state() -> None:
    told = state.fresh("x", "now") | {"sprint_status": {"total_todos": 9, "completed_todos": 9, "in_progress_todos": 3}}

    counted = state.counted(told, (2, 1, 1))["sprint_status"]

    assert counted == {"total_todos": 4, "completed_todos": 1, "in_progress_todos": 2, "failed_todos": 1}


def test_C_13_a_cancelled_pipeline_is_inactive_and_resumes_where_it_was() -> None:
    sprint = state.fresh("x", "now") | {"current_phase": state.SPRINT}

    cancelled = state.cancelled(sprint)

    assert not state.active(cancelled)
    assert state.cancelled(cancelled) == cancelled
    assert state.resumed(cancelled) == sprint
    assert state.resumed(sprint) == sprint


def at(phase: str, **more: Any) -> dict[str, Any]:
    return state.fresh("x", "now") | {"current_phase": phase} | more


def gates(one: bool | None, two: bool | None, three: bool | None, **more: str) -> dict[str, Any]:
    return at(state.GATE, gate_results={"gate1_passed": one, "gate2_passed": two, "gate3_passed": three, **more})


@pytest.mark.parametrize(
    ("told", "counts", "scenarios", "phase", "goes_on"),
    [
        (at(state.PLAN), (3, 0, 0), False, "", False),
        (at(state.SPRINT), (2, 1, 0), False, "", True),
        (at(state.SPRINT), (0, 3, 0), False, state.GATE, True),
        (at(state.SPRINT), (0, 2, 1), False, state.GATE, True),
        (at(state.SPRINT), (0, 0, 0), False, "", True),
        (gates(True, True, None), (0, 3, 0), False, state.FINALIZE, True),
        (gates(True, True, None), (0, 3, 0), True, "", True),
        (gates(True, False, None), (0, 3, 0), False, state.FIX, True),
        (gates(True, None, None), (0, 3, 0), False, "", True),
        (gates(True, None, None, gate2_status="SKIPPED"), (0, 3, 0), False, state.FINALIZE, True),
        (gates(True, True, True), (0, 2, 1), True, state.FIX, True),
        (at(state.FIX, fix_loop_count=9), (0, 3, 0), False, "", True),
        (at(state.FIX, fix_loop_count=10), (0, 3, 0), False, state.FINALIZE, True),
        (at(state.FINALIZE), (0, 3, 0), False, "", True),
        (at(state.COMPLETED), (0, 3, 0), False, "", False),
        (at(state.CANCELLED), (1, 3, 0), False, "", False),
    ],
)
def test_C_80_what_follows_the_end_of_a_turn(
    told: dict[str, Any], counts: tuple[int, int, int], scenarios: bool, phase: str, goes_on: bool
) -> None:
    step = phases.at_a_stop(told, counts, scenarios)

    assert step.phase == phase
    assert bool(step.message) == goes_on


COUNTS = some.tuples(*(some.integers(0, 5),) * 3)
GATES = some.fixed_dictionaries({f"gate{n}_passed": some.sampled_from((None, True, False)) for n in (1, 2, 3)})


@given(some.sampled_from((*state.PHASES, state.CANCELLED)), COUNTS, GATES, some.integers(0, 12), some.booleans())
def test_C_21_no_phase_follows_another_but_by_an_edge(
    phase: str, counts: tuple[int, int, int], results: dict[str, Any], loops: int, scenarios: bool
) -> None:
    told = at(phase, gate_results=results, fix_loop_count=loops)

    step = phases.at_a_stop(told, counts, scenarios)

    assert not step.phase or (phase, step.phase) in phases.EDGES
    assert state.active(told) or step == phases.Step()
    if step.phase == state.FINALIZE and phase == state.GATE:
        assert results["gate1_passed"] is True and False not in results.values() and not counts[2]


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("uam bugfix the login", words.BUGFIX),
        ("uam small: a flag", words.SMALL),
        ("please uam quick", words.SMALL),
        ("UAM light", words.SMALL),
        ("uam add login", words.FULL),
        ("uam으로 이 기능을 만들어 줘", words.FULL),
        ("add login", None),
        ("the island of guam", None),
        ("uamx", None),
        ("/uam:uam-status", None),
        ("<task-notification>uam</task-notification>", None),
    ],
)
def test_C_09_words_choose_the_pipeline(prompt: str, asked: str | None) -> None:
    assert words.pipeline(prompt) == asked


@pytest.mark.parametrize(
    ("path", "agent", "refused"),
    [
        (".uam/x.py", None, False),
        ("src/a.ts", None, True),
        ("README.md", None, False),
        ("PLAN.md", None, False),
        ("docs/learnings/../../src/a.py", None, True),
        ("docs/learnings/x/a.py", None, False),
        ("/project/src/A.PY", None, True),
        ("/elsewhere/a.py", None, True),
        (".uamx/a.py", None, True),
        ("src/a.ts", "uam:uam-worker", False),
        ("src/a.ts", "uam-frontend", False),
        ("src/a.ts", "general-purpose", True),
        ("src/a.ts", "fork", True),
        ("src/a.ts", "not-uam-worker", True),
    ],
)
def test_C_75_only_workers_write_sources(path: str, agent: str | None, refused: bool) -> None:
    assert guard.refusal(path, "/project", agent) == (guard.MESSAGE if refused else "")


def test_S_17_the_summary_of_the_sample_has_its_three_parts() -> None:
    told = summary.failure_summary(18, 25, SAMPLE_ERRORS)

    assert told.startswith("Gate 1 Results: 18/25 passed (72%)\n\nFailed tests:\n")
    assert "  - test_api_update: KeyError — 'user_id' missing in payload\n" in told
    assert told.endswith("Error categories: KeyError(3), PermissionError(2), TypeError(2)")
    assert len(told) <= 500


@given(some.lists(some.tuples(some.text(max_size=200), some.text(max_size=80), some.text(max_size=900)), max_size=30))
def test_C_42_a_summary_is_never_longer_and_keeps_its_first_line(failed: list[tuple[str, str, str]]) -> None:
    told = summary.failure_summary(3, 3 + len(failed), failed)

    assert len(told) <= 500
    assert told.startswith(f"Gate 1 Results: 3/{3 + len(failed)} passed")
    assert "Error categories: " in told


def test_C_74_the_rules_that_hooks_reach_import_nothing_slow() -> None:
    modules = "agents, dashboard, gates, knowledge, plan, graph, convergence, state, phases, guard, words, summary"
    program = f"import sys; from andon.domain.uam import {modules}; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    before = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True)
    assert not ({"dataclasses", "typing", "inspect", "pathlib"} & set(loaded)) - set(before.stdout.split())


def test_C_63_few_files_are_one_commit_and_more_are_told_apart_by_what_they_are() -> None:
    assert commits.groups(["src/a.py", "tests/test_a.py"]) == [("feat", ["src/a.py", "tests/test_a.py"])]
    assert commits.groups(["README.md"]) == [("docs", ["README.md"])]
    assert commits.groups(["src/a.py", "tests/test_a.py", "README.md"], "fix") == [
        ("fix", ["src/a.py"]),
        ("test", ["tests/test_a.py"]),
        ("docs", ["README.md"]),
    ]
    assert [files for _, files in commits.groups(["a.py", "b.py", "c.py"])] == [["a.py"], ["b.py", "c.py"]]
