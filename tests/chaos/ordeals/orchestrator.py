"""One andon process that is let live until a chosen moment, and the moments there are."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordeals.place import Place
from warm import warm

TICK_SECONDS = 0.02
EARLY_SECONDS = 0.2
"""While it opens the database and probes the sandbox."""
START_EFFECTS = 40
"""Of a process that only takes up a run again: folders, the sandbox's probe, the engine's tables."""
TRAP = Path(__file__).with_name("trap")
LONGEST_DELAY = 0.15
"""Behind an entry: long enough to reach into the next step, short enough to hit between two writes."""


@dataclass(frozen=True)
class Extent:
    """How long a run is, or the rest of it, in three measures."""

    seconds: float = 0.0
    entries: int = 0
    effects: int = 0

    def after(self, entries: int) -> Extent:
        """What is left when so many lines of the journal are written. Starting again has effects of its own."""
        left = max(0, self.entries - entries)
        share = left / max(1, self.entries)
        return Extent(self.seconds * max(share, 0.3), left, START_EFFECTS + int(self.effects * share))


@dataclass(frozen=True)
class Moment:
    """`seconds` after the process wrote its `entries`-th line of the journal, or the line with this `key`, or else
    after its start; or, with `effect`, right before its so-manieth effect on the world, of those that look like `of`
    and come after the statement `after` (see trap/)."""

    entries: int = 0
    key: str = ""
    seconds: float = 0.0
    effect: int = 0
    of: str = ""
    after: str = ""

    @property
    def parked(self) -> bool:
        """Whether it comes while a person is asked, who then takes their time."""
        return self.key.endswith("/opened")

    @classmethod
    def drawn(cls, dice: random.Random, left: Extent) -> Moment:
        """Spread over what is left of a run: by the clock, by its journal, by its effects."""
        way, part, delay = dice.random(), dice.random(), dice.random()
        if way < 0.06:
            return cls(seconds=part * 0.05)
        if way < 0.15:
            return cls(seconds=part * EARLY_SECONDS)
        if way < 0.30:
            return cls(seconds=part * left.seconds)
        # Squared: more kills land early in what is left, so that the later ones still find something to kill.
        if way < 0.60:
            return cls(1 + int(part * part * left.entries), seconds=delay * delay * LONGEST_DELAY)
        return cls(effect=1 + int(part * part * left.effects))


class Orchestrator:
    """`andon …`, started now. Its journal lines are read as it writes them."""

    def __init__(
        self,
        place: Place,
        words: tuple[str, ...],
        log: Path,
        moment: Moment | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.words = words
        self.moment = moment
        self.entries: list[dict[str, Any]] = []
        self._log = log
        self._changed = threading.Condition()
        self._last_entry = self.started = time.monotonic()
        with log.open("ab") as errors:
            environment = {**place.environment, **(variables or {}), **self._trap(place)}
            self._process = warm().followed(*words, cwd=place.user, env=environment, errors=errors)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def reached(self) -> bool:
        """Whether its moment has come. Waits for it, but not longer than a tick."""
        until = time.monotonic() + TICK_SECONDS
        with self._changed:
            while True:
                now = time.monotonic()
                due = self._due()
                if due is not None and now >= due:
                    return True
                left = min(until, due if due is not None else until) - now
                if left <= 0:
                    return False
                self._changed.wait(left)

    def kill(self) -> None:
        """SIGKILL, to this process alone."""
        self._process.send_signal(signal.SIGKILL)

    def wait(self, seconds: float = 60.0) -> bool:
        """Until it has ended. True when it was killed, rather than ending by itself."""
        code = self._process.wait(timeout=seconds)
        # Its output ends with it: agents and checks hold none of its pipes.
        self._reader.join(timeout=seconds)
        return code == -signal.SIGKILL

    def complaint(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return " | ".join(lines[-4:])

    def _trap(self, place: Place) -> dict[str, str]:
        paths = [str(TRAP), *place.environment.get("PYTHONPATH", "").split(":")]
        trap: dict[str, Any] = {"log": str(self._log.with_suffix(".trap"))}
        if self.moment:
            trap |= {"effect": self.moment.effect, "of": self.moment.of, "after": self.moment.after}
        return {"PYTHONPATH": ":".join(path for path in paths if path), "CHAOS_TRAP": json.dumps(trap)}

    def _due(self) -> float | None:
        moment = self.moment
        if moment is None or moment.effect or len(self.entries) < moment.entries:
            return None
        if moment.key and all(entry["key"] != moment.key for entry in self.entries):
            return None
        return (self._last_entry if moment.entries or moment.key else self.started) + moment.seconds

    def _read(self) -> None:
        for line in self._process.stdout:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and "seq" in entry:
                with self._changed:
                    self.entries.append(entry)
                    self._last_entry = time.monotonic()
                    self._changed.notify_all()
