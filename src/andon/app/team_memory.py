"""What a team of `andon team run` shares above its files: a database in its folder, and a server made for it (B-40)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from andon.app.memory import server_of_run
from andon.app.team_decisions import Decisions
from andon.domain.errors import UserError
from andon.domain.run import TEAM, RunRow
from andon.domain.teams.deciding import MOST, Decision
from andon.domain.teams.layers import Layer
from andon.domain.teams.shared import Shared, Sort
from andon.memory.mcp import ServerMemory
from andon.memory.sqlite import FILE, Database


@dataclass(frozen=True, slots=True)
class LayeredMemory:
    """Implements ports.TeamMemory."""

    run: str
    file: Path | None
    """Of the database. None: the team has none."""
    server: Callable[[], ServerMemory | None]
    clean: Callable[[str], str]

    def share(self, left: Sequence[Shared], at: float) -> list[str]:
        rows = [replace(each, text=self.clean(each.text)) for each in left]
        return [*self._in_database(rows, at), *self._with_server(rows)]

    def _in_database(self, rows: Sequence[Shared], at: float) -> list[str]:
        if self.file is None:
            return []
        try:
            Database(self.file).share(rows, at)
        except (sqlite3.Error, OSError, UserError) as problem:
            return [f"{self.file.name}: {problem}"]
        return []

    def _with_server(self, rows: Sequence[Shared]) -> list[str]:
        try:
            worth = [each for each in rows if _worth_telling(each)]
            server = self.server() if worth else None
            if server is not None:
                server.write_all([(each.text, each.tags, f"run {self.run}, {each.by}") for each in worth])
        except UserError as problem:
            return [problem.message]
        return []

    def decisions(self) -> list[Decision]:
        found = Decisions(self.file).all(MOST) if self.file and self.file.exists() else []
        return [replace(each, text=self.clean(each.text)) for each in found]


def _worth_telling(each: Shared) -> bool:
    """A server only ever gets more: states go out of date, and a decision is told when it is proposed."""
    return each.sort is Sort.DISCOVERY or (each.decision is not None and len(each.decision.votes) == 1)


def team_memory_of(run: RunRow, environment: Mapping[str, str], clean: Callable[[str], str]) -> LayeredMemory | None:
    """None for whoever is no team, or has only files."""
    options = run.spec["request"]["options"]
    layers: list[str] = options["team"]["layers"] if run.pipeline == TEAM else []
    if not {Layer.SQLITE, Layer.MCP} & {*layers}:
        return None
    file = Path(run.repository) / options["folder"] / FILE if Layer.SQLITE in layers else None
    named: str = run.spec.get("more", {}).get("memory_server") or "" if Layer.MCP in layers else ""

    def server() -> ServerMemory | None:
        return server_of_run(Path(run.repository), environment, named) if named else None

    return LayeredMemory(run.id, file, server, clean)
