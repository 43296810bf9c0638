"""Every agent of a run in a pane of tmux while it works: `--tmux`. It looks on; the run does not know of it."""

from __future__ import annotations

import queue
import shutil
import sys
import threading
from collections.abc import Callable, Mapping
from platform import release, system

from andon.app.home import Home
from andon.connect.panes import Fallback, Panes, Show, open_panes
from andon.domain.journal import Entry
from andon.domain.teams.panes import Mode, panes_for, platform_of, terminal

Say = Callable[[str], object]
LAST_SECONDS = 25.0


class AgentPanes:
    """Give it every entry of a run's journal: who begins to work gets a pane. What goes wrong is said once, and there
    are no panes then. tmux is asked in a thread of its own, so that nothing waits for it."""

    def __init__(self, environment: Mapping[str, str], home: Home, run: str, say: Say, team: str = "") -> None:
        self._environment, self._run, self._say = environment, run, say
        self._folder = home.run(run) / "panes"
        self._panes: Panes | Fallback | None = None
        self._begun = queue.SimpleQueue[str | None]()
        self._thread = threading.Thread(target=self._work, name="panes", daemon=True)
        tmux = shutil.which("tmux", path=environment.get("PATH")) is not None
        found = terminal(environment, platform_of(system(), release()), tmux)
        mode = panes_for(found, team)
        self._wanted = mode.mode is Mode.TMUX and tmux
        if not self._wanted:
            say(f"No panes. {mode.hint}".strip())
        self._thread.start()

    def saw(self, entry: Entry) -> None:
        if self._wanted and entry.run == self._run and entry.kind == "spawn":
            self._begun.put(str(entry.data["name"]))

    def close(self) -> None:
        """Of the run that is over: panes stay, so that they can be read. What is still asked for comes first."""
        self._begun.put(None)
        self._thread.join(LAST_SECONDS)

    def _work(self) -> None:
        while (name := self._begun.get()) is not None:
            if not isinstance(self._panes, Fallback):
                self._show(name)

    def _show(self, name: str) -> None:
        command = [sys.executable, "-P", "-m", "andon", "logs", self._run, "--follow", f"--agent={name}"]
        show = Show(name, command)
        if self._panes is None or isinstance(self._panes, Fallback):
            self._panes = open_panes(self._environment, self._folder, self._run, [show])
            if isinstance(self._panes, Panes) and self._panes.attach:
                self._say(f"Agents have panes: {self._panes.attach}")
        elif problem := self._panes.show([show]):
            self._panes = problem
        if isinstance(self._panes, Fallback):
            self._say(f"No more panes: {self._panes.reason}. The run goes on without them.")
        elif self._panes.left_out:
            self._say(
                f"No room for a pane of {', '.join(self._panes.left_out)}: `andon logs {self._run} --agent NAME`."
            )
