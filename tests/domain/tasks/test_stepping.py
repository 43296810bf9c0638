"""How far a phase is, by what lies there (D-120)."""

from __future__ import annotations

import pytest

from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.stepping import Seen, Underway
from andon.domain.tasks.workflows import WORKFLOWS, workflow_of

DESIGN = Underway(TaskType.CREATE_APP, workflow_of(TaskType.CREATE_APP).phase(2))
PLAN = Underway(TaskType.MODIFY_APP, workflow_of(TaskType.MODIFY_APP).phase(2))
LONG = "# Screens\n" + "A page shows the tools that are free today. " * 20


def test_D_120_S_26_three_documents_of_five_in_phase_2_are_40_percent() -> None:
    seen = DESIGN.seen(dict.fromkeys(DESIGN.paths[:3], LONG), {})

    assert (seen.steps, seen.documents) == (frozenset({1, 2, 3}), DESIGN.paths[:3])
    assert DESIGN.progress(seen) == 0.4 and DESIGN.next_step(seen) == 4


@pytest.mark.parametrize(
    ("texts", "before"),
    [
        ({}, {}),
        ({DESIGN.paths[0]: "  \n"}, {}),
        ({DESIGN.paths[0]: "# Screens\nTo come."}, {}),  # too short to be what the step asks for (D-13)
        ({DESIGN.paths[0]: LONG}, {DESIGN.paths[0]: LONG}),  # lay there before
        ({"docs/design/06_more.md": LONG}, {}),
    ],
)
def test_D_120_what_does_not_show_that_a_step_is_done(texts: dict[str, str], before: dict[str, str]) -> None:
    assert DESIGN.seen(texts, before).steps == frozenset()


def test_D_120_a_step_of_one_document_is_a_part_of_it_with_something_in_it() -> None:
    [path] = PLAN.paths

    seen = PLAN.seen({path: "# Plan\n## Requirements\nCount words.\n## Risks\n\n## Tests\nFour cases.\n"}, {})

    assert seen.steps == {1, 4}  # the risks are a heading and nothing else; the approach is not there


def test_D_120_within_an_attempt_nothing_becomes_undone() -> None:
    assert (Seen(("a",), frozenset({1, 2})) | Seen((), frozenset({3}))) == Seen(("a",), frozenset({1, 2, 3}))


@pytest.mark.parametrize("type", [each for each in WORKFLOWS if each is not TaskType.CUSTOM])
def test_D_120_every_step_of_a_phase_of_documents_can_be_seen(type: TaskType) -> None:
    for phase in workflow_of(type).phases:
        named = {(document.path, part.name) for document in phase.documents for part in document.parts}
        whole = {(document.path, "") for document in phase.documents}
        shown = {(step.document, step.part) for step in phase.steps if step.document}
        assert shown <= named | whole
        assert all(step.document for step in phase.steps) == bool(phase.documents or not phase.steps)


def test_D_120_all_steps_of_the_last_phase_are_never_more_than_everything() -> None:
    assert DESIGN.progress(Seen((), frozenset(range(1, 99)))) == 0.5
