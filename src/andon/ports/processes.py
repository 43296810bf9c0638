"""Processes and what confines them: what is started, within which bounds, seeing what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start, complete: nothing is inherited from the orchestrator but what stands here."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a supervised process may use before its supervisor ends it."""

    seconds: float
    output_bytes: int = 64 * 1024 * 1024
    """Kept of each stream; the rest is read and thrown away, and the exit says so."""
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    """Growth allowed below `disk_folder`."""
    disk_folder: str | None = None
    lease_seconds: float = 600.0
    """How long it outlives a vanished orchestrator."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a supervised process ended."""

    reason: str
    """exited, timeout, cancelled, memory, disk, lease, unstartable, or lost: its supervisor was killed meanwhile."""
    code: int | None = None
    """Exit status, when it exited by itself."""
    signal: int | None = None
    seconds: float = 0.0
    truncated: bool = False
    """More was printed than was kept."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    source: str
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a confined process may see and touch. Everything not named is absent or read-only."""

    folder: str
    """The workspace: always visible at its own path, read-only unless listed in `writable`."""
    writable: tuple[str, ...] = ()
    """Absolute paths inside or outside `folder` that may be written."""
    readable: tuple[str, ...] = ()
    """Absolute paths outside the allow-listed system root that may be read."""
    mounts: tuple[Mount, ...] = ()
    """Further paths that appear somewhere else (a disposable .git, node_modules)."""
    network: bool = False
    home: str | None = None
    """A folder to use as HOME, writable. None: an empty private one."""


class Sandbox(Protocol):
    @property
    def tier(self) -> str:
        """bwrap+cgroup, bwrap+limits, landlock, or none: part of the evidence."""
        ...

    @property
    def confines(self) -> bool:
        """Whether a measurement made in it counts without a person's --trust-host."""
        ...

    @property
    def mounts(self) -> bool:
        """Whether it can show a folder somewhere else than where it is."""
        ...

    def confine(self, command: Command, confinement: Confinement) -> Command:
        """The same command, wrapped so that the kernel enforces the confinement."""
        ...

    def setup_failure(self, code: int | None, stderr: bytes) -> str | None:
        """The sandbox's own complaint, if the confined program never started: that is never a verdict."""
        ...
