"""A proposal for a team, out of a workflow and what there is: units, roles, models, tools, ownership (B-25 to B-34)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from andon.domain.patterns import overlap
from andon.domain.teams.categories import CATEGORIES, CUSTOM, Category, main_categories, team_id
from andon.domain.teams.graph import levels
from andon.domain.teams.layers import layers_for
from andon.domain.teams.matching import Match
from andon.domain.teams.panes import Mode, Panes
from andon.domain.teams.prompting import Prompt, Remark, Role, prompt, quick_review
from andon.domain.teams.ralph import Advice, Settings, suitability
from andon.domain.teams.resources import Inventory
from andon.domain.teams.routing import LONG_CONTEXT, Place, model_for, worker_model
from andon.domain.teams.tables import BUILT_IN, Tables
from andon.domain.teams.team import LEAD, Member, Team, Work
from andon.domain.teams.units import AgentType, Unit, slug

ALL_TOOLS = ("Read", "Write", "Edit", "Bash", "Glob", "Grep")


@dataclass(frozen=True, slots=True)
class Workflow:
    """A document, read."""

    name: str
    description: str
    path: str
    text: str
    units: tuple[Unit, ...]
    allowed: tuple[str, ...] = ()
    model: str = ""
    notes: tuple[str, ...] = ()
    """What was found wanting in it."""
    about: tuple[str, ...] = ()
    """Headings that tell about the document, and are no work."""

    known: tuple[Category, ...] = CATEGORIES
    """Kinds of work that there are."""

    @property
    def categories(self) -> tuple[str, ...]:
        return main_categories(self.text, self.known)


@dataclass(frozen=True, slots=True)
class Proposal:
    workflow: Workflow
    team: Team
    matches: tuple[Match, ...]
    prompts: Mapping[str, Prompt]
    remarks: tuple[Remark, ...]
    panes: Panes
    advice: tuple[str, Advice] | None


@dataclass(frozen=True, slots=True)
class Requirements:
    """What has to be there before a team can work (B-34)."""

    panes: bool
    servers: tuple[str, ...]
    programs: tuple[str, ...]
    optional: tuple[str, ...]


def requirements(made: Proposal) -> Requirements:
    needed = [each for each in made.matches if not each.optional]
    servers = tuple(each.needed for each in needed if each.server)
    programs = tuple(each.needed for each in needed if not each.server)
    optional = tuple(each.needed for each in made.matches if each.optional)
    return Requirements(made.panes.mode is Mode.TMUX, servers, programs, optional)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the proposal depends on, beside the workflow."""

    inventory: Inventory
    matches: tuple[Match, ...]
    panes: Panes
    request: str = ""
    """What the person said about it."""
    tables: Tables = BUILT_IN


def compose(workflow: Workflow, around: Circumstances) -> Proposal:
    whole = workflow.categories
    categories = {unit.id: _category(unit, whole[0], workflow.known) for unit in workflow.units}
    owners = _owners(workflow.units)
    named = team_id(whole[0], slug(workflow.name), workflow.known)
    works = tuple(_work(unit, categories[unit.id], owners[unit.id]) for unit in workflow.units)
    members = _members(workflow, categories, owners)
    roles = tuple(_role(each, works, workflow, named) for each in members if each.place is Place.WORKER)
    prompts = {role.name: prompt(role, around.tables) for role in roles}
    told = tuple(replace(each, prompt=prompts[each.name].text) if each.name in prompts else each for each in members)
    advice = suitability(workflow.text)
    memory = any(server.category == "memory" for server in around.inventory.servers if not server.problem)
    team = Team(
        id=named,
        name=workflow.name,
        purpose=workflow.description or workflow.name,
        categories=whole,
        members=told,
        works=works,
        layers=layers_for(len(told), around.request, memory),
        ralph=Settings(enabled=advice is not None and advice[1] in (Advice.STRONGLY, Advice.RECOMMENDED)),
    )
    return Proposal(workflow, team, around.matches, prompts, quick_review(roles), around.panes, advice)


def _category(unit: Unit, whole: str, known: Sequence[Category]) -> str:
    """Its own words first; where they say nothing, those of the whole."""
    own = main_categories(f"{unit.title}\n{unit.body}", known)[0]
    return own if own != CUSTOM else whole


def _owners(units: Sequence[Unit]) -> dict[str, str]:
    """Who carries out each unit. What asks a person is the lead's; what writes is a worker's only when its files are
    its own (B-25, X-21)."""
    at_once = {id: {*level} for level in levels(units) for id in level}
    found = dict[str, str]()
    for unit in units:
        others = [each for each in units if each.id in at_once[unit.id] and each.id != unit.id]
        shared = any(overlap(one, two) for each in others for one in unit.files for two in each.files)
        leads = unit.asks or (unit.writes and (not unit.files or shared))
        found[unit.id] = LEAD if leads else unit.id
    return found


def _members(workflow: Workflow, categories: Mapping[str, str], owners: Mapping[str, str]) -> tuple[Member, ...]:
    servers = tuple(dict.fromkeys(tool.server for unit in workflow.units for tool in unit.mcp))
    lead = Member(LEAD, Place.LEAD, model_for(Place.LEAD), AgentType.GENERAL, "", ALL_TOOLS, servers)
    workers = [_worker(unit, categories[unit.id]) for unit in workflow.units if owners[unit.id] != LEAD]
    kinds = dict.fromkeys(categories[unit.id] for unit in workflow.units)
    leads = [_category_lead(kind, workflow, categories) for kind in kinds]
    return (lead, *leads, *workers)


def _category_lead(kind: str, workflow: Workflow, categories: Mapping[str, str]) -> Member:
    own = [unit for unit in workflow.units if categories[unit.id] == kind]
    long = sum(len(unit.body) for unit in own) > LONG_CONTEXT
    servers = tuple(dict.fromkeys(tool.server for unit in own for tool in unit.mcp))
    model = model_for(Place.CATEGORY_LEAD, long=long)
    return Member(f"lead-{kind.casefold()}", Place.CATEGORY_LEAD, model, AgentType.GENERAL, kind, ALL_TOOLS, servers)


def _worker(unit: Unit, kind: str) -> Member:
    model = worker_model(f"{unit.title}\n{unit.body}", unit.type, long=len(unit.body) > LONG_CONTEXT)
    servers = tuple(dict.fromkeys(tool.server for tool in unit.mcp))
    return Member(unit.id, Place.WORKER, model, unit.type, kind, unit.allowed, servers)


def _work(unit: Unit, kind: str, member: str) -> Work:
    return Work(
        id=unit.id,
        title=unit.title,
        category=kind,
        instructions=unit.body.strip() or unit.title,
        member=member,
        after=unit.after,
        inputs=unit.inputs,
        outputs=unit.outputs,
        writes=_scope(unit, member),
        asks=unit.asks,
        checks=unit.checks,
    )


def _scope(unit: Unit, member: str) -> tuple[str, ...]:
    """What it may change. A lead that writes and is not told where may write anywhere: nobody else writes then."""
    if not unit.writes:
        return ()
    return unit.files or ((".",) if member == LEAD else ())


def _role(member: Member, works: Sequence[Work], workflow: Workflow, team: str) -> Role:
    own = [work for work in works if work.member == member.name]
    return Role(
        name=member.name,
        description=", ".join(work.title for work in own),
        tasks=tuple(in_a_line(work) for work in own),
        type=member.type,
        category=member.category,
        team=team,
        purpose=workflow.description,
        writes=tuple(path for work in own for path in work.writes),
    )


def in_a_line(work: Work) -> str:
    """A unit in a line: its title, and what comes out of it."""
    return f"{work.title} → {', '.join(work.outputs)}" if work.outputs else work.title
