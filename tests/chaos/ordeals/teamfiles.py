"""What an `andon team run` leaves in a checkout's `.team-artifacts/`, as one text to compare.

Entries stand there in the order in which units were handed in, which may be by chance; so they are sorted, and what is
there twice shows.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from andon.memory.sqlite import Database

FOLDER = ".team-artifacts"
_STAMP = re.compile(r"\[\d{4}-[^\]]*\]")


def told(checkout: Path) -> str:
    folder = checkout / FOLDER
    if not (folder / "team_state.json").exists():
        return "no team"
    state = json.loads((folder / "team_state.json").read_text())
    for each in state["decisions"]:
        each["at"] = "MOMENT"
    state["decisions"].sort(key=lambda each: (each["by"], each["text"]))
    parts = [json.dumps(state, sort_keys=True), (folder / "team_progress.md").read_text()]
    for name in ("team_plan.md", "team_bulletin.md", "team_findings.md"):
        parts.append("\n".join(sorted(_STAMP.sub("[STAMP]", (folder / name).read_text()).splitlines())))
    database = Database(folder / "memory.db")
    parts += sorted(f"{each.agent_id} {each.content} {each.tags}" for each in database.discoveries())
    parts += sorted(f"{each.by} {each.text} {each.stand} {sorted(each.votes.items())}" for each in database.decisions())
    parts += sorted(f"{each.key} {each.value} {each.agent_id}" for each in database.states())
    return "\n\n".join(parts)
