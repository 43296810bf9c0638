"""A team: who is in it, what each does with which tools, how the work flows, and what it shares (B-32 to B-34)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from andon.domain.order import Tier
from andon.domain.patterns import overlap
from andon.domain.teams.layers import Layer
from andon.domain.teams.ralph import Criterion, ExitOn, Settings
from andon.domain.teams.routing import Place
from andon.domain.teams.units import AgentType, leads_outside

LEAD = "lead"


@dataclass(frozen=True, slots=True)
class Work:
    """A unit as the team carries it out."""

    id: str
    title: str
    category: str
    instructions: str
    member: str
    after: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    """Files and folders of the project that it may change; nobody else changes them at the same time."""
    asks: bool = False
    """A person is asked first."""
    checks: tuple[str, ...] = ()
    """Commands that andon runs on its files: each has to end with 0."""


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    place: Place
    model: str
    type: AgentType
    category: str = ""
    tools: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    """Names of servers."""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Team:
    id: str
    name: str
    purpose: str
    categories: tuple[str, ...]
    members: tuple[Member, ...]
    works: tuple[Work, ...]
    layers: tuple[Layer, ...] = (Layer.MARKDOWN,)
    ralph: Settings = field(default_factory=Settings)

    def member(self, name: str) -> Member | None:
        return next((each for each in self.members if each.name == name), None)

    def work(self, id: str) -> Work | None:
        return next((each for each in self.works if each.id == id), None)

    def works_of(self, member: str) -> tuple[Work, ...]:
        return tuple(each for each in self.works if each.member == member)

    def reviewer_of(self, work: Work) -> Member | None:
        """Who looks at its result: the lead of its category, else the lead; never whoever made it."""
        leads = [each for each in self.members if each.place is Place.CATEGORY_LEAD and each.category == work.category]
        leads += [each for each in self.members if each.place is Place.LEAD]
        return next((each for each in leads if each.name != work.member), None)

    @property
    def servers(self) -> tuple[str, ...]:
        """MCP servers of the members that have something to do."""
        busy = {work.member for work in self.works}
        return tuple(dict.fromkeys(name for each in self.members if each.name in busy for name in each.mcp))

    def as_json(self) -> dict[str, Any]:
        """As a run keeps it; `team_from` reads it."""
        return asdict(self)


def lane_of(number: int) -> str:
    """Where the unit of that number is worked on: its folder, its area for whoever takes over."""
    return f"unit-{number}"


def team_from(told: Mapping[str, Any]) -> Team:
    """The team that a run was started with, as it was kept."""
    ralph = dict(told["ralph"])
    ralph |= {"review_criteria": tuple(map(Criterion, ralph["review_criteria"])), "exit_on": ExitOn(ralph["exit_on"])}
    return Team(
        id=told["id"],
        name=told["name"],
        purpose=told["purpose"],
        categories=tuple(told["categories"]),
        members=tuple(_member(each) for each in told["members"]),
        works=tuple(Work(**_tuples(each)) for each in told["works"]),
        layers=tuple(map(Layer, told["layers"])),
        ralph=Settings(**ralph),
    )


def _member(told: Mapping[str, Any]) -> Member:
    values: dict[str, Any] = {**_tuples(told), "place": Place(told["place"]), "type": AgentType(told["type"])}
    return Member(**values)


def _tuples(told: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(cast("list[Any]", value)) if isinstance(value, list) else value for key, value in told.items()}


def problems(team: Team) -> list[str]:
    """What keeps a team from working, each in a sentence. Nothing is mended silently."""
    names = [each.name for each in team.members]
    ids = [each.id for each in team.works]
    found = [f"Two members are called {name}" for name in _twice(names)]
    found += [f"Two units are called {id}" for id in _twice(ids)]
    if not any(each.place is Place.LEAD for each in team.members):
        found.append("No member is the lead")
    tiers = [str(tier) for tier in Tier]
    strange = [each for each in team.members if each.model not in tiers]
    found += [f"{each.name}: there is no model {each.model}; {', '.join(tiers)}" for each in strange]
    for work in team.works:
        member = team.member(work.member)
        if member is None:
            found.append(f"{work.id}: there is no member {work.member}")
            continue
        if work.asks and member.place is not Place.LEAD:
            found.append(f"{work.id} asks a person: only the lead does that")
        if work.writes and member.type is not AgentType.GENERAL:
            found.append(f"{work.id} writes, and {member.name} is {member.type.value}, which only reads")
        found += [f"{work.id}: {path} is not in the project" for path in work.writes if leads_outside(path)]
        found += [f"{work.id} waits for {id}, which there is not" for id in work.after if id not in ids]
    found += _circle(team)
    found += _clashes(team)
    if team.ralph.problem:
        found.append(f"ralph: {team.ralph.problem}")
    return found


def _twice(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _circle(team: Team) -> list[str]:
    known = {work.id for work in team.works}
    left = {work.id: known & {*work.after} for work in team.works}
    while ready := [id for id, after in left.items() if not after]:
        for id in ready:
            del left[id]
        for after in left.values():
            after.difference_update(ready)
    while idle := [id for id in left if not any(id in after for after in left.values())]:
        for id in idle:  # it waits for the circle, and is not in it
            del left[id]
    return [f"These wait for each other: {', '.join(sorted(left))}"] if left else []


def _clashes(team: Team) -> list[str]:
    """Two workers that may work at the same time must not write the same (B-22, X-21). A lead waits for its turn."""
    every = {work.id: work for work in team.works}
    before = {work.id: _all_before(every, work) for work in team.works}
    found = list[str]()
    works = [work for work in team.works if (by := team.member(work.member)) and by.place is not Place.LEAD]
    for at, one in enumerate(works):
        for other in works[at + 1 :]:
            shared = [path for path in one.writes if any(overlap(path, far) for far in other.writes)]
            if shared and one.id not in before[other.id] and other.id not in before[one.id]:
                found.append(f"{one.id} and {other.id} may both write {shared[0]} at the same time")
    return found


def _all_before(works: Mapping[str, Work], work: Work) -> set[str]:
    found, left = set[str](), list(work.after)
    while left:
        if (id := left.pop()) not in found:
            found.add(id)
            left.extend(works[id].after if id in works else ())
    return found
