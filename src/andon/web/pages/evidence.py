"""The record of a run: every measurement as it was signed, and whether the chain still holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andon.app.evidence import verify
from andon.app.queries import Record
from andon.app.queries import evidence as records_of
from andon.domain.errors import UserError
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site


def evidence(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = site.overview(path["id"])
    verified = verify(site.store, found.run)
    values = {
        "run": found,
        "rows": [told(record) for record in reversed(records_of(site.store, found.run.id))],
        "verified": verified,
    }
    return View("evidence.html", reader.say("Evidence"), "runs", values, runs=frozenset({found.run.id}))


def told(record: Record) -> dict[str, Any]:
    """One record for people. Somebody may have changed it: that is then what is told."""
    row: dict[str, Any] = {"seq": record.seq, "digest": record.digest, "goal": "", "verdict": "", "tree": ""}
    try:
        told, subjects = record.predicate, record.statement["subject"]
        row["goal"] = str(told.get("goal") or told.get("finding") or "")
        row["verdict"] = str(told.get("verdict") or ("accepted" if not record.measurement else ""))
        row["tree"] = str(subjects[0]["digest"].get("gitTree", "")) if subjects else ""
    except (UserError, LookupError, TypeError):
        row["verdict"] = "unreadable"
    return row
