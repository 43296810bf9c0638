"""Criteria as data, the verifier's answer, and both joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.grammar import Unreadable
from andon.domain.tasks.criteria import CRITERIA, Asked, By, Criterion, criteria_of
from andon.domain.tasks.measuring import measured
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.verification import Verification, joined, read_verification, without_verifier
from andon.domain.tasks.workflows import WORKFLOWS, workflow_of
from andon.roles.guides import guide, guides_of


@pytest.mark.parametrize("type", [TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW])
@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_D_78_every_phase_has_criteria_of_both_kinds_and_no_id_twice(type: TaskType, phase: int) -> None:
    asked = criteria_of(type, phase)
    ids = [each.id for each in asked]

    assert {each.by for each in asked} >= {By.PROGRAM, By.JUDGE}
    assert len(ids) == len(set(ids))
    assert all(each.startswith(f"{type.label[-1]}{phase}-") for each in ids)
    assert all(bool(each.parts) == (each.by is not By.JUDGE) for each in asked)


@pytest.mark.parametrize("phase", range(6))
def test_D_53_D_78_a_custom_task_has_none(phase: int) -> None:
    assert criteria_of(TaskType.CUSTOM, phase) == ()
    assert len(CRITERIA) == 12


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_D_24_D_78_the_criteria_of_create_app_are_those_of_its_verification_guides(phase: int) -> None:
    asked = criteria_of(TaskType.CREATE_APP, phase)
    written = guide(f"phase{phase}_verification").criteria

    assert [(each.id, each.title, each.by.value, each.critical) for each in asked] == [
        (each.id, each.title, each.by, each.weight == "critical") for each in written
    ]


DOCUMENTED = [(each.type, phase.number) for each in WORKFLOWS.values() for phase in each.phases if phase.documents]


@pytest.mark.parametrize(("type", "phase"), DOCUMENTED)
def test_D_78_every_measurement_of_documents_belongs_to_a_criterion_and_is_made(type: TaskType, phase: int) -> None:
    parts = {part for each in criteria_of(type, phase) for part in each.parts}
    made = [each.id for each in measured(type, phase, {}, {})]

    assert len(made) == len(set(made))
    assert set(made) == parts - {"paths_exist", "code_untouched"}
    assert not next(each for each in measured(type, phase, {}, {}) if each.id == "documents_exist").passed


PIECES = """#|## |- ||---|```|Step 1: |Service: |Files to modify|Trigger|type: |name|단계|0 9 * * 1|GET /a|200|→|F1
risk|schedule|a.py|`|[TODO]|erDiagram|{| |*|1. |[x] |:"""
MARKDOWN = some.lists(some.sampled_from([*PIECES.replace("\n", "|").split("|"), "|", "\n", "\n\n"]), max_size=40).map(
    "".join
)


@given(MARKDOWN)
def test_D_78_any_document_can_be_measured(text: str) -> None:
    for type, phase in DOCUMENTED:
        texts = {document.path: text for document in WORKFLOWS[type].phase(phase).documents}
        found = measured(type, phase, {**texts, "docs/planning/08_tech.md": text}, {})
        assert all(each.passed is (each.detail == "") for each in found)


def test_D_78_phases_of_code_have_no_documents_to_measure() -> None:
    assert measured(TaskType.CREATE_APP, 3, {}, {}) == ()


def test_D_16_without_the_planned_stack_the_comparison_has_not_passed() -> None:
    found = {each.id: each for each in measured(TaskType.CREATE_APP, 2, {"docs/design/05_architecture.md": "Vue"}, {})}

    assert found["technology"].detail == "docs/planning/08_tech.md is missing"


def test_D_71_criteria_of_two_types_differ() -> None:
    create, modify = (criteria_of(type, 1) for type in (TaskType.CREATE_APP, TaskType.MODIFY_APP))

    assert not {each.id for each in modify} & {each.id for each in create}


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


ASKED = (
    Asked("A1", "long enough", By.PROGRAM, ("length",)),
    Asked("A2", "no template", By.JUDGE),
    Asked("A3", "no secrets", By.BOTH, ("secrets",)),
    Asked("A4", "neat", By.JUDGE, critical=False),
)
MEASURED = (Criterion("length", True), Criterion("secrets", True))
ANSWERS = (Criterion("A2", True), Criterion("A3", True), Criterion("A4", True))


def verdict(*answers: Criterion, passed: bool = True) -> Verification:
    return Verification(passed, tuple({each.id: each for each in (*ANSWERS, *answers)}.values()), "fine")


def test_D_79_both_agree() -> None:
    assert joined(ASKED, MEASURED, verdict()) == Verification(
        True, tuple(Criterion(each.id, True) for each in ASKED), "fine"
    )


SHORT = (Criterion("length", False, "short"), MEASURED[1])


@pytest.mark.parametrize(
    ("made", "judged", "failed"),
    [
        pytest.param(MEASURED[1:], verdict(), [("A1", "length: not measured")], id="what andon did not measure"),
        pytest.param(MEASURED, Verification(True, ANSWERS[1:]), [("A2", "not judged")], id="what nobody judged"),
        pytest.param(SHORT, verdict(), [("A1", "short")], id="andon is not outvoted"),
        pytest.param(SHORT, verdict(Criterion("A1", True)), [("A1", "short")], id="nor by who measures himself"),
        pytest.param(MEASURED, verdict(Criterion("A2", False, "template")), [("A2", "template")], id="D-12 a veto"),
        pytest.param(
            MEASURED, verdict(Criterion("A1", False, "padded")), [("A1", "padded")], id="on what was measured"
        ),
        pytest.param(MEASURED[:1], verdict(), [("A3", "secrets: not measured")], id="both means both: the judge alone"),
        pytest.param(
            MEASURED,
            Verification(True, (ANSWERS[0], ANSWERS[2])),
            [("A3", "not judged")],
            id="both means both: the program alone",
        ),
        pytest.param(MEASURED, verdict(Criterion("own", False, "a bug")), [("own", "a bug")], id="an own objection"),
        pytest.param((*MEASURED, Criterion("extra", False, "x")), verdict(), [("extra", "x")], id="measured besides"),
        pytest.param(MEASURED, verdict(passed=False), [], id="a plain no"),
    ],
)
def test_D_12_D_72_D_79_nobody_can_wave_through_what_another_found(
    made: tuple[Criterion, ...], judged: Verification, failed: list[tuple[str, str]]
) -> None:
    found = joined(ASKED, made, judged)

    assert not found.passed
    assert [(each.id, each.detail) for each in found.failed] == failed


def test_D_79_a_remark_is_told_and_stops_nothing() -> None:
    found = joined(ASKED, MEASURED, verdict(Criterion("A4", False, "long lines")))

    assert found.passed
    assert [(each.id, each.detail) for each in found.failed] == [("A4", "long lines")]


ROWS = some.lists(some.builds(Criterion, some.sampled_from("abcd"), some.booleans()), unique_by=lambda row: row.id)
IDS = some.lists(
    some.builds(
        lambda id, by, critical: Asked(id, "", by, () if by is By.JUDGE else (id.lower(),), critical),
        some.sampled_from("ABCD"), some.sampled_from(By), some.booleans(),
    ),
    unique_by=lambda each: each.id,
)  # fmt: skip


@given(IDS, ROWS, ROWS.map(lambda rows: [Criterion(each.id.upper(), each.passed) for each in rows]), some.booleans())
def test_D_79_passed_means_that_everybody_said_so_about_everything_critical(
    asked: list[Asked], made: list[Criterion], judged: list[Criterion], passed: bool
) -> None:
    found = joined(asked, made, Verification(passed, tuple(judged)))

    ids = [each.id for each in found.criteria]
    assert len(ids) == len(set(ids))
    assert {each.id for each in asked} <= {*ids}
    remarks = {each.id for each in asked if not each.critical}
    if found.passed:
        assert passed
        assert all(each.passed for each in judged if each.id not in remarks)
        assert all(each.passed for each in made if each.id.upper() not in remarks)
        critical = [each for each in asked if each.critical]
        assert {part for each in critical for part in each.parts} <= {each.id for each in made}
        assert {each.id for each in critical if each.by is not By.PROGRAM} <= {each.id for each in judged}


def test_D_22_what_andon_found_wrong_needs_no_verifier() -> None:
    found = without_verifier(ASKED, SHORT)

    assert found is not None
    assert (found.passed, found.report) == (False, "A1: short")
    assert without_verifier(ASKED, MEASURED) is None
    nothing = without_verifier(ASKED, ())
    assert nothing is not None
    assert nothing.report == "A1: length: not measured\nA3: secrets: not measured"


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_D_08_D_13_D_17_guides_and_documents_are_those_that_are_shipped(phase: int) -> None:
    defined = workflow_of(TaskType.CREATE_APP).phase(phase)
    shipped = guides_of(defined.name)  # type: ignore[arg-type]

    assert [each.path for each in shipped] == [*defined.guides]
    own = [each.document for each in shipped if each.document and each.document != "README.md"]
    assert own == [each.path for each in defined.documents]
    assert guide(f"phase{phase}_verification").path == defined.verification_guide


def test_G_19_what_nobody_could_measure_is_told_apart_from_what_failed() -> None:
    asked = (
        Asked("one", "Tests pass", By.PROGRAM, ("tests_pass",)),
        Asked("two", "It builds and is tested", By.PROGRAM, ("tests_pass", "builds")),
        Asked("three", "It is documented", By.PROGRAM, ("readme",)),
    )
    rows = [
        Criterion.of("tests_pass", (), ["test: timed out after 120 s"]),
        Criterion.of("builds", ["build: exit code 1"]),
    ]

    found = without_verifier(asked, rows)

    assert found is not None and not found.passed
    assert [(each.passed, each.measured) for each in found.criteria] == [(False, False), (False, True), (False, False)]
    assert found.criteria[1].detail == "build: exit code 1\ntest: timed out after 120 s"
    assert ["measured" in row for row in found.as_json()["criteria"]] == [True, False, True]
