"""Layer 1: four Markdown files. Always there, readable by people; the other layers fall back to them (B-41 to B-44).

Here they are read. A run writes them through its verbs, so that a kill neither loses an entry nor repeats one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from andon.domain.teams.bulletin import BULLETIN, ELSEWHERE, FOLDER, Note, notes


def artifacts_folder(project: Path) -> Path:
    """`.team-os/artifacts` where there is a `.team-os`; else a folder of our own beside the project's files (B-42)."""
    return project / FOLDER if (project / ".team-os").is_dir() else project / ELSEWHERE


@dataclass(frozen=True, slots=True)
class TeamFiles:
    folder: Path
    read: Callable[[Path], bytes] = Path.read_bytes
    """Of a file that a repository may have put there: more carefully."""

    def bulletin(self) -> list[Note]:
        return notes(self.text(BULLETIN))

    def text(self, name: str) -> str:
        try:
            return self.read(self.folder / name).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""
