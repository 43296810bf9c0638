"""Finds out, by trying, which tiers of sandbox work on this machine: each runs a canary that attempts to escape.

Caches nothing; leaves behind only the system-call filter that the sandboxes need.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import socket
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import EnvironmentProblem
from andon.ports import Command, Confinement, Sandbox
from andon.processes import readable_for, run
from andon.workspace.sandbox import diagnosis, seccomp
from andon.workspace.sandbox.bwrap import BwrapSandbox
from andon.workspace.sandbox.landlock import LandlockSandbox
from andon.workspace.sandbox.limits import prlimit
from andon.workspace.sandbox.unconfined import NoSandbox

_CANARY = Path(__file__).with_name("canary.py")
_SECONDS = 10.0
# Landlock hides a process's files, but before its sixth version it let signals through.
_TOLERATED = {"landlock": frozenset({"signal_process"})}


@dataclass(frozen=True, slots=True)
class TierReport:
    tier: str
    usable: bool
    sandbox: Sandbox
    reason: str = ""
    """Why it is not usable."""
    fix: str = ""
    """What to run or change so that it would be."""
    notes: tuple[str, ...] = ()
    """What a usable tier does not cover here."""


def probe(folder: Path, *, bwrap: str | None = None, python: str = sys.executable) -> list[TierReport]:
    """Try every tier, best first. `folder` is andon's own: it keeps the filter and private folders of programs."""
    with planted(folder, python) as plants:
        return list(_reports(bwrap or shutil.which("bwrap"), folder, plants))


def best(folder: Path) -> Sandbox:
    """Find the best usable tier. Those below it are not tried: that would cost every command two more programs."""
    with planted(folder) as plants:
        return next(report.sandbox for report in _reports(shutil.which("bwrap"), folder, plants) if report.usable)


def _reports(program: str | None, folder: Path, plants: Plants) -> Generator[TierReport]:
    yield _cgroup(program)
    yield _bwrap(program, folder, plants)
    yield _landlock(folder, plants)
    yield _none()


@dataclass(frozen=True, slots=True)
class Plants:
    """What the canary is sent after."""

    workspace: Path
    outside: Path
    secret: Path
    port: int
    process: str
    python: str

    def command(self) -> Command:
        attempts = {
            "write_workspace": str(self.workspace),
            "write_outside": str(self.outside),
            "read_secret": str(self.secret),
            "reach_loopback": str(self.port),
            "see_process": self.process,
            "signal_process": self.process,
            "write_sysctl": "/proc/sys/kernel/core_pattern",
        }
        argv = (self.python, "-I", "-S", str(_CANARY), *(f"{name}={value}" for name, value in attempts.items()))
        return Command(argv, cwd=str(self.workspace))

    def confinement(self) -> Confinement:
        return Confinement(
            folder=str(self.workspace),
            writable=(str(self.workspace),),
            readable=(*readable_for(self.python), str(_CANARY)),
        )


@contextmanager
def planted(folder: Path, python: str = sys.executable) -> Generator[Plants]:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="probe-", dir=folder) as name, socket.socket() as listener:
        root = Path(name).resolve()
        workspace, outside, home = root / "workspace", root / "outside", root / "home/.ssh"
        for path in (workspace, outside, home):
            path.mkdir(parents=True)
        secret = home / "id_canary"
        secret.write_text("secret")
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield Plants(workspace, outside, secret, listener.getsockname()[1], _identity(os.getpid()), python)


def _identity(pid: int) -> str:
    start = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    return f"{pid}:{start}"


def attempt(sandbox: Sandbox, plants: Plants) -> tuple[frozenset[str], str]:
    """(what the canary reached, what went wrong when it did not run)."""
    try:
        command = sandbox.confine(plants.command(), plants.confinement())
        done = run(command.argv, cwd=command.cwd, env=command.env, seconds=_SECONDS)
    except EnvironmentProblem as problem:
        return frozenset(), problem.message
    lines = [line.split() for line in done.stdout.decode(errors="replace").splitlines()]
    reached = frozenset(line[0] for line in lines if line[-1:] == ["reached"])
    if "write_workspace" not in reached:
        return reached, done.stderr.decode(errors="replace").strip() or f"the canary ended with {done.code}"
    return reached - {"write_workspace"}, ""


def _cgroup(program: str | None) -> TierReport:
    """Not built yet: a group must be sized and removed by whoever supervises the process, not by a command line."""
    return TierReport("bwrap+cgroup", False, BwrapSandbox(program or "bwrap"), "memory groups are not supported yet")


def _bwrap(program: str | None, folder: Path, plants: Plants) -> TierReport:
    tier = "bwrap+limits"
    host = diagnosis.this_host()
    if program is None:
        missing = diagnosis.bwrap_missing(host)
        return TierReport(tier, False, BwrapSandbox("bwrap"), missing.reason, missing.fix)
    try:
        sandbox = BwrapSandbox(program, bwrap_options(program), install_filter(folder), own=str(folder))
    except EnvironmentProblem as problem:
        return TierReport(tier, False, BwrapSandbox(program), problem.message, problem.hint)
    reached, problem = attempt(sandbox, plants)
    if problem:
        refusal = diagnosis.bwrap_refused(problem, program, host)
        return TierReport(tier, False, sandbox, refusal.reason, refusal.fix)
    return _judged(sandbox, reached, _bwrap_notes(sandbox))


def _bwrap_notes(sandbox: BwrapSandbox) -> tuple[str, ...]:
    notes = ["memory of the whole tree is bounded by its supervisor, not by a group"]
    if sandbox.filter_file is None:
        notes.append(f"no system-call filter for {platform.machine()}")
    if prlimit() is None:
        notes.append("no prlimit: core, open-file and file-size limits are the host's")
    if os.geteuid() == 0:
        notes.append("root: the kernel ignores the limit on processes")
    return tuple(notes)


def _landlock(folder: Path, plants: Plants) -> TierReport:
    scratch = folder / "private"
    scratch.mkdir(exist_ok=True)
    sandbox = LandlockSandbox(scratch, plants.python, own=str(folder))
    reached, problem = attempt(sandbox, plants)
    if problem:
        fix = "Use Linux 5.13 or later with landlock in the kernel's lsm= list."
        return TierReport(sandbox.tier, False, sandbox, f"Landlock is not available: {problem}", fix)
    notes = [
        "no process isolation: the supervisor must end what a program leaves running",
        "mode, owner and times of files outside can still be changed by their owner",
        "without network no sockets at all, not even loopback; with network, the host's sockets too",
        "mounts are refused; /dev/shm and child processes' /proc/self are not visible",
    ]
    if "signal_process" in reached:
        notes.append("this kernel lets signals reach other processes of the same user")
    if platform.machine() not in seccomp.MACHINES:
        notes.append(f"no system-call filter for {platform.machine()}: only TCP is closed without network")
    return _judged(sandbox, reached, tuple(notes))


def _judged(sandbox: Sandbox, reached: frozenset[str], notes: tuple[str, ...]) -> TierReport:
    escaped = sorted(reached - _TOLERATED.get(sandbox.tier, frozenset()))
    if escaped:
        return TierReport(sandbox.tier, False, sandbox, f"the canary got out: {', '.join(escaped)}")
    return TierReport(sandbox.tier, True, sandbox, notes=notes)


def _none() -> TierReport:
    return TierReport("none", True, NoSandbox(), notes=("nothing is confined",))


def bwrap_options(program: str) -> frozenset[str]:
    """The options this bwrap lists in its help."""
    done = run((program, "--help"), cwd="/", env={}, seconds=_SECONDS)
    words = (done.stdout + done.stderr).decode(errors="replace").split()
    return frozenset(word for word in words if word.startswith("--") and word != "--")


def install_filter(folder: Path) -> Path | None:
    """Keep the filter of this machine in `folder`, named by its content; None where there is none."""
    code = seccomp.filter_for(platform.machine())
    if code is None:
        return None
    path = folder / f"calls-{hashlib.sha256(code).hexdigest()[:16]}.bpf"
    if not path.exists() or path.read_bytes() != code:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as draft:
            draft.write(code)
        Path(draft.name).replace(path)
    return path
