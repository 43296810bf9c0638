"""The four workflows by type, and the table that compares them, made from their definitions (D-01, D-02)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from andon.domain.tasks.automation import WORKFLOW
from andon.domain.tasks.create_app import CREATE_APP
from andon.domain.tasks.modify_app import MODIFY_APP
from andon.domain.tasks.phases import TaskType, Workflow

CUSTOM = Workflow(
    TaskType.CUSTOM,
    "anything that needs no phases: a conversation",
    (),
    guides="none",
    start="user prompt",
    challenge="user satisfaction",
)
"""Type-D: prompt, answer, conversation, done (D-53)."""
WORKFLOWS: Mapping[TaskType, Workflow] = MappingProxyType(
    {each.type: each for each in (CREATE_APP, MODIFY_APP, WORKFLOW, CUSTOM)}
)


def workflow_of(type: TaskType) -> Workflow:
    """The one workflow that a task of this type follows (D-01)."""
    return WORKFLOWS[type]


def after(type: TaskType, phase: int) -> int | None:
    """The phase that follows when this one is approved; None completes the task (D-101, G-45)."""
    workflow = workflow_of(type)
    workflow.phase(phase)
    return phase + 1 if phase < len(workflow.phases) else None


def foreign_documents(type: TaskType, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Of these paths, the documents that belong to the workflow of another type only (D-01)."""
    own = {document.path for document in workflow_of(type).documents}
    others = {document.path for each in WORKFLOWS.values() for document in each.documents} - own
    return tuple(path for path in paths if path in others)


NONE = "none"


def comparison() -> tuple[tuple[str, ...], ...]:
    """The comparison of the four types, a row for each subject and a column for each type, heading first (D-02)."""
    workflows = tuple(WORKFLOWS.values())
    phases = (
        (f"Phase {number}", *(_phase_name(each, number) for each in workflows))
        for number in range(1, 1 + max(len(each.phases) for each in workflows))
    )
    return (
        ("", *(f"{each.type.label} ({each.type.value})" for each in workflows)),
        *phases,
        ("Documents", *map(_documents, workflows)),
        ("Guides", *(each.guides for each in workflows)),
        ("Start", *(each.start for each in workflows)),
        ("Verification", *map(_verification, workflows)),
        ("Review gates", *(str(each.gates or NONE) for each in workflows)),
        ("Core challenge", *(each.challenge for each in workflows)),
    )


def _phase_name(workflow: Workflow, number: int) -> str:
    return workflow.phase(number).name if workflow.phases else NONE


def _documents(workflow: Workflow) -> str:
    counts = [len(phase.documents) for phase in workflow.phases if phase.documents]
    if not counts:
        return NONE
    return f"{sum(counts)} ({'+'.join(map(str, counts))})" if max(counts) > 1 else str(sum(counts))


def _verification(workflow: Workflow) -> str:
    if not workflow.phases:
        return NONE
    guides = sum(bool(phase.verification_guide) for phase in workflow.phases)
    return f"{guides} guides" if guides else "custom"
