"""What a team knows on its way: who it is, how far each unit is, and how its orders are worded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.goal import Goal
from andon.domain.language import LANGUAGE_NAMES, Language
from andon.domain.learning import Lesson
from andon.domain.order import Tier
from andon.domain.run import Ending
from andon.domain.teams.deciding import Decision
from andon.domain.teams.results import Message, Result
from andon.domain.teams.routing import Place
from andon.domain.teams.standing import DONE, FAILED, Lane, Standing, UnitState
from andon.domain.teams.team import LEAD, Member, Team, Work
from andon.pipelines.team.wording import word
from andon.ports import Run

ROLES = WORKER, READER, LEADER, REVIEWER = "team-worker", "team-reader", "team-lead", "team-reviewer"
WORKING_SECONDS, READING_SECONDS = 3600.0, 1200.0
FATAL = ("unauthenticated",)
"""Outcomes of a member that no other one could better."""


@dataclass
class Course:
    run: Run
    team: Team
    feature: str
    folder: str
    """Of the files that the team shares."""
    language: Language
    parallel: int = 4
    servers: frozenset[str] = frozenset()
    """MCP servers that a person lets members use."""
    agent_seconds: float | None = None
    role_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    role_tiers: Mapping[str, str] = field(default_factory=dict[str, str])
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Findings a person accepts, by id, with the reason."""
    direction: str = ""
    """What a person said when they resumed the run: every member that works is told."""
    told: bool = False
    """Somebody has worked with it."""
    goals: tuple[Goal, ...] = ()
    """What the project measures itself by, before anybody changed it."""
    plan: str = ""
    """The team's plan as it was when the leg began."""
    units: dict[str, UnitState] = field(default_factory=dict[str, UnitState])
    lanes: tuple[Lane, ...] = ()
    messages: list[Message] = field(default_factory=list[Message])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    decisions: list[Decision] = field(default_factory=list[Decision])
    """Only ever more of them: members vote by their number, from 1."""
    lessons: list[Lesson] = field(default_factory=list[Lesson])
    """What later runs may want to know of this leg."""
    learned: str = ""
    """What earlier runs on this repository taught, as members are told."""
    ending: Ending | None = None
    """Of a person who wants it to stop here."""

    # --- units --------------------------------------------------------------------------------------------------

    def state(self, work: Work) -> UnitState:
        return self.units.get(work.id) or UnitState()

    def change(self, work: Work, **values: Any) -> None:
        self.units[work.id] = replace(self.state(work), **values)

    def of_state(self, state: str) -> list[Work]:
        return [work for work in self.team.works if self.state(work).state == state]

    @property
    def ready(self) -> list[Work]:
        """What can be begun: everything before it is done."""
        done = {work.id for work in self.of_state(DONE)}
        ended = done | {work.id for work in self.of_state(FAILED)}
        return [work for work in self.team.works if work.id not in ended and done.issuperset(work.after)]

    def number(self, work: Work) -> int:
        """From 1. Names of units may be anything; this one is safe wherever a name is needed."""
        return self.team.works.index(work) + 1

    def before(self, work: Work) -> list[tuple[Work, Result]]:
        """What it builds on: the results of the units that it waits for."""
        found = [each for id in work.after if (each := self.team.work(id))]
        return [(each, result) for each in found if (result := self.state(each).result)]

    def mail(self, member: str) -> list[Message]:
        """For this member. It stays until the order that has it came to something."""
        return [each for each in self.messages if each.to == member]

    def delivered(self, mail: Sequence[Message]) -> None:
        self.messages = [each for each in self.messages if each not in mail]

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    @property
    def voters(self) -> frozenset[str]:
        """Every member that has something to hand in."""
        return frozenset(work.member for work in self.team.works)

    def standing(self) -> Standing:
        return Standing(self.units, self.lanes, tuple(self.messages), self.answers, tuple(self.decisions))

    # --- words --------------------------------------------------------------------------------------------------

    def word(self, key: str, **values: object) -> str:
        return word(self.language, key, **values)

    def titles(self, works: list[Work]) -> str:
        return ", ".join(work.title for work in works)

    async def warn(self, text: str) -> None:
        await self.run.say("warning", text=text)

    async def notify(self, text: str) -> None:
        """Something a person should know now."""
        await self.run.say("user_notified", text=text)

    # --- assignments --------------------------------------------------------------------------------------------

    def member(self, work: Work) -> Member:
        found = self.team.member(work.member)
        assert found is not None  # a team that could not work was refused
        return found

    @property
    def lead(self) -> Member:
        return next(each for each in self.team.members if each.place is Place.LEAD)

    def assignment(
        self,
        role: str,
        member: Member,
        prompt: str,
        *,
        name: str = "",
        title: str = "",
        writes: tuple[str, ...] = (),
        continues: bool = False,
        **values: str,
    ) -> Assignment:
        works = role != REVIEWER
        told = {"team": self.team.id, "purpose": self.team.purpose, "member": member.name, "title": title}
        return Assignment(
            role=role,
            name=name or member.name,
            prompt=f"team/{prompt}",
            tier=Tier(self.role_tiers.get(role) or tier_of(member.model)),
            values=told | {"language": LANGUAGE_NAMES[self.language], "brief": member.prompt} | values,
            writes=writes,
            keeps=(self.folder,) if writes else (),
            direction=self.direction if works else "",
            continues=continues,
            message=self.word("start", name=member.name, title=title),
            seconds=self.longest(role, bool(writes)),
            servers=tuple(name for name in member.mcp if works and name in self.servers),
        )

    def longest(self, role: str, writes: bool) -> float:
        """Seconds that an order may take."""
        usual = WORKING_SECONDS if writes else READING_SECONDS
        return self.role_seconds.get(role) or self.agent_seconds or usual


def tier_of(model: str) -> str:
    """A model of the team file as a tier; what is none of them is left to the middle one."""
    return model if model in list(Tier) else Tier.SONNET.value


def role_of(member: Member, writes: bool) -> str:
    if member.place is Place.LEAD or member.name == LEAD:
        return LEADER if writes else READER
    return WORKER if writes else READER
