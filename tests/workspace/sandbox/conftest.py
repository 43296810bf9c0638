"""A small world to escape into, and a way to run a few lines of Python inside a sandbox and see what they reached."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from andon.ports import Command, Confinement, Sandbox
from andon.processes import readable_for, run
from andon.workspace.sandbox import BwrapSandbox, LandlockSandbox, probe
from andon.workspace.sandbox.probe import TierReport
from andon.workspace.sandbox.seccomp import MACHINES

# Runs one attempt: an OSError is a refusal, getting to the end is not.
RUNNER = """
import ctypes, errno, fcntl, json, os, signal, socket, struct, sys
W = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    number = name if isinstance(name, int) else W["calls"][name]
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def new(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
try:
    exec(sys.argv[2])
except OSError as refusal:
    print("REFUSED", errno.errorcode.get(refusal.errno, refusal.errno))
else:
    print("REACHED")
"""

NOBODY = 65534


@dataclass(frozen=True)
class Outcome:
    said: str
    stderr: str
    code: int | None

    @property
    def reached(self) -> bool:
        return self.said.endswith("REACHED")

    @property
    def error(self) -> str:
        assert "REFUSED" in self.said, f"the attempt did not run: {self}"
        return self.said.rsplit("REFUSED ", 1)[1]


@dataclass(frozen=True)
class World:
    """What lies around the sandbox. The workspace holds a symlink to `outside`."""

    root: Path
    workspace: Path
    outside: Path
    secret: Path
    facts: dict[str, object]

    def confinement(self, **changes: object) -> Confinement:
        whole = Confinement(folder=str(self.workspace), writable=(str(self.workspace),))
        return replace(whole, **changes)  # type: ignore[arg-type]

    def untouched(self) -> bool:
        return sorted(path.name for path in self.outside.iterdir()) == ["file"] and (
            (self.outside / "file").read_text() == "original"
            and (self.outside / "file").stat().st_mode & 0o777 == 0o644
        )


Inside = Callable[..., Outcome]


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[TierReport]:
    return probe(tmp_path_factory.mktemp("andon"))


@pytest.fixture
def bwrap(reports: list[TierReport]) -> BwrapSandbox:
    report = next(report for report in reports if report.tier == "bwrap+limits")
    if not report.usable and not _namespaces_work():
        pytest.skip(report.reason)
    assert report.usable, report.reason
    assert isinstance(report.sandbox, BwrapSandbox)
    return report.sandbox


@pytest.fixture
def landlock(reports: list[TierReport]) -> LandlockSandbox:
    report = next(report for report in reports if report.tier == "landlock")
    create_ruleset, ask_version = 444, 1
    if not report.usable and ctypes.CDLL(None).syscall(create_ruleset, None, 0, ask_version) < 1:
        pytest.skip(report.reason)
    assert report.usable, report.reason
    assert isinstance(report.sandbox, LandlockSandbox)
    return report.sandbox


def _namespaces_work() -> bool:
    """Asked without our own code: a fault of ours must fail these tests, not skip them."""
    if not shutil.which("bwrap"):
        return False
    least = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]
    return subprocess.run([*least, "true"], capture_output=True, timeout=30).returncode == 0


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    # Not pytest's own folder, which an unprivileged user may not enter.
    root = Path(tempfile.mkdtemp(prefix="world-")).resolve()
    root.chmod(0o755)
    # A process to attack that nobody misses.
    victim = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as named:
        name = f"andon-{root.name}"
        tcp.bind(("127.0.0.1", 0))
        abstract.bind(f"\0{name}")
        named.bind(str(root / "socket"))
        for listener in (tcp, abstract, named):
            listener.listen(50)
        try:
            yield _populated(root, {"port": tcp.getsockname()[1], "abstract": name, "pid": victim.pid})
        finally:
            victim.kill()
            victim.wait()
            shutil.rmtree(root, ignore_errors=True)


def _populated(root: Path, facts: dict[str, object]) -> World:
    workspace, outside, home = root / "workspace", root / "outside", root / "home"
    for folder in (workspace / "docs/plan", workspace / ".git", outside, home / ".ssh"):
        folder.mkdir(parents=True)
    secret = home / ".ssh/id"
    secret.write_text("secret")
    (outside / "file").write_text("original")
    (outside / "file").chmod(0o644)
    (workspace / "link").symlink_to(outside)
    (workspace / ".git/config").write_text("[core]\n")
    (workspace / "file").write_text("given")
    paths = {"workspace": workspace, "outside": outside, "home": home, "secret": secret, "socket": root / "socket"}
    known = MACHINES.get(platform.machine())
    return World(
        root,
        workspace,
        outside,
        secret,
        {
            **facts,
            **{name: str(path) for name, path in paths.items()},
            "calls": dict(known.numbers) if known else {},
            "ptrace": {"x86_64": 101, "aarch64": 117}.get(platform.machine(), 0),
        },
    )


@pytest.fixture
def inside(world: World) -> Inside:
    def attempt(
        sandbox: Sandbox,
        program: str,
        confinement: Confinement | None = None,
        *,
        env: dict[str, str] | None = None,
        python: str = sys.executable,
        as_nobody: bool = False,
    ) -> Outcome:
        wanted = confinement or world.confinement()
        wanted = replace(wanted, readable=(*wanted.readable, *readable_for(python)))
        argv = (python, "-I", "-S", "-c", RUNNER, json.dumps(world.facts), program)
        command = sandbox.confine(Command(argv, cwd=str(world.workspace), env=env or {}), wanted)
        start = command.argv
        if as_nobody:
            start = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", *start)
        done = run(start, cwd=command.cwd, env=command.env, seconds=30)
        return Outcome(done.stdout.decode().strip(), done.stderr.decode(), done.code)

    return attempt


@pytest.fixture
def unprivileged_world(world: World) -> World:
    if os.geteuid() != 0 or not shutil.which("setpriv") or not Path("/usr/bin/python3").exists():
        pytest.skip("needs root, setpriv and a system Python")
    for path in (world.workspace, *world.workspace.rglob("*")):
        os.lchown(path, NOBODY, NOBODY)
    return world
