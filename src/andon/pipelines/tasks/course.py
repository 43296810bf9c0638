"""What a task knows on its way: its type, what was asked for, and what has been measured so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.goal import Goal
from andon.domain.language import LANGUAGE_NAMES, Language
from andon.domain.order import Tier
from andon.domain.tasks.inputs import wanted
from andon.domain.tasks.phases import Document, Phase, TaskType, Workflow
from andon.domain.tasks.progress import task_progress
from andon.domain.tasks.stepping import Underway
from andon.domain.tasks.workflows import workflow_of
from andon.pipelines.tasks.wording import word
from andon.ports import Run

AGENT, VERIFIER = "task-agent", "task-verifier"
WORKING_SECONDS, READING_SECONDS = 3600.0, 900.0


class Stage(StrEnum):
    """What is being done with a phase."""

    WORK = "work"
    REWORK = "rework"
    VERIFY = "verification"
    REVIEW = "review"


@dataclass
class Place:
    """Where in a task its run is: enough to go on from there (D-118, D-119)."""

    phase: int = 0
    stage: Stage = Stage.WORK
    reworks: int = 0
    told: str = ""
    """What the agent is to mend, and who says so."""
    origin: str = ""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Place:
        """From the checkpoint that the last leg ended with."""
        stage = Stage(told.get("step") or Stage.WORK)
        said, origin = str(told.get("told") or ""), str(told.get("origin") or "")
        return cls(int(told.get("phase") or 1), stage, int(told.get("reworks") or 0), said, origin)


@dataclass
class Course:
    run: Run
    type: TaskType
    task: str
    inputs: Mapping[str, str]
    language: Language
    agent_seconds: float | None = None
    role_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    role_tiers: Mapping[str, str] = field(default_factory=dict[str, str])
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Findings a person accepts, by id, with the reason."""
    goals: tuple[Goal, ...] = ()
    """What the project measured itself by before the task began."""
    plan: str = ""
    """What a person has approved that the work be done by: documents of the phases before the code, as they were."""
    began: str = ""
    """The tree that the present phase began with."""
    place: Place = field(default_factory=Place)
    """Where it stands, for whoever goes on with it."""
    direction: str = ""
    """What a person said when they resumed the task, until the agent has been told."""

    @property
    def workflow(self) -> Workflow:
        return workflow_of(self.type)

    @property
    def planned(self) -> tuple[Document, ...]:
        """What is approved before any code is written."""
        return tuple(document for phase in self.workflow.phases if not phase.code for document in phase.documents)

    @property
    def wanted(self) -> str:
        return wanted(self.type, self.task, self.inputs)

    def standing(self) -> dict[str, Any]:
        """What a checkpoint keeps of it (D-118)."""
        place = self.place
        steps = len(self.workflow.phase(place.phase).steps) if place.phase else 0
        done = steps if place.stage is Stage.REVIEW else 0
        left = [each.name for each in self.workflow.phases if each.number > place.phase]
        told = {"phase": place.phase, "step": place.stage.value, "began": self.began, "reworks": place.reworks}
        told |= {"progress": task_progress(self.type, max(0, place.phase - 1), done), "pending": [place.stage, *left]}
        return told | {"told": place.told, "origin": place.origin}

    def word(self, key: str, **values: object) -> str:
        return word(self.language, key, **values)

    async def notify(self, text: str) -> None:
        """Something a person should know now."""
        await self.run.say("user_notified", text=text)

    def assignment(
        self,
        role: str,
        prompt: str,
        phase: Phase,
        *,
        writes: tuple[str, ...],
        keeps: tuple[str, ...] = (),
        **values: str,
    ) -> Assignment:
        """The agent is one and the same for the whole task: it knows what it did. A verifier is a fresh one each time,
        and never the agent (D-71)."""
        works = role == AGENT
        direction, self.direction = (self.direction, "") if works else ("", self.direction)
        named = {"phase": str(phase.number), "phase_name": phase.name, "type": self.type.value}
        return Assignment(
            role=role,
            name=role if works else f"{role}-{phase.number}",
            prompt=f"tasks/{prompt}",
            tier=Tier(self.role_tiers.get(role) or Tier.SONNET),
            values={"task": self.wanted, "language": LANGUAGE_NAMES[self.language], **named, **values},
            writes=writes,
            keeps=keeps,
            direction=direction,
            continues=works,
            place=self.standing(),
            underway=Underway(self.type, phase) if works else None,
            message=self.word("start", name=role),
            seconds=self.role_seconds.get(role)
            or self.agent_seconds
            or (WORKING_SECONDS if works else READING_SECONDS),
        )
