"""Criteria as data, the verifier's answer, and both joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.grammar import Unreadable
from andon.domain.tasks.criteria import CRITERIA, Asked, Criterion, criteria_of
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.verification import Verification, joined, read_verification, without_verifier
from andon.domain.tasks.workflows import WORKFLOWS


@pytest.mark.parametrize("type", [TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW])
@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_D_78_every_phase_has_criteria_and_no_id_twice(type: TaskType, phase: int) -> None:
    asked = criteria_of(type, phase)
    ids = [each.id for each in asked]

    assert any(each.measured for each in asked)
    assert any(not each.measured for each in asked)
    assert len(ids) == len(set(ids))
    assert {"documents_exist", "length", "placeholders", "sections"} <= {*ids} or not (
        WORKFLOWS[type].phase(phase).documents
    )


@pytest.mark.parametrize("phase", range(6))
def test_D_53_D_78_a_custom_task_has_none(phase: int) -> None:
    assert criteria_of(TaskType.CUSTOM, phase) == ()
    assert len(CRITERIA) == 12


def test_D_71_criteria_of_two_types_differ() -> None:
    create, modify = (criteria_of(type, 1) for type in (TaskType.CREATE_APP, TaskType.MODIFY_APP))

    assert {each.id for each in modify} - {each.id for each in create} == {
        *("paths_exist", "code_untouched", "accurate", "impact"),
    }


def told(**values: object) -> str:
    return json.dumps({"passed": True, "report": "fine", **values})


def test_D_72_G_19_the_verifiers_json_is_read_and_written_in_one_form() -> None:
    rows = [{"id": "concrete", "passed": False, "detail": "all template"}]
    found = read_verification(f"Here it is:\n```json\n{told(passed=False, score=0.5, criteria=rows)}\n```")

    assert found == Verification(False, (Criterion("concrete", False, "all template"),), "fine", 0.5)
    assert isinstance(found, Verification)
    assert found.as_json() == {"passed": False, "score": 0.5, "criteria": rows, "report": "fine"}


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [
        (told(), 1),
        (told(), None),
        (told(), -9),
        ("It looks fine.", 0),
        (told(passed="yes"), 0),
        (told(report=None), 0),
        (told(criteria="all"), 0),
        (told(criteria=["x"]), 0),
        (told(criteria=[{"id": "a"}]), 0),
        (told(criteria=[{"id": "a", "passed": 1}]), 0),
        ('{"passed": true, "report": ', 0),
    ],
)
def test_D_72_an_exit_or_an_answer_that_cannot_be_read_is_an_error_and_no_failure(
    text: str, exit_code: int | None
) -> None:
    assert isinstance(read_verification(text, exit_code), Unreadable)


def test_D_72_passed_with_a_failed_criterion_is_not_passed() -> None:
    found = read_verification(told(criteria=[{"id": "a", "passed": False, "detail": ""}]))

    assert isinstance(found, Verification)
    assert not found.passed


ASKED = (Asked("length", "long enough"), Asked("concrete", "no template", measured=False))
MEASURED = (Criterion("length", True),)
GOOD = Verification(True, (Criterion("concrete", True),), "fine")


def test_D_79_both_agree() -> None:
    assert joined(ASKED, MEASURED, GOOD) == Verification(True, (*MEASURED, Criterion("concrete", True)), "fine")


@pytest.mark.parametrize(
    ("measured", "judged", "failed"),
    [
        pytest.param((), GOOD, [("length", "not measured")], id="what andon did not measure"),
        pytest.param(MEASURED, Verification(True), [("concrete", "not judged")], id="what the verifier left out"),
        pytest.param((Criterion("length", False, "short"),), GOOD, [("length", "short")], id="andon is not outvoted"),
        pytest.param(
            (Criterion("length", False, "short"),),
            Verification(True, (Criterion("length", True), Criterion("concrete", True))),
            [("length", "short")],
            id="nor by a verifier who measures himself",
        ),
        pytest.param(
            MEASURED,
            Verification(False, (Criterion("concrete", False, "template"),)),
            [("concrete", "template")],
            id="D-12 a veto",
        ),
        pytest.param(
            MEASURED,
            Verification(False, (Criterion("concrete", True), Criterion("length", False, "padded"))),
            [("length", "padded")],
            id="a veto on what was measured",
        ),
        pytest.param(
            MEASURED,
            Verification(False, (Criterion("concrete", True), Criterion("own", False, "a bug"))),
            [("own", "a bug")],
            id="a criterion of the verifier's own",
        ),
    ],
)
def test_D_12_D_79_nobody_can_wave_through_what_another_found(
    measured: tuple[Criterion, ...], judged: Verification, failed: list[tuple[str, str]]
) -> None:
    found = joined(ASKED, measured, judged)

    assert not found.passed
    assert [(each.id, each.detail) for each in found.failed] == failed


ROWS = some.lists(some.builds(Criterion, some.sampled_from("abcd"), some.booleans()), unique_by=lambda row: row.id)
IDS = some.lists(
    some.builds(Asked, some.sampled_from("abcd"), some.just(""), some.booleans()), unique_by=lambda a: a.id
)


@given(IDS, ROWS, ROWS, some.booleans())
def test_D_79_passed_means_that_everybody_said_so_about_everything(
    asked: list[Asked], measured: list[Criterion], judged: list[Criterion], passed: bool
) -> None:
    found = joined(asked, measured, Verification(passed, tuple(judged)))

    ids = [each.id for each in found.criteria]
    assert len(ids) == len(set(ids))
    assert {each.id for each in asked} <= {*ids}
    if found.passed:
        assert passed
        assert all(each.passed for each in (*measured, *judged))
        assert {each.id for each in asked if each.measured} <= {each.id for each in measured}


def test_D_22_what_andon_found_wrong_needs_no_verifier() -> None:
    found = without_verifier([Criterion("syntax", False, "a.py:1: invalid syntax"), Criterion("length", True)])

    assert found is not None
    assert (found.passed, found.report) == (False, "syntax: a.py:1: invalid syntax")
    assert without_verifier(MEASURED) is None
