"""Per-process limits of a confined program. Memory, time and disk of the whole tree belong to its supervisor."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field

from andon.processes.shares import memory_share

GIB = 1024**3
PRIVATE_FOLDERS = 5
"""/tmp, /var/tmp, /run, the private home, /dev/shm: together no more than a process may hold otherwise."""

# Looked up by path, not through the caller's PATH: it must be the system's own, visible inside.
_PRLIMIT = ("/usr/bin/prlimit", "/bin/prlimit")


@dataclass(frozen=True, slots=True)
class Limits:
    open_files: int = 8192
    file_bytes: int = 8 * GIB
    processes: int = 4096
    """Threads count too. The kernel exempts root, so it is set for ordinary users only."""
    private_bytes: int = field(default_factory=lambda: memory_share() // PRIVATE_FOLDERS)
    """Room in each private memory-backed folder. No watchdog of resident memory sees what is in them."""

    def values(self) -> dict[str, int]:
        """Limit by the name prlimit gives it, never above what this process may hand on."""
        wanted = {
            "core": (resource.RLIMIT_CORE, 0),
            "nofile": (resource.RLIMIT_NOFILE, self.open_files),
            "fsize": (resource.RLIMIT_FSIZE, self.file_bytes),
        }
        if os.geteuid() != 0:
            wanted["nproc"] = (resource.RLIMIT_NPROC, self.processes)
        return {name: _at_most_hard(which, value) for name, (which, value) in wanted.items()}


def prlimit() -> str | None:
    """Where util-linux prlimit is, if it is installed."""
    return next((path for path in _PRLIMIT if os.access(path, os.X_OK)), None)


def limited(argv: tuple[str, ...], limits: Limits) -> tuple[str, ...]:
    """The same program, started through prlimit where that exists."""
    program = prlimit()
    if program is None:
        return argv
    return (program, *(f"--{name}={value}:{value}" for name, value in limits.values().items()), "--", *argv)


def _at_most_hard(which: int, value: int) -> int:
    hard = resource.getrlimit(which)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
