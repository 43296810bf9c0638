"""The office: what this machine and a project can put to work; runtimes that cannot work now first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from andon.app.access import Role
from andon.app.inventories import Found
from andon.app.office import Office
from andon.app.plugin import plugin_folder
from andon.app.teams import panes
from andon.domain.teams.resources import Document, Inventory
from andon.domain.teams.tables import BUILT_IN
from andon.domain.teams.telling import OUTSIDE, problems_of
from andon.domain.teams.tool_paths import best_way, choices, instead
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site

TABS = ("roles", "agents", "skills", "commands", "servers", "tools", "workflows")
ROWS = 100
"""Of a table on one page."""
FAMILIES = 12
"""Categories of skills that have a button of their own; a filter finds the rest."""
WRONG = 50
"""Files that cannot be read that are listed; the rest is a number."""
PARTS = ("scanned", "runtimes", "there", "machine")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program of the command line, whoever looked for it."""

    name: str
    found: bool
    version: str
    about: str
    problem: str = ""


def office(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    project = project_of(site, query)
    kept = site.inventories.of(project)
    known, found = site.offices.now(), kept.now()
    there = found.inventory if found else Inventory()
    functions = (found.tables if found else BUILT_IN).tools
    rows = _rows(known, there, found)
    tab = query.get("tab", "") if query.get("tab", "") in TABS else TABS[0]
    words, family = query.get("q", "").strip(), query.get("family", "") if tab == "skills" else ""
    shown = [each for each in rows[tab] if _wanted(each, words.casefold(), family)]
    number, pages = _page(query.get("page", ""), len(shown))
    wrong = problems_of(there)
    values: dict[str, Any] = {
        "office": known,
        "found": found,
        "busy": kept.busy,
        "problem": kept.problem,
        "project": project,
        "projects": site.inventories.projects(),
        "tabs": [(name, len(each)) for name, each in rows.items()],
        "tab": tab,
        "rows": shown[(number - 1) * ROWS : number * ROWS],
        "count": len(shown),
        "number": number,
        "pages": pages,
        "words": words,
        "family": family,
        "families": Counter(each.category for each in there.skills).most_common(FAMILIES),
        "at": Address(project, tab, words, family),
        "there": there,
        "functions": functions,
        "instead": instead,
        "best_way": best_way,
        "choices": choices(there, functions),
        "panes": panes(there, site.environment),
        "wrong": wrong[:WRONG],
        "more_wrong": max(0, len(wrong) - WRONG),
        "elsewhere": OUTSIDE,
        "ours": plugin_folder().name,
        "asking": found.asking if found and reader.visitor.role.includes(Role.ADMIN) else None,
    }
    return View(
        "office.html",
        reader.say("Office"),
        "office",
        values,
        {f"office-{name}": f"parts/office-{name}.html" for name in PARTS},
    )


def project_of(site: Site, query: Query) -> Path:
    return site.inventories.project(query.get("project", ""))


def _rows(known: Office, there: Inventory, found: Found | None) -> dict[str, tuple[Any, ...]]:
    """Of every tab; those with a problem first."""
    tools = [Tool(each.name, each.found, each.version, each.use, each.problem) for each in there.programs]
    tools += [Tool(each.name, each.state == "ok", each.detail, "", each.fix) for each in known.tools]
    return {
        "roles": known.roles,
        "agents": _sorted(there.agents),
        "skills": tuple(sorted(there.skills, key=lambda each: (not each.problem, each.category, each.name))),
        "commands": _sorted(there.commands),
        "servers": _sorted(there.servers),
        "tools": tuple(tools),
        "workflows": tuple(sorted(_sorted(found.documents if found else ()), key=_of_others)),
    }


def _sorted(rows: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(sorted(rows, key=lambda each: (not each.problem, each.name.casefold())))


def _of_others(row: Document) -> tuple[bool, bool]:
    """What the project has itself is what a team is made for."""
    return not row.problem, row.source != "project"


def _wanted(row: Any, words: str, family: str) -> bool:
    if family and row.category != family:
        return False
    names = ("name", "description", "about", "category", "path", "reached_by", "kind", "model")
    return not words or words in " ".join(str(getattr(row, name, "")) for name in names).casefold()


def _page(asked: str, count: int) -> tuple[int, int]:
    """Which page of how many; one that there is not is the nearest that there is."""
    pages = max(1, -(-count // ROWS))
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 9 else 1
    return min(max(1, number), pages), pages


@dataclass(frozen=True, slots=True)
class Address:
    """Of the office as it is shown now, and with something changed."""

    project: Path
    tab: str
    words: str
    family: str

    def __call__(self, **changed: object) -> str:
        told = {"project": self.project, "tab": self.tab, "q": self.words, "family": self.family} | changed
        return f"/office?{urlencode({key: value for key, value in told.items() if value})}"
