"""Calls git with an environment that stands here in full: nothing of the caller's GIT_* reaches it.

Knows how to call and how to report a failure; what to call is the other modules' business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import EnvironmentProblem
from andon.processes import Finished, run

SECONDS = 600.0
"""Generous: a first checkout of a very large repository on a slow disk."""

_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
}
_DISK_FULL = re.compile("no space left on device|out of diskspace|disk quota exceeded", re.IGNORECASE)
_PERSONS = ("HOME", "XDG_CONFIG_HOME", "SUDO_UID")
"""What git needs to find a person's own settings and to see that the repository is theirs."""


@dataclass(frozen=True, slots=True)
class Git:
    """One way of calling git: where, with which environment and which settings."""

    cwd: Path
    environment: Mapping[str, str]
    options: tuple[str, ...] = ()

    def attempt(self, *words: str, stdin: bytes = b"", output_bytes: int = 1 << 30) -> Finished:
        return run(
            ("git", *self.options, *words),
            cwd=self.cwd,
            env=self.environment,
            stdin=stdin,
            seconds=SECONDS,
            output_bytes=output_bytes,
        )

    def call(self, *words: str, stdin: bytes = b"") -> bytes:
        """Standard output; a failure is an EnvironmentProblem that quotes git."""
        finished = self.attempt(*words, stdin=stdin)
        if finished.code != 0 or finished.timed_out or finished.truncated:
            raise failed(words, finished)
        return finished.stdout

    def line(self, *words: str, stdin: bytes = b"") -> str:
        return os.fsdecode(self.call(*words, stdin=stdin)).removesuffix("\n")


def failed(words: tuple[str, ...], finished: Finished) -> EnvironmentProblem:
    said = finished.stderr.decode("utf-8", "replace").strip()
    if _DISK_FULL.search(said):
        hint = "Nothing is lost: make room; a run that was cut short goes on with `andon resume`."
        return EnvironmentProblem(f"The disk is full: git {words[0]}: {said}", hint)
    reason = "took too long" if finished.timed_out else "printed too much" if finished.truncated else "failed"
    return EnvironmentProblem(f"git {words[0]} {reason}: {said or f'exit code {finished.code}'}")


def persons_environment() -> dict[str, str]:
    """For a person's own repository: their settings apply, their shell's GIT_* variables do not."""
    kept = {name: os.environ[name] for name in _PERSONS if name in os.environ}
    return {"PATH": _path(), **kept, **_QUIET}


def sealed_environment() -> dict[str, str]:
    """For andon's own gitdirs: no settings from anywhere but the gitdir itself."""
    return {
        "PATH": _path(),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        **_QUIET,
    }


def _path() -> str:
    # A relative entry would look for git inside the folder an agent shaped.
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())


def joined(paths: Iterable[str]) -> bytes:
    """Paths as git reads them with -z: any byte but NUL may be part of one."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def split(output: bytes) -> list[str]:
    return [os.fsdecode(path) for path in output.split(b"\0") if path]
