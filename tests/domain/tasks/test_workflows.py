"""The four workflows as data, and the table made from them."""

from __future__ import annotations

import pytest

from andon.domain.tasks.automation import CHECKLIST
from andon.domain.tasks.phases import Performer, TaskType
from andon.domain.tasks.workflows import WORKFLOWS, after, comparison, foreign_documents, workflow_of

A, B, C, D = TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW, TaskType.CUSTOM


def test_D_01_four_types_each_with_its_name_and_documents_of_its_own() -> None:
    assert [(each.value, each.label) for each in WORKFLOWS] == [
        ("create_app", "Phase-A"),
        ("modify_app", "Phase-B"),
        ("workflow", "Phase-C"),
        ("custom", "Type-D"),
    ]
    paths = [document.path for each in WORKFLOWS.values() for document in each.documents]
    assert len(paths) == len(set(paths)) == 18


@pytest.mark.parametrize("type", [*TaskType])
def test_D_01_a_document_of_another_type_is_foreign_and_an_own_one_is_not(type: TaskType) -> None:
    own = tuple(document.path for document in workflow_of(type).documents)
    others = tuple(document.path for each in TaskType if each is not type for document in workflow_of(each).documents)

    assert foreign_documents(type, (*own, "src/app.py", "docs/planning/notes.md")) == ()
    assert foreign_documents(type, others) == others


def test_D_02_X_40_the_comparison_is_made_from_the_definitions() -> None:
    assert comparison() == (
        ("", "Phase-A (create_app)", "Phase-B (modify_app)", "Phase-C (workflow)", "Type-D (custom)"),
        ("Phase 1", "planning", "analysis", "planning", "none"),
        ("Phase 2", "design", "planning", "design", "none"),
        ("Phase 3", "development", "implementation", "development", "none"),
        ("Phase 4", "verification", "verification", "verification", "none"),
        ("Documents", "14 (9+5)", "2", "2", "none"),
        ("Guides", "all", "none (autonomous)", "Phase-A guides adapted", "none"),
        ("Start", "blank", "existing code base", "blank", "user prompt"),
        ("Verification", "3 guides", "custom", "custom", "none"),
        ("Review gates", "4", "4", "4", "none"),
        (
            "Core challenge",
            *("complete planning and design", "preserve existing function"),
            *("integration and triggers", "user satisfaction"),
        ),
    )


@pytest.mark.parametrize(("type", "steps"), [(A, [9, 5, 6, 0]), (B, [3, 4, 6, 3]), (D, [])])
def test_D_07_D_27_phases_have_these_numbers_of_steps(type: TaskType, steps: list[int]) -> None:
    assert [len(phase.steps) for phase in workflow_of(type).phases] == steps
    assert [phase.number for phase in workflow_of(type).phases] == list(range(1, len(steps) + 1))


@pytest.mark.parametrize(
    ("phase", "folder", "names"),
    [
        (
            1,
            "planning",
            "01_idea 02_market 03_persona 04_user_journey 05_business_model 06_product 07_features 08_tech 09_roadmap",
        ),
        (2, "design", "01_screen 02_data_model 03_task_flow 04_api 05_architecture"),
    ],
)
def test_D_08_D_13_documents_stand_beside_guides_of_the_same_name(phase: int, folder: str, names: str) -> None:
    documents = workflow_of(A).phase(phase).documents

    assert [each.path for each in documents] == [f"docs/{folder}/{name}.md" for name in names.split()]
    assert [each.guide for each in documents] == [f"/guide/{folder}/{name}.md" for name in names.split()]
    assert {each.least for each in documents} == {500}


def test_D_17_development_has_six_steps_and_their_guides() -> None:
    steps = workflow_of(A).phase(3).steps

    assert [each.name for each in steps] == ["01_setup", "02_data", "03_logic", "04_ui", "05_testing", "06_deploy"]
    assert [each.guide for each in steps] == [f"/guide/development/{each.name}.md" for each in steps]
    assert [each.outcome for each in steps][0::5] == ["project structure", "deployment configuration"]


def test_D_23_X_43_only_the_fourth_phase_of_create_app_is_the_verifiers() -> None:
    performers = {(each.type, phase.number): phase.performer for each in WORKFLOWS.values() for phase in each.phases}

    assert [place for place, performer in performers.items() if performer is Performer.VERIFIER] == [(A, 4)]


def test_D_24_D_25_guides_of_phases_and_of_their_verification() -> None:
    phases = workflow_of(A).phases

    assert [len(phase.guides) for phase in phases] == [9, 5, 6, 0]
    assert [phase.verification_guide for phase in phases] == [
        *(f"/guide/verification/phase{number}_verification.md" for number in (1, 2, 3)),
        "",
    ]
    assert not any(phase.guides or phase.verification_guide for phase in workflow_of(B).phases)


@pytest.mark.parametrize(
    ("type", "phase", "path", "least", "parts"),
    [
        (B, 1, "docs/analysis/current_state.md", 1000, 8),
        (B, 2, "docs/planning/modification_plan.md", 800, 7),
        (C, 1, "docs/planning/workflow_requirements.md", 800, 7),
        (C, 2, "docs/design/workflow_design.md", 1000, 7),
    ],
)
def test_D_28_D_31_D_40_D_43_one_document_with_its_parts(
    type: TaskType, phase: int, path: str, least: int, parts: int
) -> None:
    (document,) = workflow_of(type).phase(phase).documents

    assert (document.path, document.least, len(document.parts)) == (path, least, parts)


def test_D_33_implementation_has_six_steps_in_this_order() -> None:
    assert [each.title for each in workflow_of(B).phase(3).steps] == [
        *("code change", "refactoring", "documentation", "dependencies", "configuration", "build check"),
    ]


def test_D_30_only_later_phases_may_change_code() -> None:
    assert {each.type: [phase.code for phase in each.phases] for each in WORKFLOWS.values()} == {
        A: [False, False, True, False],
        B: [False, False, True, True],
        C: [False, False, True, True],
        D: [],
    }


def test_D_39_a_workflow_dwells_on_five_subjects() -> None:
    assert [each.partition(":")[0] for each in workflow_of(C).focus] == [
        *("triggers", "steps", "integrations", "error handling", "state management"),
    ]
    for word in ("cron", "webhook", "parallel", "retry", "fallback", "notification"):
        assert any(word in each for each in workflow_of(C).focus), word


def test_D_50_six_groups_of_26_items() -> None:
    assert {group: len(items) for group, items in CHECKLIST.items()} == {
        "triggers": 4,
        "steps": 5,
        "integrations": 5,
        "end to end": 4,
        "error scenarios": 5,
        "performance": 3,
    }


@pytest.mark.parametrize("type", [A, B, C])
def test_D_68_G_45_four_gates_and_after_the_last_the_task_is_complete(type: TaskType) -> None:
    assert workflow_of(type).gates == 4
    assert [after(type, phase) for phase in (1, 2, 3, 4)] == [2, 3, 4, None]
    with pytest.raises(LookupError, match="no phase 5"):
        after(type, 5)


def test_D_53_D_68_a_custom_task_has_no_phase_no_document_and_no_gate() -> None:
    custom = workflow_of(D)

    assert (custom.phases, custom.documents, custom.gates) == ((), (), 0)
    with pytest.raises(LookupError, match="custom has no phase 1"):
        custom.phase(1)
