"""Panes of tmux in which agents can be watched, each showing the output of a command (B-51 to B-53).

They only look on: whatever tmux, its version, its size or a person does to them changes nothing of a run. Every failure
is a `Fallback` with a reason.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from andon import processes
from andon.domain.errors import EnvironmentProblem

SECONDS = 20.0
MOST = 8
"""Panes side by side; more could not be read. From then on, one whose agent has ended makes room."""
_HANDED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "NO_COLOR", "XDG_DATA_HOME")
"""With ANDON_*: a tmux server keeps the environment of whoever started it, perhaps long ago."""


@dataclass(frozen=True, slots=True)
class Show:
    """What a pane is to show: an agent's name, and the command that tells of it."""

    name: str
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Fallback:
    """No panes, and why, in a few words."""

    reason: str


@dataclass(slots=True)
class Panes:
    """The panes of one run. `folder` is andon's own: it holds what each is to start until it has begun."""

    environment: Mapping[str, str]
    folder: Path
    title: str
    most: int = MOST
    session: str = ""
    """Of a session of its own, where nobody was in tmux."""
    window: str = ""
    left_out: tuple[str, ...] = ()
    """Names that had no room."""
    _token: str = field(default_factory=lambda: secrets.token_hex(8))
    _names: list[str] = field(default_factory=list[str])

    @property
    def attach(self) -> str:
        """The command that shows them; "" where they are beside the person already."""
        return f"tmux attach -t {self.session}" if self.session else ""

    def show(self, shows: Sequence[Show]) -> Fallback | None:
        """One pane for each, or room that somebody left. One that still shows the same agent stays as it is."""
        asked = [(self._number(each.name), each) for each in shows]
        try:
            rows = [(number, each.name, self._started_by(number, each)) for number, each in asked]
        except OSError as error:
            return Fallback(f"{self.folder}: {error.strerror}")
        answer = self._asked({"show": rows, "again": bool(self.window)})
        if problem := answer.get("problem"):
            return Fallback(str(problem))
        self.session = answer["session"] or self.session
        self.window = answer["window"] or self.window
        self.left_out = tuple(self._names[int(number)] for number in cast("list[int]", answer["left"]))
        return None

    def close(self) -> Fallback | None:
        """Take all of them away."""
        answer = self._asked({"show": [], "close": True})
        shutil.rmtree(self.folder, ignore_errors=True)
        return Fallback(str(answer["problem"])) if "problem" in answer else None

    def _number(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _started_by(self, number: int, each: Show) -> list[str]:
        """The command line that tmux sees: always of several words, since a single one would be a shell's."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handed = {key: value for key, value in self.environment.items() if key in _HANDED_ON or key[:6] == "ANDON_"}
        file = self.folder / f"{number}.json"
        file.unlink(missing_ok=True)
        file.touch(0o600)
        told = {"words": list(each.words), "folder": str(self.folder), "environment": handed}
        file.write_text(json.dumps(told), "utf-8")
        return [sys.executable, "-P", "-m", "andon.connect.pane", str(file)]

    def _asked(self, more: Mapping[str, Any]) -> dict[str, Any]:
        request = {"token": self._token, "title": safe_name(self.title), "most": self.most, **more}
        words = [sys.executable, "-P", "-m", "andon.connect.tmux"]
        try:
            done = processes.run(
                words, cwd="/", env=_in_utf8(self.environment), stdin=json.dumps(request).encode(), seconds=SECONDS
            )
        except EnvironmentProblem as problem:
            return {"problem": problem.message}
        if done.timed_out:
            return {"problem": f"tmux did not answer within {SECONDS:.0f} s"}
        with suppress(ValueError):
            return json.loads(done.stdout)
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"it ended with {done.code}"]
        return {"problem": said[0][:200]}


def open_panes(
    environment: Mapping[str, str], folder: Path, title: str, shows: Sequence[Show], most: int = MOST
) -> Panes | Fallback:
    """In the person's window where they are in tmux and have not divided it, else in a window beside it; where they are
    not, in a session of its own that nobody looks at yet."""
    panes = Panes(environment, folder, title, most)
    return panes.show(shows) or panes


def safe_name(title: str) -> str:
    """A name for sessions and windows, which tmux and a shell take as it is."""
    return f"andon-{re.sub(r'[^a-z0-9]+', '-', title.casefold()).strip('-')[:40] or 'agents'}"


def _in_utf8(environment: Mapping[str, str]) -> Mapping[str, str]:
    """tmux replaces all letters but the English ones where the locale is not UTF-8."""
    chosen = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    if re.search(r"utf-?8", chosen, re.IGNORECASE):
        return environment
    return {**environment, "LC_ALL": "C.UTF-8"}
