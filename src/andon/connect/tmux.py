"""The program that asks tmux for panes: one request in, one answer out, both JSON. It runs in a process of its own, so
that a tmux that hangs costs a bounded time.

tmux and the shells that it starts see numbers and the name of a file, never a name or a word of an agent; the one
exception is a pane's title, out of which everything is taken that tmux would obey.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from libtmux import Server, exc
from libtmux.common import get_version, has_gte_version

OLDEST = "3.2"
WIDE, HIGH = "220", "50"
"""Of a session that nobody looks at yet."""
NARROWEST, LOWEST = 38, 6
"""Columns and rows with which a pane can still be read."""
NO_ROOM = "the window is too small for panes"
MARK = "@andon"
BORDER, BORDER_BEFORE = "pane-border-status", "@andon-border"
"""The line with a pane's title, and what a window said of it before its first pane of ours."""
LONGEST_TITLE = 60
_FORMAT = f"#{{pane_id}} #{{window_id}} #{{pane_dead}} #{{{MARK}}}"


class Problem(Exception):
    """Why there are no panes, in a few words."""


@dataclass(frozen=True, slots=True)
class Pane:
    id: str
    window: str
    dead: bool
    number: int


class Panes:
    """The panes of one caller, as tmux knows them: each carries the caller's mark and its number."""

    def __init__(self, server: Server, request: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self._server = server
        self._token = str(request["token"])
        self._title = str(request["title"])
        self._most = int(request["most"])
        self._again = bool(request.get("again"))
        self._inside = bool(environment.get("TMUX"))
        self._from = environment.get("TMUX_PANE", "")
        self.session = self.window = ""

    def found(self) -> list[Pane]:
        """Those that are still there. None where no server runs, or the session was closed."""
        with suppress(Problem):
            lines = (line.split(" ", 3) for line in self._tell("list-panes", "-a", "-F", _FORMAT))
            marked = (line for line in lines if len(line) == 4 and line[3].startswith(f"{self._token}."))
            return [Pane(id, window, dead == "1", int(mark.rpartition(".")[2])) for id, window, dead, mark in marked]
        return []

    def show(self, number: int, title: str, words: Sequence[str]) -> bool:
        """Whether there is a pane for it now. One whose agent has ended makes room."""
        there = self.found()
        own = next((pane for pane in there if pane.number == number), None)
        if own is not None and not own.dead:
            return True
        pane = own.id if own else self._room(there)
        if not pane:
            return False
        self._tell("set-option", "-p", "-t", pane, "remain-on-exit", "on")
        self._tell("set-option", "-p", "-t", pane, MARK, f"{self._token}.{number}")
        with suppress(Problem):  # from 3.3 on: tmux's own line there would push one of the agent's out of sight
            self._tell("set-option", "-p", "-t", pane, "remain-on-exit-format", "")
        self._tell("respawn-pane", "-k", "-t", pane, *words)
        self._tell("clear-history", "-t", pane)
        self._tell("select-pane", "-t", pane, "-T", titled(title))
        return True

    def close(self) -> None:
        there = self.found()
        for pane in there:
            with suppress(Problem):
                self._tell("kill-pane", "-t", pane.id)
        for window in {pane.window for pane in there}:
            with suppress(Problem):  # it is gone with its last pane
                self._untitle(window)

    def _room(self, there: Sequence[Pane]) -> str:
        """A new pane, or the oldest one whose agent has ended; "" where there is neither."""
        ended = next((pane.id for pane in there if pane.dead), "")
        if len(there) >= self._most:
            return ended
        try:
            return self._beside(there) if there else self._first()
        except Problem as problem:
            if "no space" not in str(problem) and str(problem) != NO_ROOM:
                raise
            if not there:
                raise Problem(NO_ROOM) from None
            return ended

    def _beside(self, there: Sequence[Pane]) -> str:
        return self._split(there[-1].id, there[-1].window)

    def _first(self) -> str:
        if not self._inside:
            if self._again:
                raise Problem("its session was closed")
            return self._new_session()
        target = ("-t", self._from) if self._from else ()
        [told] = self._tell("display-message", "-p", *target, "#{window_id} #{window_panes} #{pane_id}")
        window, count, pane = told.split()
        if int(count) == 1:
            return self._split(pane, window)
        # Who has arranged a window keeps it as it is.
        return self._made("new-window", "-d", "-a", "-t", window, "-n", self._title)

    def _split(self, pane: str, window: str) -> str:
        [told] = self._tell("display-message", "-p", "-t", pane, "#{window_width} #{window_height} #{window_panes}")
        wide, high, count = map(int, told.split())
        rows, across = tiled(count + 1)
        if (wide + 1) // across - 1 < NARROWEST or high // rows < LOWEST:
            raise Problem(NO_ROOM)
        try:
            made = self._made("split-window", "-d", "-t", pane)
        except Problem:
            made = self._made("split-window", "-d", "-h", "-t", pane)
        self._tell("select-layout", "-t", window, "tiled")
        return made

    def _new_session(self) -> str:
        for name in (self._title, *(f"{self._title}-{number}" for number in range(2, 100))):
            if not self._server.has_session(name):
                self.session = name
                return self._made("new-session", "-d", "-s", name, "-n", self._title, "-x", WIDE, "-y", HIGH)
        raise Problem(f"too many sessions are named {self._title}")

    def _made(self, *words: str) -> str:
        """A pane that waits; what it shows is started when it carries its mark, so that an early end stays readable."""
        [told] = self._tell(*words, "-P", "-F", "#{pane_id} #{window_id}", "--", "/bin/cat", "-")
        pane, window = told.split()
        self.window = window
        self._title_panes(window)
        return pane

    def _title_panes(self, window: str) -> None:
        if not self._option(window, BORDER_BEFORE):
            self._tell("set-option", "-w", "-t", window, BORDER_BEFORE, self._option(window, BORDER) or "unset")
        self._tell("set-option", "-w", "-t", window, BORDER, "top")

    def _untitle(self, window: str) -> None:
        """A window of the person's looks as before, unless another run has panes there."""
        if any(self._tell("list-panes", "-t", window, "-F", f"#{{{MARK}}}")):
            return
        before = self._option(window, BORDER_BEFORE)
        if before in ("", "unset"):
            self._tell("set-option", "-w", "-u", "-t", window, BORDER)
        else:
            self._tell("set-option", "-w", "-t", window, BORDER, before)
        self._tell("set-option", "-w", "-u", "-t", window, BORDER_BEFORE)

    def _option(self, window: str, name: str) -> str:
        """As the window itself says; "" where it says nothing."""
        return "".join(self._tell("show-options", "-w", "-q", "-v", "-t", window, name))

    def _tell(self, *words: str) -> list[str]:
        # A word that ends with a semicolon would end the command.
        done = self._server.cmd(*(f"{word[:-1]}\\;" if word.endswith(";") else word for word in words))
        if done.returncode:
            raise Problem(" ".join(" ".join(done.stderr).split())[:200] or f"tmux ended with {done.returncode}")
        return list(done.stdout)


def tiled(count: int) -> tuple[int, int]:
    """Rows and columns of so many panes, as tmux lays them out."""
    rows = columns = 1
    while rows * columns < count:
        rows += 1
        columns += rows * columns < count
    return rows, columns


def titled(name: str) -> str:
    """A name as a title: on one line, and without what begins a format or a style in tmux."""
    plain = "".join(each if each.isprintable() else " " for each in name).replace("#", "＃")
    return " ".join(plain.split())[:LONGEST_TITLE] or "agent"


def carried_out(request: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    if shutil.which("tmux", path=environment.get("PATH")) is None:
        raise Problem("tmux is not installed")
    if not has_gte_version(OLDEST):
        raise Problem(f"tmux {get_version()} is too old: panes need {OLDEST}")
    socket = environment.get("TMUX", "").rsplit(",", 2)[0]
    panes = Panes(Server(socket_path=socket) if socket else Server(), request, environment)
    left = list[int]()
    if request.get("close"):
        panes.close()
    for number, title, words in request["show"]:
        if not panes.show(int(number), str(title), [str(word) for word in words]):
            left.append(int(number))
    return {"left": left, "session": panes.session, "window": panes.window}


def main() -> int:
    try:
        answer = carried_out(json.load(sys.stdin), os.environ)
    except Problem as problem:
        answer = {"problem": str(problem)}
    except exc.LibTmuxException as problem:
        answer = {"problem": " ".join(str(problem).split())[:200] or type(problem).__name__}
    sys.stdout.write(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
