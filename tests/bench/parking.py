"""A thousand runs that wait for a person, in one process: how much memory each holds, and what all of them cost in CPU.

The process is tests/engine/parked.py, which executes durable workflows of the real engine, each in a real hold. It is
read until it has told the cost, and then killed: ending a thousand runs in good order would take longer than all this.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

from ground import Ground
from rows import Row

PARKED = Path(__file__).parents[1] / "engine" / "parked.py"
PATIENCE = 600.0


def parked(ground: Ground, number: int, seconds: float) -> list[Row]:
    told = _told(ground, number, seconds)
    cost = told["cost"]
    detail = f"{cost['threads']} threads, watched for {seconds:g} s; parking took {told['parked']['seconds']:.1f} s"
    return [
        Row("parked-cpu", f"{number} parked runs: CPU of one core", cost["percent"], "%", detail),
        Row("parked-memory", f"{number} parked runs: memory of each", cost["kilobytes"], "KB"),
    ]


def _told(ground: Ground, number: int, seconds: float) -> dict[str, dict[str, Any]]:
    """What the process said, by event."""
    home = ground.scratch / "parked"
    words = (sys.executable, str(PARKED), f"sqlite:///{home / 'andon.db'}", str(home), str(number), str(seconds))
    told: dict[str, dict[str, Any]] = {}
    with subprocess.Popen(words, env=ground.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        deadline = Timer(PATIENCE, process.kill)
        deadline.start()
        for line in process.stdout:
            event = json.loads(line)
            told[event["event"]] = event
            if "cost" in told:
                break
        deadline.cancel()
        process.kill()
        said = process.stderr.read().decode("utf-8", "replace")
    if "cost" not in told:
        raise RuntimeError((said.strip().splitlines() or ["it ended without a word"])[-1])
    return told
