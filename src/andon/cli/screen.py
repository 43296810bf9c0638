"""How a run is shown while it goes on: live on a terminal, plain lines when piped, JSON lines for programs."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol

import click

from andon.cli.lines import line
from andon.domain.journal import Entry


class Screen(Protocol):
    def show(self, entry: Entry) -> None: ...

    def close(self) -> None: ...


class PlainScreen:
    """One line per event, on standard output, flushed: good for pipes, logs and CI."""

    def show(self, entry: Entry) -> None:
        text = line(entry)
        if text:
            click.echo(text)

    def close(self) -> None:
        sys.stdout.flush()


class JsonScreen:
    """One JSON object per line: every journal entry as it is."""

    def show(self, entry: Entry) -> None:
        click.echo(json.dumps(asdict(entry), ensure_ascii=False))

    def close(self) -> None:
        sys.stdout.flush()


class LiveScreen:
    """The lines scroll by above; a footer shows who works and how long, until it is over."""

    def __init__(self) -> None:
        # rich is imported only where there is a terminal to draw on.
        from rich.console import Console
        from rich.live import Live

        self._console = Console(highlight=False)
        self._working: dict[str, float] = {}
        self._lock = threading.Lock()
        self._phase = ""
        self._tokens = 0
        self._live = Live(console=self._console, refresh_per_second=8, transient=True, get_renderable=self._footer)
        self._live.start()

    def show(self, entry: Entry) -> None:
        with self._lock:
            self._follow(entry)
        text = line(entry)
        if text:
            self._console.print(text, style=_style(entry), markup=False, soft_wrap=False, overflow="ellipsis")

    def close(self) -> None:
        self._live.stop()

    def _follow(self, entry: Entry) -> None:
        match entry.kind:
            case "phase_entered":
                self._phase = str(entry.data["name"])
            case "spawn":
                self._working[entry.data["name"]] = entry.at
            case "result":
                usage = entry.data.get("usage", {})
                self._tokens += usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
            case "shutdown_request":
                self._working.pop(entry.data["recipient"], None)
            case _:
                pass

    def _footer(self) -> Any:
        import time

        from rich.spinner import Spinner
        from rich.text import Text

        with self._lock:
            working = ", ".join(f"{name} {time.time() - at:.0f} s" for name, at in self._working.items())
            text = Text(f"{self._phase or 'starting'}  {working}  {self._tokens} tokens   Ctrl+C stops", style="dim")
        return Spinner("dots", text=text)


def _style(entry: Entry) -> str:
    match entry.kind:
        case "phase_entered":
            return "bold"
        case "check" | "verdict":
            verdict = entry.data.get("verdict", "")
            return {"passed": "green", "APPROVE": "green", "failed": "red", "REJECT": "red"}.get(verdict, "yellow")
        case "warning" | "user_notified" | "teammate_failed" | "hold_opened" | "promoted" | "budget_warning":
            return "yellow"
        case "run_ended":
            return "bold green" if entry.data.get("status") == "done" else "bold red"
        case "spawn" | "result":
            return "dim"
        case _:
            return ""


def choose_screen(as_json: bool) -> Screen:
    if as_json:
        return JsonScreen()
    return LiveScreen() if sys.stdout.isatty() else PlainScreen()


def watching(screen: Screen, journal_listen: Callable[[Callable[[Entry], None]], None]) -> None:
    """Show every entry this process writes."""
    journal_listen(screen.show)
