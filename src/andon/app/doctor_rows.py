"""Rows of `andon doctor` about what andon itself needs: its database, and the port of its web page."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from andon.app.home import Home
from andon.domain.errors import UserError
from andon.engine.health import examine_database
from andon.processes.ports import is_free, listener

WEB_PORT = 3747
"""Of `andon serve`, on the loopback address."""


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    state: str
    """ok, degraded (andon works, less well) or missing (runs do not work)."""
    detail: str = ""
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def database(home: Home) -> Finding:
    try:
        health = examine_database(home.database_url)
    except UserError as error:
        return Finding("database", "missing", error.message, error.hint)
    if health.problem:
        return Finding("database", "missing", f"{health.place}: {health.problem}", health.fix)
    return Finding("database", "ok", f"{health.place} ({health.detail})")


def port(number: int = WEB_PORT) -> Finding:
    name = f"port {number}"
    if is_free(number):
        return Finding(name, "ok", "free, for the web page")
    who = listener(number)
    holder = f"in use by {who}" if who else "in use, by a process that is not yours to see"
    fix = f"Needed only for the web page. If that is not andon itself, end it; `ss -ltnp 'sport = :{number}'` shows it."
    return Finding(name, "degraded", holder, fix)
