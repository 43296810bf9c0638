"""create_app and workflow on a real engine, with documents that are made from the guides."""

from __future__ import annotations

import pytest

from andon.domain.tasks.automation import REQUIREMENTS
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.workflows import workflow_of
from floor import Floor
from task_floor import Person, documents, ending, working


def failed(floor: Floor, phase: int) -> list[str]:
    told = [each for each in floor.told("phase_verified") if each["number"] == phase]
    return [row["detail"] for row in told[-1]["criteria"] if not row["passed"]] if told else ["never verified"]


@pytest.mark.parametrize("type", [TaskType.CREATE_APP, TaskType.WORKFLOW])
def test_D_07_D_39_the_documents_of_both_planning_phases_pass_and_are_approved(floor: Floor, type: TaskType) -> None:
    # Given an agent that writes what the guides ask for, and code without any test
    first, second = documents(type, 1), documents(type, 2)
    rules = [working(1, 1, first), working(2, 2, second)]
    rules += [working(call, 3, {"code.py": "x = 1\n"}) for call in range(3, 7)]

    found = ending(floor, type, *rules)

    # Then both phases are approved as they are, and the third never passes
    assert (found["status"], found["reason"]) == ("failed", "verification"), [failed(floor, each) for each in (1, 2)]
    assert (failed(floor, 1), failed(floor, 2)) == ([], [])
    assert [(each["number"], each["status"]) for each in floor.told("review_decided")] == [
        (1, "approved"),
        (2, "approved"),
    ]
    assert any("no test" in each for each in failed(floor, 3))


def test_D_08_a_document_that_is_missing_is_named_and_nobody_else_is_asked(floor: Floor) -> None:
    eight = {path: text for path, text in documents(TaskType.CREATE_APP, 1).items() if "05_" not in path}
    rules = [working(call, 1, eight) for call in (1, 2, 3, 4)]

    found = ending(floor, TaskType.CREATE_APP, *rules)

    assert found["reason"] == "verification"
    assert failed(floor, 1)[0] == "docs/planning/05_business_model.md is missing"
    assert [each["attempt"] for each in floor.told("rework")] == [1, 2, 3]  # D-73, X-48
    assert not [each for each in floor.told("spawn") if each["name"].startswith("task-verifier")]
    assert floor.told("review_decided") == []


def test_D_25_every_guide_of_a_phase_is_told_before_it_begins() -> None:
    from andon.pipelines.tasks.working import _guides

    for number, count in ((1, 9), (2, 5), (3, 6)):
        told = _guides(workflow_of(TaskType.CREATE_APP).phase(number))
        assert told.count("### /guide/") == count


def test_D_35_what_a_person_approved_is_not_edited_by_whoever_carries_it_out(floor: Floor) -> None:
    # Given an agent that, in the phase of the code, writes into the requirements what would excuse it
    files = {"code.py": "x = 1\n", REQUIREMENTS: "- `tests/test_a.py`: remove all tests\n"}
    rules = [working(number, number, documents(TaskType.WORKFLOW, number)) for number in (1, 2)]

    found = ending(floor, TaskType.WORKFLOW, *rules, *(working(call, 3, files) for call in range(3, 7)))

    # Then nothing of what it wrote is taken
    assert found["reason"] == "teammate_refused"
    assert {REQUIREMENTS in each["detail"] for each in floor.told("scope_refused")} == {True}


def test_X_41_X_42_a_placeholder_and_a_short_design_are_reworked_and_a_todo_app_is_none(floor: Floor) -> None:
    # Given documents about a todo app, one of them with a marker left in it, and later a design of 400 characters
    plans = {path: f"{text}\nA todo app, nothing more.\n" for path, text in documents(TaskType.CREATE_APP, 1).items()}
    designs = documents(TaskType.CREATE_APP, 2)
    plan, design = next(iter(plans)), next(iter(designs))
    marked = plans | {plan: f"{plans[plan]}\nTODO: who pays?\n"}
    short = designs | {design: f"{designs[design][:400]}"}
    rules = [working(1, 1, marked), working(2, 1, plans), working(3, 2, short), working(4, 2, designs)]

    ending(floor, TaskType.CREATE_APP, *rules)

    # Then each is found and mended, and a person sees what is left: nothing
    told = [" ".join(each["reasons"]) for each in floor.told("rework") if each["number"] in (1, 2)]
    assert len(told) == 2 and "TODO" in told[0] and told[0].count("docs/planning") == 1
    assert f"{design} has" in told[1] and "500 are needed" in told[1]
    assert [each["number"] for each in floor.told("review_decided")] == [1, 2]


class GivesTheKeyLate(Person):
    """Approves everything, and gives the code's agent a secret that stands in a document already."""

    def look(self, floor: Floor) -> None:
        super().look(floor)
        if any(review.phase == 2 for review in self.seen):
            floor.variables = {"MAIL_KEY": KEY}


KEY = "quiet-river-of-may"


def test_D_116_an_approved_document_that_turns_out_to_hold_a_secret_is_mended_by_andon(floor: Floor) -> None:
    # Given requirements that name what nobody knew to be a secret, and a person who gives it when they are approved
    plans = {path: f"{text}\nThe key is {KEY}.\n" for path, text in documents(TaskType.WORKFLOW, 1).items()}
    rules = [working(1, 1, plans), working(2, 2, documents(TaskType.WORKFLOW, 2))]
    rules += [working(call, 3, {"code.py": "x = 1\n"}) for call in range(3, 7)]

    ending(floor, TaskType.WORKFLOW, *rules, person=GivesTheKeyLate())

    # Then the agent, which may not touch it, is not blamed for it
    assert not any(KEY in each or "MAIL_KEY" in each for each in failed(floor, 3))
    [hidden] = floor.told("secret_hidden")
    assert (hidden["name"], hidden["path"]) == ("andon", REQUIREMENTS)
    text = (floor.tree / REQUIREMENTS).read_text()
    assert "The key is [redacted]." in text and KEY not in text
