"""The office: what this machine can put to work; runtimes that cannot work now first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site

TABS = ("agents", "skills", "commands", "servers", "tools")


def office(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    known = site.offices.now()
    wanted = query.get("tab", "")
    words = query.get("q", "").casefold().strip()
    tab = wanted if wanted in TABS else TABS[0]
    rows: dict[str, tuple[Any, ...]] = {name: getattr(known, name) for name in TABS}
    shown = [each for each in rows[tab] if not words or words in f"{each.name} {_about(each)}".casefold()]
    values: dict[str, Any] = {
        "office": known,
        "tabs": [(name, len(each)) for name, each in rows.items()],
        "tab": tab,
        "rows": shown,
        "words": query.get("q", ""),
        "broken": [each for each in (*known.skills, *known.commands) if each.problem],
    }
    parts = {"office-runtimes": "parts/office-runtimes.html", "office-machine": "parts/office-machine.html"}
    return View("office.html", reader.say("Office"), "office", values, parts)


def _about(row: Any) -> str:
    return str(getattr(row, "description", "") or getattr(row, "detail", ""))
