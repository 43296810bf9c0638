"""A workflow document: its units, what waits for what, what it needs; and the team that is proposed for it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from andon.app.teams import TEAM_FILE, Analysis, Standing, standing, text_of
from andon.domain.errors import NoSuch, UserError
from andon.domain.teams.categories import scores
from andon.domain.teams.composing import Proposal, requirements
from andon.domain.teams.graph import direct, mermaid
from andon.domain.teams.ralph import suitability
from andon.web.dag import unit_graph
from andon.web.page import Query, View
from andon.web.pages.office import project_of
from andon.web.rendering import Reader
from andon.web.site import Site

MOST_ROWS = 300
"""Of a table; `andon team` has them all."""


def workflow(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    project, file = project_of(site, query), query.get("file", "")
    values = _about(site, project, file)
    try:
        found = site.inventories.analysis(project, file)
        values |= _analysed(found)
    except NoSuch:
        raise
    except UserError as error:  # units that wait for each other, a file that cannot be read: that is what it says
        values |= {"problem": error, "analysis": None}
    return View("workflow.html", values["name"], "office", values)


def team(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    project, file = project_of(site, query), query.get("file", "")
    request, target = query.get("request", "").strip()[:1000], query.get("path", "") or TEAM_FILE
    values = _about(site, project, file) | {"request": request, "target": target, "wrong": None}
    try:
        values |= proposed(site.inventories.proposal(project, file, request), project, target)
    except NoSuch:
        raise
    except UserError as error:
        values |= {"problem": error, "made": None}
    return View("team.html", reader.say("A team for {name}", name=values["name"]), "office", values)


def _about(site: Site, project: Path, file: str) -> dict[str, Any]:
    document = site.inventories.found(project).document(file, project)
    address = urlencode({"project": project, "file": file})
    return {"project": project, "file": file, "name": document.name, "address": address, "problem": None}


def _analysed(found: Analysis) -> dict[str, Any]:
    flow = found.workflow
    return {
        "analysis": found,
        "flow": flow,
        "titles": {unit.id: unit.title for unit in flow.units},
        "waits": direct(flow.units),
        "dag": unit_graph(flow.units),
        "most": MOST_ROWS,
        "scores": sorted(scores(flow.text, flow.known).items(), key=lambda each: -each[1]),
        "advice": suitability(flow.text),
        "mermaid": mermaid(flow.units),
    }


def proposed(made: Proposal, project: Path, target: str) -> dict[str, Any]:
    """The proposal, and how the file that it would be written to stands."""
    stands, wrong = Standing.ABSENT, None
    try:
        stands = standing(made, project, target)
    except (UserError, OSError) as error:
        wrong = error if isinstance(error, UserError) else UserError(f"{target} cannot be read: {error.strerror}")
    return {
        "made": made,
        "team": made.team,
        "flow": made.workflow,
        "titles": {work.id: work.title for work in made.team.works},
        "waits": direct(made.workflow.units),
        "dag": unit_graph(made.workflow.units),
        "needs_of_it": requirements(made),
        "most": MOST_ROWS,
        "stands": stands,
        "wrong": wrong,
        "seen": mark_of(made),
    }


def mark_of(made: Proposal) -> str:
    """Of the team that was shown: what is written is what was seen."""
    return hashlib.sha256(text_of(made).encode()).hexdigest()
