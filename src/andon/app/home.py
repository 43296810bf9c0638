"""Where andon keeps its data: one folder, and the names of what lies in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import EnvironmentProblem

PARKED = "parked"
"""In a run's folder: whoever executed it has left, since it waits for a person. Whoever answers wakes it."""
HOSTED = "hosted"
"""In a run's folder: it is executed in the background, and a server that starts takes it up again."""
STARTING = "starting"
"""In a run's folder: a process that is to execute it has been started and does not hold its lock yet."""
PIECES = "recorded"
"""In a run's folder: what of its recording is there. A run that is closed and opened again still needs it."""


@dataclass(frozen=True, slots=True)
class Home:
    root: Path
    database_url: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Home:
        """From ANDON_HOME, else the platform's data folder; the database from ANDON_DATABASE_URL, else SQLite there."""
        chosen = environment.get("ANDON_HOME")
        root = _expanded(chosen).absolute() if chosen else _data_folder()
        return cls(root, environment.get("ANDON_DATABASE_URL") or f"sqlite:///{root / 'andon.db'}")

    def make(self) -> None:
        """Create the folder, readable by its owner only. Says plainly when the disk does not let us."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = self.root / f".probe-{os.getpid()}-{threading.get_ident()}"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise EnvironmentProblem(
                f"Cannot write to andon's data folder {self.root}: {error.strerror}",
                "Free or remount the disk, or set ANDON_HOME to a folder you can write.",
            ) from error

    @property
    def exists(self) -> bool:
        return self.root.is_dir()

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def run(self, id: str) -> Path:
        return self.runs / id

    @property
    def key(self) -> Path:
        return self.root / "keys" / "ledger.ed25519"

    @property
    def machine(self) -> Path:
        return self.root / "machine.json"

    @property
    def results(self) -> Path:
        """Of tests of bases, for whoever verifies against them again."""
        return self.root / "results"

    @property
    def outputs(self) -> Path:
        return self.root / "outputs"

    @property
    def repositories(self) -> Path:
        return self.root / "repositories"

    @property
    def memory(self) -> Path:
        """What the runs of each repository learned."""
        return self.root / "memory"

    @property
    def settings(self) -> Path:
        return self.root / "settings.toml"

    @property
    def trust(self) -> Path:
        return self.root / "trusted.json"


def _data_folder() -> Path:
    import platformdirs

    try:
        folder = Path(platformdirs.user_data_dir("andon", appauthor=False))
    except RuntimeError:  # neither HOME nor the table of users knows a folder
        raise _nowhere() from None
    if not folder.is_absolute():  # `~` was left as it is
        raise _nowhere()
    return folder


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise _nowhere() from None


def _nowhere() -> EnvironmentProblem:
    return EnvironmentProblem(
        "There is no home folder to keep andon's data in", "Set ANDON_HOME to a folder you can write, or HOME."
    )
