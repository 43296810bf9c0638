"""The live screen: lines scroll by, a footer shows who works and for how long, questions can be answered."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from andon.cli.answers import TypedAnswers, can_be_typed
from andon.cli.lines import PHASES, way_on
from andon.cli.screen import Lines
from andon.cli.text import columns, cut, plain
from andon.domain.counting import counted
from andon.domain.journal import Entry
from andon.domain.money import in_dollars
from andon.domain.order import Usage

SPINNER = 3
"""Columns of the footer that are not text: the spinner, a space, and one that stays free."""
_NOTABLE = ("warning", "user_notified", "teammate_failed", "hold_opened", "promoted", "budget_warning")


class LiveScreen(Lines):
    def __init__(self, *, executing: bool, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._console = Console(highlight=False)
        self._progress = Progress()
        self._executing = executing
        self._question = ""
        self._waiting: list[str] = []
        """Questions that opened while another one was asked."""
        self._prompted = False
        """The cursor stands behind the prompt."""
        self._taken = False
        """An answer was typed, and its entry has not come yet."""
        self._answers = TypedAnswers(self._typed) if executing and can_be_typed() else None
        self._spinner = Spinner("dots", style="dim")
        self._live: Live | None = None
        self._start()

    def close(self) -> None:
        super().close()
        if self._answers:
            self._answers.close()
        self._stop()

    def draw(self, entry: Entry) -> None:
        self._progress.follow(entry)
        text = self.text(entry)
        if text:
            self._leave_prompt()
            self._console.print(text, style=_style(entry), markup=False, soft_wrap=True)
        if self._answers:
            self._follow_questions(self._answers, entry)

    def _start(self) -> None:
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=8, transient=True, get_renderable=self._footer)
            self._live.start()
            # A process that is killed cannot bring the cursor back, so it is never taken away.
            self._console.show_cursor(True)

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    # --- questions --------------------------------------------------------------------------------------------

    def _follow_questions(self, answers: TypedAnswers, entry: Entry) -> None:
        """One question at a time: those that open meanwhile wait, and what others do does not close it."""
        hold = str(entry.data.get("hold", ""))
        if entry.kind == "hold_opened":
            self._waiting.append(hold)
        elif entry.kind == "run_ended":
            self._waiting.clear()
        elif entry.kind == "hold_answered" and hold in self._waiting:
            self._waiting.remove(hold)
        if self._question and (entry.kind == "run_ended" or (entry.kind == "hold_answered" and hold == self._question)):
            self._question = ""
            self._leave_prompt()
            answers.ignore()
        while self._waiting and not self._question:
            self._ask(self._waiting.pop(0))
        if not self._question:
            self._start()
        elif not self._prompted and not self._taken:
            self._prompt()

    def _ask(self, hold: str) -> None:
        from andon.app.queries import find_hold, open_store
        from andon.domain.tasks.protocol import takes_own_words

        found = find_hold(open_store(os.environ), hold)
        if found is None or not found.open or self._answers is None:
            return
        self._question, self._taken = hold, False
        self._stop()
        if found.question.category == "review":
            self._console.print("    1 approves it; anything else is what should be different", style="dim")
        for number, option in enumerate(found.question.options if found.question.category != "review" else (), start=1):
            default = "  (Enter)" if option == found.question.default else ""
            self._console.print(f"    {number}  {plain(option)}{default}", markup=False)
        if found.question.options and takes_own_words(found.question):
            self._console.print("    or say it in your own words", style="dim")
        if found.deadline is not None:
            self._console.print(f"    in {found.question.timeout:g} s it is {found.question.default}", style="dim")
        self._prompt()
        self._answers.listen()

    def _prompt(self) -> None:
        self._console.print("    answer> ", end="", style="bold")
        self._prompted = True

    def _leave_prompt(self) -> None:
        """What others do while a question is open has lines of its own."""
        if self._prompted:
            self._console.print()
        self._prompted = False

    def _typed(self, text: str) -> None:
        self._prompted = False
        from andon.app.answering import answer
        from andon.app.queries import find_hold, open_store
        from andon.app.starting import user_name
        from andon.app.tasks import decide_typed
        from andon.domain.errors import UserError

        store = open_store(os.environ)
        found = find_hold(store, self._question)
        try:
            if found is not None and found.question.category == "review":
                decide_typed(store, found.run, text, user_name(os.environ))
            elif found is not None:
                answer(store, found, text, user_name(os.environ))
            self._taken = True
        except UserError as error:
            self._console.print(f"    {error.message}", style="yellow", markup=False)
            self._prompt()

    # --- footer -----------------------------------------------------------------------------------------------

    def _footer(self) -> Any:
        self._spinner.update(text=Text(cut(self._footer_text(), columns() - SPINNER), style="dim"))
        return self._spinner

    def _footer_text(self) -> str:
        told = self._progress.told()
        if not self._executing:
            return f"{told}  Ctrl+C leaves"
        from andon.app.outcome import interrupted

        return "stopping …  Ctrl+C ends at once" if interrupted() else f"{told}  Ctrl+C stops"


class Progress:
    """What the footer says about a run: a projection of its journal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._phase = ""
        self._working: dict[str, float] = {}
        self._waiting = ""
        self._used = Usage()
        self._last = time.time()

    def follow(self, entry: Entry) -> None:
        data = entry.data
        with self._lock:
            self._last = entry.at
            match entry.kind:
                case "phase_entered":
                    self._phase = str(data["name"])
                case "spawn":
                    self._working[data["name"]] = entry.at
                    self._waiting = ""
                case "rate_limited":
                    self._waiting = "rate limit"
                case "hold_opened":
                    self._waiting = f"waits: {way_on(data)}"
                case "hold_answered":
                    self._waiting = ""
                case "result":
                    self._used += Usage.read(data.get("usage", {}))
                case "shutdown_request":
                    self._working.pop(data["recipient"], None)
                case "run_started" | "run_ended":
                    self._working.clear()
                    self._waiting = ""
                case _:
                    pass

    def told(self) -> str:
        now = time.time()
        with self._lock:
            # A clock that was set back must not show negative seconds.
            working = ", ".join(f"{name} {max(0, now - at):.0f} s" for name, at in self._working.items())
            phase = PHASES.get(self._phase, self._phase).partition(" ")[2] or "starting"
            used = f"{counted(self._used.tokens, 'token')}  {in_dollars(self._used)}" if not self._waiting else ""
            used = used.rstrip() if self._used.tokens else ""
            # Nobody works while an environment is made or files are compared: seconds show that something goes on.
            idle = f"{max(0, now - self._last):.0f} s"
            parts = [phase, self._waiting or working or idle, used]
        return "  ".join(part for part in parts if part)


def _style(entry: Entry) -> str:
    match entry.kind:
        case "phase_entered":
            return "bold"
        case "check" | "verdict":
            verdict = entry.data.get("verdict", "")
            colours = {"passed": "green", "APPROVE": "green", "failed": "red", "REJECT": "red", "not_needed": "dim"}
            return colours.get(verdict, "yellow")
        case kind if kind in _NOTABLE:
            return "yellow"
        case "run_ended":
            return "bold green" if entry.data.get("status") == "done" else "bold red"
        case "spawn" | "result":
            return "dim"
        case _:
            return ""
