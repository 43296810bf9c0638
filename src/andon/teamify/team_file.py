"""team.yaml: a team as people read and change it. Its schema is published with the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from andon.domain.errors import UserError
from andon.domain.teams.layers import Layer
from andon.domain.teams.ralph import Criterion, ExitOn, Settings
from andon.domain.teams.routing import Place
from andon.domain.teams.team import Member, Team, Work, problems
from andon.domain.teams.units import AgentType
from andon.teamify.forms import load_yaml
from andon.teamify.mistakes import listed

LARGEST = 20_000_000
HEAD = """# A team. Change what you like; `andon team check` says whether it can work.
"""


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class UnitPart(Part):
    """What is to be done, once."""

    id: str = Field(min_length=1, max_length=80, description="Its name among the units.")
    title: str = Field(min_length=1, max_length=200, description="What people call it.")
    category: str = Field(default="custom", description="Whose lead reviews it.")
    member: str = Field(description="Who does it.")
    after: list[str] = Field(default=[], description="Units that have to be finished before.")
    inputs: list[str] = Field(default=[], description="What it takes.")
    outputs: list[str] = Field(default=[], description="What comes out of it; what is a path is looked for afterwards.")
    writes: list[str] = Field(default=[], description="Files and folders that it may change. None: it only reads.")
    asks: bool = Field(default=False, description="A person is asked before it begins.")
    checks: list[str] = Field(default=[], description="Commands that andon runs on its files; each has to end with 0.")
    instructions: str = Field(default="", max_length=200_000, description="What is to be done; its title where empty.")


class MemberPart(Part):
    """Somebody of the team."""

    name: str = Field(min_length=1, max_length=80, description="By which units name it.")
    place: Place = Field(
        default=Place.WORKER, description="The lead; the lead of a category, who reviews; or a worker."
    )
    model: str = Field(default="sonnet", description="A tier: haiku, sonnet, opus, or one with [1m].")
    type: AgentType = Field(default=AgentType.EXPLORE, description="Explore and Plan read; general-purpose writes.")
    category: str = Field(default="", description="The kind of work that it leads or does.")
    tools: list[str] = Field(default=[], description="Tools that it may use.")
    mcp: list[str] = Field(default=[], description="MCP servers that it needs.")
    prompt: str = Field(default="", max_length=200_000, description="What it is told besides its unit.")


class RalphPart(Part):
    """The review loop: every result is shipped or revised, so many times at most."""

    enabled: bool = Field(default=False, description="Whether results are reviewed at all.")
    max_iterations: int = Field(default=5, ge=1, le=10, description="How often one result is revised at most.")
    review_criteria: list[Criterion] = Field(
        default=[Criterion.COMPLETENESS, Criterion.ACCURACY], min_length=1, description="What is looked at."
    )
    exit_on: ExitOn = Field(default=ExitOn.SHIP, description="When the loop ends.")


class TeamFile(Part):
    """A team: who does what, in which order, and what they share."""

    version: int = Field(default=1, ge=1, le=1, description="Of this form.")
    team: str = Field(min_length=1, max_length=200, description="Its id, such as km.ingest.web.standard.")
    name: str = Field(min_length=1, max_length=200, description="What people call it.")
    purpose: str = Field(default="", description="In a sentence.")
    workflow: str = Field(default="", description="The document that it was made from.")
    categories: list[str] = Field(default=[], description="Kinds of its work, the main one first.")
    memory: list[Layer] = Field(default=[Layer.MARKDOWN], description="What its members share.")
    ralph: RalphPart = Field(default=RalphPart(), description="How results are reviewed.")
    members: list[MemberPart] = Field(min_length=1, max_length=200, description="Who works in it.")
    units: list[UnitPart] = Field(min_length=1, max_length=500, description="What is to be done.")


FORMS = {(): TeamFile, ("ralph",): RalphPart, ("members",): MemberPart, ("units",): UnitPart}


def written(team: Team, workflow: str) -> str:
    """The text of the file. Raises UserError for a team that no file can hold."""
    try:
        told = _told(team, workflow)
    except ValidationError as error:
        hint = "A file has at most 200 members and 500 units: take headings out of the workflow, or divide it."
        raise UserError(f"The team cannot be written:\n{listed(error, FORMS)}", hint) from None
    return HEAD + _yaml(told.model_dump(mode="json"))


def _told(team: Team, workflow: str) -> TeamFile:
    return TeamFile(
        team=team.id,
        name=team.name,
        purpose=team.purpose,
        workflow=workflow,
        categories=list(team.categories),
        memory=list(team.layers),
        ralph=RalphPart(
            enabled=team.ralph.enabled,
            max_iterations=team.ralph.max_iterations,
            review_criteria=list(team.ralph.review_criteria),
            exit_on=team.ralph.exit_on,
        ),
        members=[
            MemberPart(
                name=each.name,
                place=each.place,
                model=each.model,
                type=each.type,
                category=each.category,
                tools=list(each.tools),
                mcp=list(each.mcp),
                prompt=each.prompt,
            )
            for each in team.members
        ],
        units=[
            UnitPart(
                id=each.id,
                title=each.title,
                category=each.category,
                member=each.member,
                after=list(each.after),
                inputs=list(each.inputs),
                outputs=list(each.outputs),
                writes=list(each.writes),
                asks=each.asks,
                checks=list(each.checks),
                instructions=each.instructions,
            )
            for each in team.works
        ],
    )


class _Dumper(yaml.SafeDumper):
    """Long texts as blocks, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(_: yaml.SafeDumper, text: str) -> yaml.Node:
    block = "|" if "\n" in text else None
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style=block)


_Dumper.add_representer(str, _text)


def _yaml(told: dict[str, Any]) -> str:
    return yaml.dump(told, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def read_team(path: Path) -> Team:
    """Raises UserError with everything that is wrong, each on a line."""
    missing = "`andon team compose WORKFLOW` writes one."
    loaded = load_yaml(path, LARGEST, missing=missing, kind="A team is a YAML file.")
    try:
        told = TeamFile.model_validate(loaded)
    except ValidationError as error:
        hint = "Its form: docs/reference/team-file.md, or `andon team check --schema`."
        raise UserError(f"{path} is no team:\n{listed(error, FORMS, loaded)}", hint) from None
    team = team_of(told)
    if wrong := problems(team):
        lines = "\n".join(f"  - {each}" for each in wrong)
        raise UserError(f"{path} describes a team that cannot work:\n{lines}", "Change the file, and check it again.")
    return team


def team_of(told: TeamFile) -> Team:
    ralph = told.ralph
    return Team(
        id=told.team,
        name=told.name,
        purpose=told.purpose,
        categories=tuple(told.categories),
        members=tuple(
            Member(e.name, e.place, e.model, e.type, e.category, tuple(e.tools), tuple(e.mcp), e.prompt)
            for e in told.members
        ),
        works=tuple(
            Work(
                id=e.id,
                title=e.title,
                category=e.category,
                instructions=e.instructions or e.title,
                member=e.member,
                after=tuple(e.after),
                inputs=tuple(e.inputs),
                outputs=tuple(e.outputs),
                writes=tuple(e.writes),
                asks=e.asks,
                checks=tuple(e.checks),
            )
            for e in told.units
        ),
        layers=tuple(told.memory),
        ralph=Settings(ralph.enabled, ralph.max_iterations, tuple(ralph.review_criteria), ralph.exit_on),
    )


def schema() -> dict[str, Any]:
    return TeamFile.model_json_schema()
