"""Forty kills at random moments, by the command that `make chaos` runs, with its own last line as the witness."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 1200


@pytest.mark.serial
@pytest.mark.timeout(SECONDS + 60)
def test_E_13_forty_kills_lose_repeat_orphan_and_change_nothing() -> None:
    command = [sys.executable, str(Path(__file__).with_name("chaos.py")), "--kills", "40", "--seed", "40"]

    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)

    last = done.stdout.splitlines()[-1]
    assert last.startswith("kills=40 "), done.stdout[-4000:] + done.stderr[-2000:]
    assert last.endswith(" lost=0 repeated=0 orphans=0 mismatched=0"), done.stdout[-4000:]
    assert done.returncode == 0
