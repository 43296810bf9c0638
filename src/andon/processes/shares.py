"""How much of this machine one supervised process may take, so that the machine, andon and the others go on."""

from __future__ import annotations

import os

GIB = 1024**3
MEMORY_BYTES = 8 * GIB
"""Enough for a large compiler or browser; more is a leak."""
DISK_BYTES = 8 * GIB


def memory_share() -> int:
    """For a process with all it starts: three quarters of the machine at most, so that a supervisor can still act."""
    return min(MEMORY_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)
