"""What a workflow is made of: phases, steps, documents and their parts. Only nouns; the four types fill them in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TaskType(StrEnum):
    """The four kinds of task. One task follows the workflow of its type and no other (D-01)."""

    CREATE_APP = "create_app"
    MODIFY_APP = "modify_app"
    WORKFLOW = "workflow"
    CUSTOM = "custom"

    @property
    def label(self) -> str:
        """How people call its workflow (D-01)."""
        return _LABELS[self]


_LABELS = {
    TaskType.CREATE_APP: "Phase-A",
    TaskType.MODIFY_APP: "Phase-B",
    TaskType.WORKFLOW: "Phase-C",
    TaskType.CUSTOM: "Type-D",
}


class Performer(StrEnum):
    """Who does the work of a phase (X-43). Who judges it is never the same agent."""

    AGENT = "agent"
    VERIFIER = "verifier"


@dataclass(frozen=True, slots=True)
class Part:
    """A part that a document must have, found by its heading or by a labelled line, in either language."""

    name: str
    names: tuple[str, ...]
    """Headings that announce it, lower case, the name itself included."""
    anywhere: bool = False
    """A heading that has one of the names anywhere in it announces the part too."""


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    least: int
    """Characters it must have at least."""
    subject: str
    guide: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    title: str
    outcome: str = ""
    guide: str = ""
    document: str = ""
    """Where it can be seen that the step is done, while the agent still works. Nothing: only the verification tells."""
    part: str = ""
    """Which part of the document; the whole of it unless one is named."""


@dataclass(frozen=True, slots=True)
class Phase:
    number: int
    name: str
    steps: tuple[Step, ...] = ()
    documents: tuple[Document, ...] = ()
    performer: Performer = Performer.AGENT
    verification_guide: str = ""
    code: bool = False
    """Whether the phase may change anything but its documents (D-30)."""

    @property
    def guides(self) -> tuple[str, ...]:
        """What has to be read before the phase begins (D-25)."""
        return tuple(step.guide for step in self.steps if step.guide)


@dataclass(frozen=True, slots=True)
class Workflow:
    type: TaskType
    purpose: str
    phases: tuple[Phase, ...]
    guides: str
    """Where its guides come from, in a few words (D-02)."""
    start: str
    challenge: str
    focus: tuple[str, ...] = ()
    """What its prompts must dwell on (D-39)."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents that the workflow asks for (D-08, D-13, D-28, D-31, D-40, D-43)."""
        return tuple(document for phase in self.phases for document in phase.documents)

    @property
    def gates(self) -> int:
        """Reviews over the life of a task that goes well: one after every phase (D-68)."""
        return len(self.phases)

    def phase(self, number: int) -> Phase:
        """The phase of that number, counted from 1. Raises LookupError where there is none (D-01)."""
        for phase in self.phases:
            if phase.number == number:
                return phase
        raise LookupError(f"{self.type.value} has no phase {number}")
