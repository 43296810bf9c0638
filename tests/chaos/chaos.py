"""Kills andon with SIGKILL at random moments, over and over, and compares every run with one left in peace.

    python tests/chaos/chaos.py --kills 100 [--seed 1] [--kind plain] [--every-entry] [--lanes 2] [--json]

The last line is `kills=N runs=N lost=0 repeated=0 orphans=0 mismatched=0`, and the status 0 when it has the four zeros:

lost        a run that did not come to its end, or not to the right one, or whose work is not on its branch
repeated    an agent, a check or an entry of the story that happened more often than in peace
orphans     a process that outlived its run, or a file that a killed process left lying about
mismatched  a run whose journal, steps, evidence, branch or status file differ from those of a run in peace
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from ordeals.agents import there
from ordeals.kinds import BY_NAME, KINDS
from ordeals.lanes import Lanes, Task
from ordeals.orchestrator import Extent, Moment
from ordeals.ordeal import Endured
from ordeals.place import Place
from ordeals.story import Story

RUNS_PER_PLACE = 12
"""Then a new data folder: its first start, its tables and its environment are killed into as well."""
MOST_KILLS = 6
ENOUGH_PROBLEMS = 10
"""So many runs with problems are enough to look into."""


@dataclass
class Totals:
    kills: int = 0
    runs: int = 0
    lost: int = 0
    repeated: int = 0
    orphans: int = 0
    mismatched: int = 0
    drafts: int = 0
    """Temporary files of killed writers, which nobody reads."""
    problems: list[str] = field(default_factory=list[str])

    @property
    def good(self) -> bool:
        return not (self.lost or self.repeated or self.orphans or self.mismatched)

    def line(self) -> str:
        names = ("kills", "runs", "lost", "repeated", "orphans", "mismatched")
        return " ".join(f"{name}={getattr(self, name)}" for name in names)

    def count(self, endured: Endured, reference: Story) -> list[str]:
        """Add one run; returns what is wrong with it."""
        story = endured.story
        repeated = story.repeated(reference) if story else []
        litter = story.litter(reference) if story else []
        differences = story.differences(reference) if story else []
        if story is None and not endured.lost:
            endured.lost.append("there is no such run")
        self.kills += endured.kills
        self.runs += 1
        self.lost += bool(endured.lost)
        self.repeated += len(repeated)
        self.orphans += len(endured.orphans) + len(litter)
        self.mismatched += bool(differences)
        self.drafts += len(story.drafts(reference)) if story else 0
        wrong = [f"lost: {each}" for each in endured.lost]
        wrong += [f"repeated: {each}" for each in repeated]
        wrong += [f"orphan: {each}" for each in (*endured.orphans, *litter)]
        wrong += [f"mismatched: {each}" for each in differences]
        return wrong


class Chaos:
    def __init__(self, root: Path, lanes: Lanes, seed: str, kinds: list[str], quiet: bool) -> None:
        self.totals = Totals()
        self._root = root
        self._lanes = lanes
        self._seed = seed
        self._kinds = kinds
        self._stream = sys.stderr if quiet else sys.stdout
        self._references: dict[str, Endured] = {}
        self._number = 0
        self._running: dict[Path, int] = {}
        self._kept: set[Path] = set()

    def refer(self) -> bool:
        """Run each kind once in peace. False when one does not end as it should: there is nothing to compare with."""
        place = self._place("reference")
        for kind in self._kinds:
            self._lanes.begin(Task(0, kind, place, self._seed))
        for _ in self._kinds:
            _, endured = self._lanes.next()
            self._references[endured.kind] = endured
            wrong = [*endured.lost, *endured.orphans]
            story = endured.story
            self._say(f"in peace {endured.kind:<14} {endured.seconds:5.1f} s  {'; '.join(wrong) or 'as it should be'}")
            if wrong or story is None or story.repeated(story):
                self.totals.problems += wrong
                return False
        return True

    def kill(self, kills: int) -> None:
        dice = random.Random(self._seed)
        promised = 0
        while self.totals.kills < kills and len(self.totals.problems) < ENOUGH_PROBLEMS:
            while self._lanes.free and (left := kills - self.totals.kills - promised) > 0:
                # Each kind once before any comes again.
                if self._number % len(self._kinds) == 0:
                    order = dice.sample(self._kinds, len(self._kinds))
                task = self._task(order[self._number % len(self._kinds)], min(left, dice.randint(1, MOST_KILLS)))
                promised += task.kills
                self._lanes.begin(task)
            task, endured = self._lanes.next()
            promised -= task.kills
            self._judge(task, endured, kills)
        while self._lanes.busy:
            self._judge(*self._lanes.next(), kills)

    def sweep(self) -> None:
        """Every kind, killed once after its first entry, once after its second, and so on to its last."""
        tasks: list[Task] = []
        for kind in self._kinds:
            story = self._references[kind].story
            assert story is not None
            for entry in range(1, len(story.entries) + 1):
                tasks.append(self._task(kind, 1, (Moment(entry),)))
        for task in tasks:
            if not self._lanes.free:
                self._judge(*self._lanes.next(), len(tasks))
            self._lanes.begin(task)
        while self._lanes.busy:
            self._judge(*self._lanes.next(), len(tasks))

    def _task(self, kind: str, kills: int, moments: tuple[Moment, ...] = ()) -> Task:
        reference = self._references[kind]
        assert reference.story is not None
        number = self._number
        self._number += 1
        place = self._place(f"place-{number // RUNS_PER_PLACE}")
        self._running[place] = self._running.get(place, 0) + 1
        seed = f"{self._seed}/{number}"
        extent = Extent(reference.seconds, len(reference.story.entries), reference.effects)
        return Task(number, kind, place, seed, kills, extent, moments)

    def _place(self, name: str) -> Path:
        root = self._root / name
        if not root.exists():
            Place.make(root, self._root / "downloads")
        return root

    def _judge(self, task: Task, endured: Endured, wanted: int) -> None:
        reference = self._references[endured.kind].story
        assert reference is not None
        wrong = self.totals.count(endured, reference)
        self._say(
            f"{self.totals.kills:>5}/{wanted} {endured.name:<18} {endured.run:<8} "
            f"killed {endured.kills}  {endured.seconds:5.1f} s  {'; '.join(wrong[:1])[:100] or 'ok'}"
        )
        if wrong:
            self._kept.add(task.place)
            self.totals.problems.append(f"{endured.name} (run {endured.run})")
            for line in (*wrong[:8], *(f"killed: {moment}" for moment in endured.moments)):
                self._say(f"      {line}")
        self._running[task.place] -= 1
        full = (task.number // RUNS_PER_PLACE + 1) * RUNS_PER_PLACE <= self._number
        if full and not self._running[task.place]:
            self._leave(task.place)

    def _leave(self, place: Path) -> None:
        rebuilt = Place(place).rebuilt()
        self.totals.repeated += len(rebuilt)
        for line in rebuilt:
            self._say(f"      repeated: {line[-200:]}")
        del self._running[place]
        if not rebuilt and place not in self._kept:
            shutil.rmtree(place, ignore_errors=True)

    def end(self) -> None:
        for place in list(self._running):
            self._leave(place)

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


def main() -> int:
    options = _options()
    root = Path(tempfile.mkdtemp(prefix="andon-chaos-"))
    lanes = Lanes(options.lanes)
    chaos = Chaos(
        root, lanes, str(options.seed), options.kind or [kind.name for kind in KINDS if there(kind)], options.json
    )
    began = time.monotonic()
    ready = chaos.refer()
    if ready:
        began = time.monotonic()
        if options.every_entry:
            chaos.sweep()
        else:
            chaos.kill(options.kills)
        chaos.end()
    lanes.close()
    seconds = time.monotonic() - began
    totals = chaos.totals
    if not ready:
        print("the runs in peace do not end as they should: nothing was killed", file=sys.stderr)
    if ready and totals.good and not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    else:
        print(f"kept for a look: {root}", file=sys.stderr, flush=True)
    if options.json:
        told = {name: value for name, value in vars(totals).items() if name != "problems"}
        print(json.dumps(told | {"seconds": round(seconds, 1), "problems": totals.problems}))
    else:
        print(f"{seconds:.0f} s, {seconds / max(1, totals.kills):.2f} s per kill; {totals.drafts} drafts left lying")
        print(totals.line())
    return 0 if ready and totals.good else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="how often to kill (default 100)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the same kills again")
    parser.add_argument("--lanes", type=int, default=2, help="runs side by side (default 2)")
    parser.add_argument("--kind", action="append", choices=list(BY_NAME), help="only this kind; may be repeated")
    parser.add_argument("--every-entry", action="store_true", help="instead: one kill after each entry of the journal")
    parser.add_argument("--keep", action="store_true", help="keep the folder even when all is well")
    parser.add_argument("--json", action="store_true", help="a JSON object on standard output, talk on standard error")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
