"""Starts a process that goes on by itself: in a session of its own, printing into a file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def start_detached(argv: Sequence[str], cwd: Path, more: Mapping[str, str], log: Path) -> int:
    """Its process id. `more` is added to this process's environment. What it prints is appended to `log`."""
    with log.open("ab") as printed:
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**os.environ, **more},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            start_new_session=True,
        )
    return process.pid
