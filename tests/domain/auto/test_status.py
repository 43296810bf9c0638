"""A-142 to A-144, A-155, E-11: the status file and where a run goes on."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.act import Counters
from andon.domain.auto.artefacts import design_path, plan_path
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Cause, Promotion
from andon.domain.auto.qa import Failure
from andon.domain.auto.resume import directed, resume_point
from andon.domain.auto.status import (
    AreaState,
    PdcaStatus,
    StatusProblem,
    from_dict,
    from_json,
    moment,
    to_dict,
    to_json,
)
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.run import Status

LIMITS = AutoLimits()
FULL = PdcaStatus(
    feature="search",
    phase=4,
    status=Status.STOPPED,
    task="검색 추가",
    run="r1",
    mode=Mode.HEAVY,
    promotions=(Promotion(Mode.STANDARD, Mode.HEAVY, Cause.QA_CYCLES, 3, 4),),
    phases_completed=(0, 1, 2, 3),
    counters=Counters(1, 2, 3),
    build_failures=1,
    qa_cycle=3,
    failures=(Failure(1, "test", "d", "test:a"), Failure(2, "lint", "d", "lint:b"), Failure(3, "test", "d", "test:a")),
    iteration=4,
    implementation="completed",
    remaining_issues=("x",),
    areas=(AreaState("api", "0a0b0c0", "4b825dc", done=True), AreaState("ui", "0a0b0c0", "a1b2c3d")),
    exit_reason="stopped",
    updated_at="2026-01-01T00:00:00Z",
    extra={"mine": {"a": 1}},
)
GOLDEN_V1 = """{
  "mine": {"a": 1}, "kind": "pdca-status", "schemaVersion": 1, "primaryFeature": "search", "phaseNumber": 4,
  "status": "stopped", "task": "검색 추가", "run": "r1", "mode": "HEAVY",
  "promotions": [{"from": "STANDARD", "to": "HEAVY", "cause": "qa_cycles", "count": 3, "phase": 4}],
  "phasesCompleted": [0, 1, 2, 3],
  "counters": {"rejections": 1, "phase4Reentries": 2, "cumulativeIterations": 3, "buildFailures": 1},
  "qaCycle": 3,
  "failureHistory": [
    {"cycle": 1, "type": "test", "detail": "d", "signature": "test:a"},
    {"cycle": 2, "type": "lint", "detail": "d", "signature": "lint:b"},
    {"cycle": 3, "type": "test", "detail": "d", "signature": "test:a"}],
  "implManagerIteration": 4, "implManagerStatus": "completed", "implManagerRemainingIssues": ["x"],
  "phasesSkipped": [],
  "implManagerMerged": false,
  "implManagerAreas": [
    {"name": "api", "base": "0a0b0c0", "tree": "4b825dc", "done": true},
    {"name": "ui", "base": "0a0b0c0", "tree": "a1b2c3d", "done": false}],
  "exitReason": "stopped", "updatedAt": "2026-01-01T00:00:00Z"
}"""


def test_A_142_A_155_E_11_the_golden_sample_of_version_1() -> None:
    assert from_json(GOLDEN_V1) == FULL
    assert json.loads(to_json(FULL)) == json.loads(GOLDEN_V1)


def test_E_11_a_file_from_before_there_were_areas_still_loads() -> None:
    old = {
        key: value
        for key, value in json.loads(GOLDEN_V1).items()
        if key not in ("implManagerAreas", "implManagerMerged")
    }

    assert from_dict(old) == replace(FULL, areas=())


def test_A_142_the_seeds_keys_are_there_from_the_start() -> None:
    keys = {"primaryFeature", "phaseNumber", "implManagerIteration", "implManagerStatus", "implManagerRemainingIssues"}

    assert keys <= set(to_dict(PdcaStatus("f", 0)))


def test_A_142_no_ralph_key_is_kept_or_written() -> None:
    old = {"primaryFeature": "f", "phaseNumber": 3, "ralphIteration": 5, "ralphStatus": "x", "other": 1}

    status = from_dict(old)

    assert isinstance(status, PdcaStatus) and status.extra == {"other": 1}
    assert not any(key.startswith("ralph") for key in to_dict(replace(status, extra={"ralphIteration": 1})))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "primaryFeature"),
        ('{"primaryFeature": 1}', "primaryFeature"),
        ('{"primaryFeature": "f"}', "phaseNumber"),
        ('{"primaryFeature": "f", "phaseNumber": 6}', "phaseNumber"),
        ('{"primaryFeature": "f", "phaseNumber": true}', "phaseNumber"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "schemaVersion": 2}', "newer"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "mode": "HUGE"}', "mode"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "status": "ok"}', "status"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "qaCycle": -1}', "qaCycle"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "failureHistory": [1]}', "failureHistory"),
        ('{"primaryFeature": "f", "phaseNumber": 1, "counters": []}', "counters"),
        (
            '{"primaryFeature": "f", "phaseNumber": 1, "promotions": [{"from": "HEAVY", "to": "LIGHT", '
            '"cause": "qa_cycles"}]}',
            "not a promotion",
        ),
    ],
)
def test_E_11_an_unreadable_file_is_a_value_that_names_the_problem(text: str, problem: str) -> None:
    found = from_json(text)

    assert isinstance(found, StatusProblem) and problem in found.problem


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(sorted(to_dict(FULL))), JSON))
def test_E_11_nothing_in_the_file_raises(value: dict[str, object]) -> None:
    found = from_dict({"primaryFeature": "f", "phaseNumber": 1} | value)

    assert isinstance(found, StatusProblem) or from_dict(to_dict(found)) == found


@given(st.text())
def test_E_11_no_text_raises(text: str) -> None:
    assert isinstance(from_json(text), PdcaStatus | StatusProblem)


PLAN, DESIGN = plan_path("f"), design_path("f")
WITH_BOTH = {PLAN, DESIGN}


def at(phase: int, mode: Mode | None = Mode.STANDARD, **more: object) -> PdcaStatus:
    return replace(PdcaStatus("f", phase, mode=mode), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "files", "phase", "warned"),
    [
        (at(0, None), set(), 0, False),
        (at(1), set(), 1, False),
        (at(2), {PLAN}, 2, False),
        (at(3), WITH_BOTH, 3, False),
        (at(3), {DESIGN}, 1, True),
        (at(3), {PLAN}, 2, True),
        (at(5), WITH_BOTH, 5, False),
        (at(3, Mode.LIGHT), {PLAN}, 3, False),
        (at(2, Mode.LIGHT), {PLAN}, 3, False),
        (at(4, Mode.LIGHT), set(), 1, True),
        (at(4, None), WITH_BOTH, 1, True),
    ],
)
def test_A_143_A_155_where_a_run_goes_on(status: PdcaStatus, files: set[str], phase: int, warned: bool) -> None:
    point = resume_point(status, files, LIMITS)

    assert (point.phase, bool(point.warnings)) == (phase, warned)
    assert point.mode is (status.mode if phase > 1 else None)


def test_A_143_the_warning_names_the_missing_plan() -> None:
    (warning,) = resume_point(at(3), set(), LIMITS, Language.KO).warnings

    assert warning.startswith("[Phase 1]") and PLAN in warning and "Phase 3" in warning


def test_A_63_A_155_a_run_that_was_light_until_phase_3_has_no_design() -> None:
    raised = (Promotion(Mode.LIGHT, Mode.STANDARD, Cause.BUILD_FAILURES, 2, 3),)

    assert resume_point(at(3, promotions=raised), {PLAN}, LIMITS).phase == 3
    early = (Promotion(Mode.LIGHT, Mode.HEAVY, Cause.AFFECTED_FILES, 5, 1),)
    assert resume_point(at(3, Mode.HEAVY, promotions=early), {PLAN}, LIMITS).phase == 2


@pytest.mark.parametrize(("used", "first"), [(4, 5), (5, 1)])
def test_A_144_the_implementation_count(used: int, first: int) -> None:
    assert resume_point(at(3, iteration=used), WITH_BOTH, LIMITS).iteration == first


def test_A_155_QA_goes_on_at_its_cycle_with_the_history_before_it() -> None:
    files = {plan_path("search"), design_path("search")}

    point = resume_point(FULL, files, LIMITS)

    assert (point.phase, point.mode, point.qa_cycle) == (4, Mode.HEAVY, 3)
    assert [each.cycle for each in point.failures] == [1, 2]


@pytest.mark.parametrize(("phase", "goes_on"), [(1, 1), (2, 2), (3, 3), (4, 3), (5, 3)])
def test_E_18_with_a_direction_somebody_acts_before_anything_is_checked(phase: int, goes_on: int) -> None:
    failures = (Failure(1, "test", "", "test:x"),)
    status = at(phase, iteration=4, qa_cycle=2, failures=failures)

    point = directed(resume_point(status, WITH_BOTH, LIMITS))

    assert (point.phase, point.iteration, point.qa_cycle, point.failures) == (goes_on, 1, 1, ())
    assert point.mode == resume_point(status, WITH_BOTH, LIMITS).mode


def test_A_143_a_finished_run_has_nothing_to_resume() -> None:
    assert resume_point(at(5, status=Status.DONE), WITH_BOTH, LIMITS).finished


def test_E_11_a_moment_is_told_to_the_second_and_of_everywhere() -> None:
    assert moment(1_767_225_600.9) == "2026-01-01T00:00:00Z"
