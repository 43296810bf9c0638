"""How a run is shown while it goes on: live on a terminal, plain lines when piped, JSON lines for programs."""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Protocol

import click

from andon.cli.lines import line
from andon.cli.text import columns
from andon.domain.journal import Entry

if TYPE_CHECKING:
    from andon.app.panes import AgentPanes


class Screen(Protocol):
    def show(self, entry: Entry) -> None: ...

    def close(self) -> None: ...


class WithPanes:
    """A screen, and besides it a pane of tmux for every agent that works (`--tmux`)."""

    def __init__(self, screen: Screen, panes: AgentPanes) -> None:
        self._screen, self._panes = screen, panes

    def show(self, entry: Entry) -> None:
        self._panes.saw(entry)
        self._screen.show(entry)

    def close(self) -> None:
        self._screen.close()
        self._panes.close()


class InOrder:
    """Entries come from several threads; they are drawn one at a time, in the order of the journal."""

    def __init__(self) -> None:
        self._drawing = threading.Lock()
        self._early: dict[int, Entry] = {}
        self._next = 0

    def show(self, entry: Entry) -> None:
        with self._drawing:
            self._early[entry.seq] = entry
            self._next = self._next or entry.seq
            while self._early and min(self._early) <= self._next:
                self._draw_first()

    def close(self) -> None:
        with self._drawing:
            while self._early:
                self._draw_first()

    def _draw_first(self) -> None:
        entry = self._early.pop(min(self._early))
        self._next = max(self._next, entry.seq + 1)
        self.draw(entry)

    def draw(self, entry: Entry) -> None:
        raise NotImplementedError


NEEDED = ("hold_opened", "warning", "user_notified", "rate_limited", "budget_warning", "teammate_failed", "bug")
"""What a quiet screen shows."""


class Lines(InOrder):
    """For people: what was told just before is not told again."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__()
        self._noticed = ""
        self.quiet = quiet

    def text(self, entry: Entry) -> str | None:
        if self.quiet and entry.kind not in NEEDED:
            return None
        if entry.kind == "run_ended" and entry.data.get("message") == self._noticed:
            entry = replace(entry, data={**entry.data, "message": ""})
        self._noticed = str(entry.data.get("text", "")) if entry.kind == "user_notified" else self._noticed
        return line(entry, columns())


class PlainScreen(Lines):
    """One line per event, on standard output, flushed: good for pipes, logs and CI."""

    def draw(self, entry: Entry) -> None:
        text = self.text(entry)
        if text:
            click.echo(text, err=self.quiet)


class JsonScreen(InOrder):
    """One JSON object per line: every journal entry as it is."""

    def draw(self, entry: Entry) -> None:
        click.echo(json.dumps(asdict(entry), ensure_ascii=False))


def choose_screen(as_json: bool, *, executing: bool = True, quiet: bool = False) -> Screen:
    """`executing`: this process executes the run, so Ctrl+C stops it and questions can be answered here."""
    if as_json:
        return JsonScreen()
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return PlainScreen(quiet=quiet)
    # rich is imported only where there is a terminal to draw on.
    from andon.cli.live import LiveScreen

    return LiveScreen(executing=executing, quiet=quiet)
