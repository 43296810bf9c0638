"""`andon team`: scan what there is, read a workflow document, propose a team, check one that was changed by hand."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.settings import load_settings
from andon.domain.errors import Conflict, UserError
from andon.domain.teams.composing import Circumstances, Proposal, Workflow, compose, requirements
from andon.domain.teams.graph import direct, levels, mermaid
from andon.domain.teams.matching import Match, matches
from andon.domain.teams.panes import Panes, Platform, panes_for, terminal
from andon.domain.teams.ralph import suitability
from andon.domain.teams.resources import Document, Inventory
from andon.domain.teams.tables import BUILT_IN, Tables
from andon.domain.teams.team import Team
from andon.domain.teams.telling import DASHBOARD
from andon.domain.teams.tool_paths import tool_paths
from andon.teamify.documents import documents as documents_of
from andon.teamify.reading import read_workflow
from andon.teamify.scanning import Where, scan, servers_of
from andon.teamify.servers import Start, mark, starts
from andon.teamify.table_files import NAMES as TABLE_NAMES
from andon.teamify.table_files import as_text, read_tables
from andon.teamify.team_file import LARGEST, read_team, schema, written
from andon.workspace.files import read_contained, write_atomic, write_contained

TEAM_FILE = "team.yaml"
DASHBOARD_SECONDS = 0.5
Step = Callable[[str], object]


class Standing(StrEnum):
    """Of a file, beside the team that would be written to it."""

    ABSENT = "absent"
    SAME = "same"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Look:
    """Where a person lets andon look, and whether servers may be started to tell their tools."""

    project: Path
    everywhere: bool = True
    """Also what lies in the person's home folder."""
    more: Sequence[Path] = ()
    ask_servers: bool = False
    asked: Sequence[str | int] = ()
    """Only these servers, by name or by place among all; empty: all of them."""
    seen: str = ""
    """The mark of the servers that they saw before they allowed it."""
    tables: Tables = BUILT_IN


@dataclass(frozen=True, slots=True)
class Asking:
    """What it would take to ask the servers for their tools, and the mark of it."""

    starts: tuple[Start, ...]
    mark: str


def look_around(look: Look, environment: Mapping[str, str], step: Step = lambda name: None) -> Inventory:
    """The whole scan (B-01). Nothing that a repository names is started, unless it was asked for."""
    return scan(_where(look, environment), environment, step)


def asking(look: Look, environment: Mapping[str, str]) -> Asking:
    """What would be started or called; nothing is."""
    found = servers_of(_where(look, environment))
    return Asking(tuple(starts(found)), mark(found))


def _where(look: Look, environment: Mapping[str, str]) -> Where:
    home = environment.get("HOME")
    near = Path(home) if home and look.everywhere else None
    return Where(look.project, near, look.more, look.ask_servers, look.asked, look.seen, look.tables.tools)


def documents(inventory: Inventory, project: Path) -> tuple[Document, ...]:
    """Files with steps: what could be analysed."""
    return documents_of(inventory, project)


def office_runs(address: str = DASHBOARD) -> bool:
    """Whether a dashboard answers, on its usual port (B-13)."""
    try:
        with urllib.request.urlopen(f"{address}/api/status", timeout=DASHBOARD_SECONDS) as answer:
            return isinstance(json.loads(answer.read(100_000)), dict)
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Analysis:
    """A workflow beside what there is."""

    workflow: Workflow
    matches: tuple[Match, ...]
    tables: Tables = BUILT_IN

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        return levels(self.workflow.units)

    def as_json(self) -> dict[str, Any]:
        flow = self.workflow
        advice = suitability(flow.text)
        waits = direct(flow.units)
        units = [unit.as_json() | {"waits_for": list(waits[unit.id])} for unit in flow.units]
        return {
            "name": flow.name,
            "description": flow.description,
            "path": flow.path,
            "allowedTools": list(flow.allowed),
            "model": flow.model,
            "categories": list(flow.categories),
            "units": [{key: value for key, value in unit.items() if key != "body"} for unit in units],
            "groups": [list(group) for group in self.groups],
            "resources": [each.as_json() for each in self.matches],
            "ralph": {"kind": advice[0], "advice": advice[1].value} if advice else None,
            "graph": mermaid(flow.units),
            "about": list(flow.about),
            "notes": list(flow.notes),
        }


def tables_of(folder: Path | None, repository: Path | None, environment: Mapping[str, str]) -> tuple[Tables, list[str]]:
    """Those of a folder that is named here or in the settings, else the built-in ones; and notes about the settings."""
    notes = list[str]()
    if folder is None:
        settings, notes = load_settings(Home.of(environment), repository, environment, {})
        folder = Path(settings.team_tables) if settings.team_tables else None
    return (read_tables(folder) if folder else BUILT_IN), notes


def table_texts(tables: Tables, only: Sequence[str] = ()) -> dict[str, str]:
    """As files, by name."""
    return {name: as_text(name, tables) for name in TABLE_NAMES if not only or name in only}


def keep_tables(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write tables into a folder. Those that are there are a person's."""
    files = {folder / f"{name}.yaml": text for name, text in texts.items()}
    if there := [file.name for file in files if file.exists()]:
        raise UserError(f"{folder} has {', '.join(there)} already", "Name another folder, or --only what is missing.")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        write_atomic(file, text)
    return list(files)


def foresee(workflow: Path, output: Path | None = None) -> None:
    """Raises UserError for what would be in the way after a scan, which takes seconds."""
    read_workflow(workflow)
    if output is not None and output.exists():
        raise UserError(f"{output} is there already", "--force replaces it; -o names another file.")


def analyse(path: Path, inventory: Inventory, tables: Tables = BUILT_IN) -> Analysis:
    workflow = replace(read_workflow(path), known=tables.categories)
    return Analysis(workflow, matches(workflow.units, workflow.text, inventory, tables.tools), tables)


def at_home(analysis: Analysis, project: Path) -> Analysis:
    """With the document named by its place in the project, as everybody who gets the team finds it."""
    path = Path(analysis.workflow.path)
    if not path.is_absolute() or not path.resolve().is_relative_to(project.resolve()):
        return analysis
    told = path.resolve().relative_to(project.resolve()).as_posix()
    return replace(analysis, workflow=replace(analysis.workflow, path=told))


def propose(analysis: Analysis, inventory: Inventory, environment: Mapping[str, str], request: str = "") -> Proposal:
    around = Circumstances(inventory, analysis.matches, panes(inventory, environment), request, analysis.tables)
    made = compose(analysis.workflow, around)
    return replace(made, panes=panes(inventory, environment, made.team.id))


def panes(inventory: Inventory, environment: Mapping[str, str], team: str = "") -> Panes:
    platform = Platform(inventory.platform or Platform.LINUX.value)
    return panes_for(terminal(environment, platform, inventory.program("tmux") is not None), team)


def keep(proposal: Proposal, file: Path, *, replace: bool = False) -> None:
    """Write team.yaml. One that is there is a person's."""
    if file.exists() and not replace:
        raise UserError(f"{file} is there already", "--force replaces it; -o names another file.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, text_of(proposal))
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}", "-o names another file.") from error


def standing(proposal: Proposal, project: Path, relative: str) -> Standing:
    """How a file of the project compares with the proposal."""
    try:
        there = read_contained(project, team_path(relative), limit=LARGEST)
    except FileNotFoundError:
        return Standing.ABSENT
    return Standing.SAME if there == text_of(proposal).encode() else Standing.OTHER


def keep_inside(proposal: Proposal, project: Path, relative: str, *, replace: bool = False) -> Path:
    """Write it below a project's folder, and nowhere else. One that is there is a person's."""
    if standing(proposal, project, relative) is Standing.OTHER and not replace:
        raise Conflict(
            f"{relative} is there already, and is not this team", "Say that it may be replaced, or name another file."
        )
    return write_contained(project, team_path(relative), text_of(proposal))


def text_of(proposal: Proposal) -> str:
    """Of team.yaml."""
    return written(proposal.team, proposal.workflow.path)


def proposal_json(made: Proposal) -> dict[str, Any]:
    """What the proposal says beside the file of the team."""
    advice = made.advice
    return {
        "team": made.team.id,
        "members": len(made.team.members),
        "units": len(made.team.works),
        "memory": [each.value for each in made.team.layers],
        "resources": [each.as_json() for each in made.matches],
        "requirements": asdict(requirements(made)),
        "ralph": {"kind": advice[0], "advice": advice[1].value} if advice else None,
        "graph": mermaid(made.workflow.units),
        "remarks": [each.text for each in made.remarks],
        "notes": list(made.workflow.notes),
        "prompts": {name: each.as_json() for name, each in made.prompts.items()},
    }


def team_path(relative: str) -> str:
    """A path in a project that a team may be written to, as it was named."""
    parts = relative.split("/")
    if not relative.endswith((".yaml", ".yml")) or any(part.startswith(".git") for part in parts):
        raise UserError(
            "That is no name for the file of a team", "A path in the project that ends with .yaml, such as team.yaml."
        )
    return relative


def check(file: Path) -> Team:
    """Raises UserError with everything that is wrong."""
    return read_team(file)


def paths_json(inventory: Inventory, tables: Tables = BUILT_IN) -> dict[str, Any]:
    return {name: path.as_json() for name, path in tool_paths(inventory, tables.tools).items()}


def team_schema() -> dict[str, Any]:
    return schema()
