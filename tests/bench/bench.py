"""`make bench`: the speed of andon, as ratios measured in one run, beside the limits that were set for it.

    python tests/bench/bench.py [--quick] [--json] [--strict] [--only NAME] [--disk] [--home FOLDER]

Prints a table and says how loaded the machine was; a number from a busy machine is worth little. It is not a test: it
always ends with 0, unless --strict is given and something is over its limit or could not be measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recording import RECORDER
from rows import Row, as_json, table

if TYPE_CHECKING:
    from ground import Ground

MEMORY_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Measure:
    """A measurement by name; `rows` names what it would have told if it cannot be made."""

    name: str
    rows: tuple[tuple[str, str, str], ...]
    make: Callable[[Ground], list[Row]]

    def made(self, ground: Ground) -> list[Row]:
        try:
            return self.make(ground)
        except Exception as problem:
            said = f"{type(problem).__name__}: {problem}"
            return [Row(id, what, None, unit, said) for id, what, unit in self.rows]


def measures(quick: bool) -> list[Measure]:
    # Imported here, after RECORDER.install: these import the parts of andon whose processes are timed.
    import asking
    import commands
    import driving
    import hooking
    import light
    import parking
    import prompts
    import serving
    import sprinting
    import steps
    import teaming
    import verifying

    def pick(thorough: int, short: int) -> int:
        return short if quick else thorough

    return [
        Measure("light", (("light", "LIGHT run ÷ its bare processes", "×"),), lambda g: light.light(g, pick(5, 1))),
        Measure("ask", (("ask", "one read-only ask", "ms"),), lambda g: asking.ask(g, pick(20, 3))),
        Measure("claude", (("claude", "an order through claude", "ms"),), lambda g: driving.claude(g, pick(20, 2))),
        Measure("help", (("help", "andon --help", "×"),), lambda g: commands.help_text(g, pick(15, 3))),
        Measure("status", (("status", "andon status", "s"),), lambda g: commands.status(g, pick(5, 1))),
        Measure(
            "parked",
            (("parked-cpu", "parked runs: CPU", "%"), ("parked-memory", "parked runs: memory", "KB")),
            lambda g: parking.parked(g, pick(1000, 50), pick(60, 2)),
        ),
        Measure(
            "prompts",
            tuple((f"prompts-{mode}", f"text of andon in a {mode.upper()} run", "tokens") for mode in prompts.RUNS),
            prompts.prompts,
        ),
        Measure(
            "verify",
            (("verify", "andon verify, less 2 s ÷ plain pytest", "×"),),
            lambda g: verifying.verify(g, pick(5, 1)),
        ),
        Measure(
            "hooks",
            (
                ("hook-idle", "an inactive hook ÷ python -I -S -c pass", "×"),
                ("hook-idle-node", "an inactive hook ÷ the same for node", "×"),
                ("hook-busy-node", "an active hook ÷ an inactive one for node", "×"),
            ),
            lambda g: hooking.hooks(g, pick(60, 3)),
        ),
        Measure(
            "hooks-in-claude",
            (
                ("hook-write", "what all hooks add to one Write", "ms"),
                ("hook-stop", "what all hooks add to one Stop", "ms"),
            ),
            lambda g: hooking.in_claude(g, pick(12, 1)),
        ),
        Measure(
            "sprint",
            (("sprint", sprinting.WHAT, "×"),),
            lambda g: sprinting.sprint(g, pick(3, 1), pick(sprinting.TODOS, sprinting.WIDTH)),
        ),
        Measure(
            "serve",
            (("sse", "from the journal to a listener", "ms"), ("sse-lost", "events lost", "")),
            lambda g: serving.listening(g, pick(200, 10), pick(300, 12), pick(20, 2)),
        ),
        Measure("decide", (("decide", "approvals at once", ""),), lambda g: serving.deciding(g, pick(1000, 20))),
        Measure(
            "draw",
            (("draw", "the board of many runs", "ms"),),
            lambda g: serving.drawing(g, pick(2000, 50), pick(7, 2)),
        ),
        Measure(
            "team-scan",
            (("team-scan", "scanning files", "×"),),
            lambda g: teaming.scanning(g, pick(5000, 60), pick(5, 1)),
        ),
        Measure(
            "team-analyse",
            (("team-analyse", "analysing a workflow", "ms"),),
            lambda g: teaming.analysing(g, pick(3000, 300), pick(5, 1)),
        ),
        Measure(
            "team-bulletin",
            (("team-bulletin", "entries lost or not whole", ""),),
            lambda g: teaming.posting(g, pick(20, 3), pick(500, 20)),
        ),
        Measure("steps", (("step", "parts of a run", "ms"),), lambda g: steps.steps(g, pick(20, 3))),
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="Measure the speed of andon.")
    parser.add_argument("--quick", action="store_true", help="a few rounds of everything: shows that it works")
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a limit is not kept")
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        help="light, ask, claude, help, status, parked, prompts, verify, hooks, hooks-in-claude, sprint, serve, "
        "decide, draw, team-scan, team-analyse, team-bulletin or steps",
    )
    parser.add_argument("--disk", action="store_true", help="files on disk, where the default is in memory")
    parser.add_argument(
        "--home", metavar="FOLDER", type=Path, help="a data folder to use and keep, instead of a new one"
    )
    return parser.parse_args()


def main() -> int:
    wanted = arguments()
    RECORDER.install()
    from ground import Ground

    load_before = os.getloadavg()
    rows: list[Row] = []
    place = None if wanted.disk else _in_memory()
    with tempfile.TemporaryDirectory(prefix="andon-bench-", dir=place) as scratch:
        ground = Ground(Path(scratch), (wanted.home or Path(scratch, "home")).absolute())
        for measure in measures(wanted.quick):
            if not wanted.only or measure.name in wanted.only:
                print(f"measuring: {measure.name}", file=sys.stderr)
                rows += measure.made(ground)
    print(as_json(rows, load_before) if wanted.json else table(rows))
    print(_conditions(load_before, wanted.quick, "in memory" if place else "on disk"), file=sys.stderr)
    return 1 if wanted.strict and any(row.bad for row in rows) else 0


def _in_memory() -> str | None:
    """Where all files of the benchmarks lie, if there is such a place with room. A file system's own habits would drown
    what is measured: ext4 without a journal, for one, looks at every inode deleted in the last minutes whenever it
    makes a file, so that each round is slower than the one before."""
    place = Path("/dev/shm")
    roomy = place.is_dir() and os.access(place, os.W_OK) and shutil.disk_usage(place).free > MEMORY_BYTES
    return str(place) if roomy else None


def _conditions(load_before: tuple[float, float, float], quick: bool, where: str) -> str:
    shown = (
        f"load {load_before[0]:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores, files {where}"
    )
    if quick:
        return f"{shown}; so few rounds judge nothing: repeat without --quick"
    busy = load_before[0] > 0.5 * (os.cpu_count() or 1)
    return shown + ("; the machine was busy: repeat on a quiet one" if busy else "")


if __name__ == "__main__":
    sys.exit(main())
