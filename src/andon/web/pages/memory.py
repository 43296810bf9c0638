"""What a project remembers: what its teams proposed and decided, what runs learned, and whatever else is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from andon.app.memory import memory_of
from andon.app.team_decisions import known_decisions
from andon.domain.errors import UserError
from andon.domain.teams.deciding import Stand
from andon.domain.teams.recalling import Query as Question
from andon.web.page import Query, View
from andon.web.pages.office import project_of
from andon.web.rendering import Reader
from andon.web.site import Site

MOST = 100
"""Of each kind; `andon memory` has them all."""


def memory(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    project = project_of(site, query)
    words, forgotten = query.get("q", "").strip()[:200], query.get("forgotten") == "yes"
    kept = memory_of(project, site.environment, server=False)
    learned = kept.learnings.all(forgotten=forgotten, most=MOST)
    values: dict[str, Any] = {
        "project": project,
        "projects": site.inventories.projects(),
        "words": words,
        "recalled": kept.search(Question(words, most=MOST)) if words else None,
        "learnings": [*learned, *learned.unreadable],
        "forgotten": forgotten,
        "offered": kept.offered,
        "Stand": Stand,
        "here": f"/office/memory?{urlencode({'project': project})}",
    }
    try:
        found = known_decisions(project, MOST)
        values |= {"decisions": sorted(found, key=lambda each: not each.open), "broken": None}
    except UserError as problem:  # a file of that name that is none: the rest is told all the same
        values |= {"decisions": [], "broken": problem}
    return View("memory.html", reader.say("Memory"), "office", values)
