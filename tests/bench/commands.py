"""How long a person waits for the command itself: `andon --help` against an empty Python, and `andon status`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from ground import Ground
from rows import Row
from timing import in_turns, seconds

ANDON = Path(sys.executable).with_name("andon")
"""The installed console script of this very interpreter's environment."""


def help_text(ground: Ground, rounds: int) -> list[Row]:
    taken = in_turns(
        rounds,
        {
            "help": lambda: _start(ground, str(ANDON), "--help"),
            "pass": lambda: _start(ground, sys.executable, "-c", "pass"),
        },
    )
    ratio = median(shown / empty for shown, empty in zip(taken["help"], taken["pass"], strict=True))
    detail = f"{median(taken['help']) * 1000:.0f} ms over {median(taken['pass']) * 1000:.0f} ms"
    return [Row("help", "andon --help ÷ python -c pass", ratio, "×", detail)]


def status(ground: Ground, rounds: int) -> list[Row]:
    created = ground.create_run()
    taken = [seconds(lambda: _start(ground, str(ANDON), "status", created.row.id)) for _ in range(rounds)]
    return [Row("status", "andon status", median(taken), "s")]


def _start(ground: Ground, *words: str) -> None:
    subprocess.run(words, env=ground.environment, cwd=ground.scratch, check=True, stdout=subprocess.DEVNULL)
