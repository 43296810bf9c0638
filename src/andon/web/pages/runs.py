"""All runs, newest first."""

from __future__ import annotations

from collections.abc import Mapping

from andon.web.page import Query, View
from andon.web.pages.board import kind_of, phase_text
from andon.web.rendering import Reader
from andon.web.site import Site


def runs(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    words = query.get("q", "").casefold().strip()
    shown = [each for each in site.all() if not words or words in each.run.task.casefold()]
    values = {"runs": shown, "words": query.get("q", ""), "kind_of": kind_of, "phase_text": phase_text}
    return View("runs.html", reader.say("Runs"), "runs", values, {"runs": "parts/runs.html"})
