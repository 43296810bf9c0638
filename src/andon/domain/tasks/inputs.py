"""What a person is asked for when a task is created, by type, and which of it is missing (D-128)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from andon.domain.tasks.phases import TaskType


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str
    mandatory: bool = True


FIELDS: Mapping[TaskType, tuple[Field, ...]] = MappingProxyType(
    {
        TaskType.CREATE_APP: (
            Field("description", "What the application does"),
            Field("users", "Who uses it"),
            Field("features", "The key features"),
            Field("technology", "Preferred technology", mandatory=False),
            Field("constraints", "Constraints: budget, time, technical", mandatory=False),
        ),
        TaskType.MODIFY_APP: (
            Field("code", "The repository or code to change"),
            Field("change", "What is to be added, changed or removed"),
            Field("reason", "Why it is needed", mandatory=False),
            Field("documents", "Documents about the application", mandatory=False),
            Field("critical", "What must not break", mandatory=False),
        ),
        TaskType.WORKFLOW: (
            Field("goal", "What is to be automated"),
            Field("trigger", "What starts it"),
            Field("result", "The expected result"),
            Field("integrations", "External services", mandatory=False),
            Field("errors", "What happens when it fails, and who is told", mandatory=False),
        ),
        TaskType.CUSTOM: (Field("prompt", "What you want to know or have done"),),
    }
)


def filled(type: TaskType, given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Label and text of every field that was filled in."""
    return [(field.label, text) for field in FIELDS[type] if (text := given.get(field.name, "").strip())]


def wanted(type: TaskType, text: str, given: Mapping[str, str]) -> str:
    """What a person asked for in their own words, and below it what they said field by field. A field says more about
    the text and never stands for it."""
    more = "\n".join(f"{label}: {said}" for label, said in filled(type, given))
    return f"{text}\n\n{more}" if more else text


def missing_inputs(type: TaskType, given: Mapping[str, str]) -> tuple[Field, ...]:
    """Mandatory fields that were left empty (D-128)."""
    return tuple(each for each in FIELDS[type] if each.mandatory and not given.get(each.name, "").strip())
