"""The processes below this one, all of them: whatever loses its parent becomes ours, so nothing can hide.

A process that is here after its run has ended is an orphan; the warm one that commands are forked from is not.
"""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from pathlib import Path

from warm import warm

PR_SET_CHILD_SUBREAPER = 36
GONE_SECONDS = 2.0
"""A supervisor writes its record before it ends itself, so the run may be the quicker one by a moment."""


def adopt_orphans() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def orphans() -> list[str]:
    """What still runs below this process after a moment of patience, by command line. Call it when nothing should."""
    until = time.monotonic() + GONE_SECONDS
    while True:
        left = _descendants()
        if not left or time.monotonic() > until:
            return [f"{pid}: {_command(pid)}" for pid in left]
        time.sleep(0.02)


def end_all() -> None:
    """Kill what is left, so that one run's orphans are not counted against the next."""
    until = time.monotonic() + 10
    while (left := _descendants()) and time.monotonic() < until:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        time.sleep(0.05)


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state == "Z":
            # Ours to bury, if it is ours; the children of others are their business.
            if int(parent) == os.getpid():
                with suppress(ChildProcessError):
                    os.waitpid(int(entry.name), os.WNOHANG)
            continue
        children.setdefault(int(parent), []).append(int(entry.name))
    found: list[int] = []
    parents = [os.getpid()]
    while parents:
        below = children.get(parents.pop(), [])
        found += [pid for pid in below if pid != warm().pid]
        parents += below
    return found


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "gone"
    return words if len(words) < 300 else f"{words[:80]} … {words[-200:]}"
