"""The record of a run: every measurement as it was signed, and whether the chain still holds."""

from __future__ import annotations

from collections.abc import Mapping

from andon.app.evidence import kept, verify
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site


def evidence(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = site.overview(path["id"])
    rows = list(reversed(kept(site.store, found.run.id)))
    values = {"run": found, "rows": rows, "verified": verify(site.store, found.run)}
    return View("evidence.html", reader.say("Evidence"), "runs", values, runs=frozenset({found.run.id}))
