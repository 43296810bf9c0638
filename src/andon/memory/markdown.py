"""Layer 1: four Markdown files. Always there, readable by people; the other layers fall back to them (B-41 to B-44).

The bulletin only ever grows: an entry is written whole, at the end, by whoever's turn it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from andon.domain.teams.bulletin import (
    BULLETIN,
    ELSEWHERE,
    FILES,
    FINDINGS,
    FOLDER,
    HEADS,
    PLAN,
    PROGRESS,
    Note,
    finding_entry,
    notes,
    progress,
)
from andon.processes.appending import append_whole


def artifacts_folder(project: Path) -> Path:
    """`.team-os/artifacts` where there is a `.team-os`; else a folder of our own beside the project's files (B-42)."""
    return project / FOLDER if (project / ".team-os").is_dir() else project / ELSEWHERE


class TeamFiles:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """What is there stays as it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            try:
                with (self.folder / name).open("x", encoding="utf-8") as made:
                    made.write(HEADS[name])
            except FileExistsError:
                continue

    def post(self, *entries: Note) -> None:
        """At the end of the bulletin, whole, however many write at once."""
        self._append(BULLETIN, "".join(entry.text() for entry in entries))

    def _append(self, name: str, text: str) -> None:
        """Everybody's turn comes; whoever is first writes the file's head too."""
        descriptor = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            append_whole(descriptor, text.encode("utf-8", "backslashreplace"), head=HEADS[name].encode())
        finally:
            os.close(descriptor)

    def bulletin(self) -> list[Note]:
        return notes(self.text(BULLETIN))

    def plan(self) -> str:
        return self.text(PLAN)

    def put_plan(self, text: str) -> None:
        """Only the lead changes the plan."""
        self._replace(PLAN, text)

    def put_progress(self, done: Iterable[str], tasks: Sequence[str]) -> None:
        finished = set(done)
        self._replace(PROGRESS, progress((each, each in finished) for each in tasks))

    def add_finding(self, by: str, text: str) -> None:
        self._append(FINDINGS, finding_entry(by, text))

    def search(self, words: str, limit: int = 20) -> list[Note]:
        """Entries of the bulletin with all of these words, the newest first."""
        wanted = [word for word in words.casefold().split() if word]
        found = [note for note in self.bulletin() if all(word in note.text().casefold() for word in wanted)]
        return list(reversed(found))[:limit]

    def text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def _replace(self, name: str, text: str) -> None:
        draft = self.folder / f".{name}.{os.getpid()}.tmp"
        draft.write_text(text, "utf-8", "backslashreplace")
        draft.replace(self.folder / name)
