"""Confinement by Landlock, for places that refuse user namespaces (most containers).

Builds command lines for landlock_exec.py; whoever starts them owns the process.
"""

from __future__ import annotations

import base64
import platform
import sys
from dataclasses import dataclass, field
from pathlib import Path

from andon.domain.errors import EnvironmentProblem
from andon.ports import Command, Confinement
from andon.workspace.sandbox import environment, seccomp
from andon.workspace.sandbox.failure import setup_failure
from andon.workspace.sandbox.layout import Kind, layout
from andon.workspace.sandbox.limits import Limits

_LAUNCHER = Path(__file__).with_name("landlock_exec.py")

# Without a private /proc, naming it whole would show every process of the host, environments included.
_PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "self", "stat", "sys", "uptime", "version")
_DEVICES = ("null", "zero", "full", "random", "urandom")


@dataclass(frozen=True, slots=True)
class LandlockSandbox:
    scratch: Path
    """Private folders of confined programs are made here, and cleared away by later starts."""
    python: str = sys.executable
    limits: Limits = field(default_factory=Limits)
    own: str = ""
    """andon's own folder: nothing that contains it is shown to anyone."""

    @property
    def tier(self) -> str:
        return "landlock"

    @property
    def confines(self) -> bool:
        return True

    @property
    def mounts(self) -> bool:
        return False

    def confine(self, command: Command, confinement: Confinement) -> Command:
        _refuse_what_needs_mounting(confinement)
        places = layout(confinement, self.own).places
        env = {"PATH": environment.PATH, **({"HOME": confinement.home} if confinement.home else {}), **command.env}
        inherited, late = environment.split(env)
        options = [
            *_each("read", [place.source for place in places if place.kind is Kind.READ]),
            *_each("read", [f"/proc/{name}" for name in _PROC]),
            *_each("write", [place.source for place in places if place.kind is Kind.WRITE]),
            *_each("write", [f"/dev/{name}" for name in _DEVICES]),
            *_each("limit", [f"{name}={value}" for name, value in self.limits.values().items()]),
            *_each("setenv", [f"{name}={value}" for name, value in late.items()]),
            *("--network", "yes" if confinement.network else "no"),
            *("--filter", base64.b64encode(_filter(network=confinement.network)).decode()),
            *("--scratch", str(self.scratch), "--cwd", command.cwd),
        ]
        argv = (self.python, "-I", "-S", str(_LAUNCHER), *options, "--", *command.argv)
        return Command(argv, cwd="/", env=inherited, stdin=command.stdin)

    def setup_failure(self, code: int | None, stderr: bytes) -> str | None:
        return setup_failure(code, stderr)


def _each(option: str, values: list[str]) -> list[str]:
    return [word for value in values for word in (f"--{option}", value)]


def _filter(*, network: bool) -> bytes:
    """Without a network namespace of its own, a program without network may make no socket but a pair.

    Landlock rules on TCP alone, and not at all on sockets with a path, such as a container engine's.
    """
    families = (seccomp.AF_UNIX, seccomp.AF_INET, seccomp.AF_INET6, seccomp.AF_NETLINK) if network else ()
    return seccomp.filter_for(platform.machine(), families=families, sees_strangers=True) or b""


def _refuse_what_needs_mounting(confinement: Confinement) -> None:
    for mount in confinement.mounts:
        if mount.source != mount.target:
            raise EnvironmentProblem(
                f"Landlock cannot show {mount.source} at {mount.target}",
                "Use a machine where bubblewrap works, or put a copy in place.",
            )
    for path in confinement.readable:
        if any(writable in map(str, Path(path).parents) for writable in confinement.writable):
            raise EnvironmentProblem(
                f"Landlock cannot keep {path} read-only inside a writable folder",
                "Use a machine where bubblewrap works.",
            )
