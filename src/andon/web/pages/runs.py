"""All runs, newest first, page by page. What has not ended stands on the first one, however old it is."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from andon.app.overview import Overview
from andon.web.page import Query, View
from andon.web.pages.board import kind_of, phase_text
from andon.web.rendering import Reader
from andon.web.site import Site

PAGE = 100


def runs(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    words, before = query.get("q", "").strip(), query.get("before", "")
    shown = site.page(PAGE, before, words)
    more = {"q": words} if words else {}
    values = {
        "runs": shown if before else _with_going(site, shown, words),
        "words": query.get("q", ""),
        "kind_of": kind_of,
        "phase_text": phase_text,
        "newest": f"/runs?{urlencode(more)}" if before else "",
        "older": f"/runs?{urlencode(more | {'before': shown[-1].run.id})}" if len(shown) == PAGE else "",
    }
    return View("runs.html", reader.say("Runs"), "runs", values, {"runs": "parts/runs.html"})


def _with_going(site: Site, shown: list[Overview], words: str) -> list[Overview]:
    there = {each.run.id for each in shown}
    old = site.overviews.of_rows([row for row in site.store.runs.unfinished() if row.id not in there])
    return shown + [each for each in old if words.lower() in each.run.task.lower()]
