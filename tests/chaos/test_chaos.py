"""The short form of `make chaos`: the same program, two dozen kills."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ordeals.agents import there
from ordeals.kinds import BY_NAME

KILLS = 24
KINDS = ("rejected", "asked", "budget-raised", "crashing", "stopped", "limited", "uam", "claude")
"""Those with the longest ways; test_moments.py kills others, and `make chaos` all."""


@pytest.mark.timeout(1260)
def test_E_13_random_kills_lose_repeat_orphan_and_change_nothing() -> None:
    program = Path(__file__).with_name("chaos.py")
    kinds = [word for kind in KINDS if there(BY_NAME[kind]) for word in ("--kind", kind)]

    words = [sys.executable, program, "--kills", str(KILLS), "--seed", "40", *kinds]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1200)

    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"kills={KILLS} "), done.stdout[-6000:] + done.stderr[-2000:]
    assert last.endswith(" lost=0 repeated=0 orphans=0 mismatched=0"), done.stdout[-6000:]
    assert done.returncode == 0
