"""A small world to escape into, made for one user, and a probe that tries many ways out in one start of a sandbox."""

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
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from andon.ports import Command, Confinement
from andon.processes import readable_for, run
from andon.workspace.sandbox import BwrapSandbox, LandlockSandbox, NoSandbox, probe
from andon.workspace.sandbox.probe import TierReport
from andon.workspace.sandbox.seccomp import MACHINES

# Runs each attempt in a process of its own: an OSError is a refusal, getting to the end is not.
PROBE = """
import ctypes, errno, fcntl, json, os, signal, socket, struct, sys
W, attempts = json.loads(sys.argv[1]), json.loads(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    number = name if isinstance(name, int) else W["calls"][name]
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def new(path, text="x"):
    with open(path, "w") as file:
        file.write(text)
def attempt(program):
    try:
        exec(program, globals())
    except socket.gaierror:
        return "EAI"
    except OSError as refusal:
        return errno.errorcode.get(refusal.errno, str(refusal))
    except BaseException as broken:
        return "BROKEN " + repr(broken)
    return "REACHED"
outcomes = {}
for name, program in attempts.items():
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(10)
        os.write(write, attempt(program).encode())
        os._exit(0)
    os.close(write)
    said = os.read(read, 9999).decode()
    os.close(read)
    outcomes[name] = said or "DIED " + str(os.waitpid(child, 0)[1])
print(json.dumps(outcomes))
"""

NOBODY = 61_000 + os.getpid() % 4000
"""Somebody else in every process: the kernel counts the processes of a user, and tests run side by side."""
SYSTEM_PYTHON = "/usr/bin/python3"
PROCESSES, PRIVATE_BYTES = 250, 1 << 20
"""Small enough to be reached by an attempt, and by nothing else here."""


@dataclass(frozen=True)
class World:
    """What lies around a sandbox, all of it the user's own: what is refused is refused by the sandbox alone."""

    root: Path
    user: int
    python: str
    facts: Mapping[str, Any]

    @property
    def andon(self) -> Path:
        """andon's data folder. The workspace lies in it, as those of real runs do."""
        return self.root / "andon"

    @property
    def workspace(self) -> Path:
        """Holds a symlink to `outside`."""
        return self.andon / "runs/r1/worktree"

    def untouched(self) -> bool:
        file, other = self.root / "outside/file", self.andon / "runs/r2/worktree"
        return (
            [path.name for path in file.parent.iterdir()] == ["file"]
            and file.read_text() == "original"
            and file.stat().st_mode & 0o777 == 0o644
            and [path.name for path in other.iterdir()] == ["file"]
            and sorted(path.name for path in (self.andon / "runs").iterdir()) == ["r1", "r2"]
            and [path.name for path in (self.root / "venv/bin").iterdir()] == ["python"]
            and (self.andon / "andon.db").read_text() == "rows"
        )

    def outcomes(self, tier: str, attempts: Mapping[str, str]) -> dict[str, str]:
        """What came of each attempt in the best sandbox of that tier that this user can have."""
        return json.loads(self._as_user(lambda: self._attempted(tier, attempts)))

    def _attempted(self, tier: str, attempts: Mapping[str, str]) -> str:
        report = next(each for each in probe(self.andon / "sandbox", python=self.python) if each.tier == tier)
        if not report.usable:
            return json.dumps({"unusable": report.reason})
        sandbox = report.sandbox
        if not isinstance(sandbox, NoSandbox):
            assert isinstance(sandbox, BwrapSandbox | LandlockSandbox)
            limits = replace(sandbox.limits, processes=PROCESSES, private_bytes=PRIVATE_BYTES)
            sandbox = replace(sandbox, limits=limits)
        argv = (self.python, "-I", "-S", "-c", PROBE, json.dumps(dict(self.facts)), json.dumps(dict(attempts)))
        folder = str(self.workspace)
        readable = (*readable_for(self.python), str(self.root / "venv"))
        command = sandbox.confine(
            Command(argv, cwd=folder), Confinement(folder=folder, writable=(folder,), readable=readable)
        )
        done = run(command.argv, cwd=command.cwd, env=command.env, seconds=100)
        return done.stdout.decode() or json.dumps({"unusable": done.stderr.decode()})

    def _as_user(self, work: Callable[[], str]) -> str:
        """A sandbox is built by whom it is for: what it covers depends on it."""
        if self.user == os.geteuid():
            return work()
        read, write = os.pipe()
        child = os.fork()
        if not child:
            with suppress(BaseException), os.fdopen(write, "w") as out:
                _bring_within_reach(self.root)
                os.setgroups([])
                os.setresgid(self.user, self.user, self.user)
                os.setresuid(self.user, self.user, self.user)
                os.environ["HOME"] = str(self.root / "home")
                try:
                    out.write(work())
                except BaseException as broken:
                    out.write(json.dumps({"unusable": repr(broken)}))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as said:
            text = said.read()
        os.waitpid(child, 0)
        return text


@pytest.fixture(scope="session", params=["root", "ordinary"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Once as root, once as somebody with no rights at all; as whoever runs the tests where that is not root."""
    user, python = os.geteuid(), SYSTEM_PYTHON if Path(SYSTEM_PYTHON).exists() else sys.executable
    if request.param == "root" and user != 0:
        pytest.skip("needs root: there is no other way to be it")
    if request.param == "ordinary" and user == 0:
        user = NOBODY
        if python != SYSTEM_PYTHON:
            pytest.skip("no system Python, and others may not enter the folder of this one")
    # Not pytest's own folder, which another user may not enter.
    root = Path(tempfile.mkdtemp(prefix="world-")).resolve()
    root.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        yield World(root, user, python, _populated(root, user) | _companions(root, user, stack))


def _bring_within_reach(root: Path) -> None:
    """The two programs that a sandbox starts, where another user can read them too: this repository may lie in a folder
    that is closed to others. Only for a process that is about to become that user."""
    for name, constant in (("probe", "_CANARY"), ("landlock", "_LAUNCHER")):
        module = import_module(f"andon.workspace.sandbox.{name}")
        program: Path = getattr(module, constant)
        copy = root / program.name
        shutil.copyfile(program, copy)
        copy.chmod(0o644)
        setattr(module, constant, copy)


def _populated(root: Path, user: int) -> dict[str, Any]:
    places = {
        "workspace": "andon/runs/r1/worktree",
        "other": "andon/runs/r2/worktree",
        "andon": "andon",
        "outside": "outside",
        "home": "home",
        "venv": "venv",
        "secret": "home/.ssh/id",
        "key": "andon/keys/ledger.ed25519",
        "database": "andon/andon.db",
        "socket": "socket",
    }
    for folder in ("andon/sandbox", "andon/keys", places["other"], f"{places['workspace']}/docs", "outside"):
        (root / folder).mkdir(parents=True)
    for folder in ("home/.ssh", "venv/bin"):
        (root / folder).mkdir(parents=True)
    files = {
        "outside/file": "original",
        places["secret"]: "secret",
        places["key"]: "k" * 32,
        places["database"]: "rows",
        f"{places['other']}/file": "theirs",
        f"{places['workspace']}/file": "given",
        "venv/bin/python": "program",
    }
    for path, text in files.items():
        (root / path).write_text(text)
        (root / path).chmod(0o644)
    (root / places["workspace"] / "link").symlink_to(root / "outside")
    for path in (root, *root.rglob("*")):
        os.lchown(path, user, -1)
    known = MACHINES.get(platform.machine())
    numbers = {"x86_64": (101, 310, 302), "aarch64": (117, 270, 261)}.get(platform.machine(), (0, 0, 0))
    return {
        **{name: str(root / path) for name, path in places.items()},
        "up": os.path.relpath(root / "outside", root / places["workspace"]),
        "calls": {
            **(known.numbers if known else {}),
            **dict(zip(("ptrace", "process_vm_readv", "prlimit64"), numbers, strict=True)),
            "pidfd_getfd": 438,
        },
    }


def _companions(root: Path, user: int, stack: ExitStack) -> dict[str, Any]:
    """A process nobody misses, sockets that answer and shared memory: what a sandbox must not let anyone reach."""
    victim = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, **_identity(user))
    stack.callback(victim.wait)
    stack.callback(victim.kill)
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    abstract, named = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    for each, address in ((tcp, ("127.0.0.1", 0)), (udp, ("127.0.0.1", 0)), (abstract, f"\0andon-{root.name}")):
        stack.enter_context(each).bind(address)
    stack.enter_context(named).bind(str(root / "socket"))
    (root / "socket").chmod(0o777)
    for listener in (tcp, abstract, named):
        listener.listen(50)
    threading.Thread(target=_echo, args=(udp,), daemon=True).start()
    libc = ctypes.CDLL(None)
    shared = libc.shmget(0, 4096, 0o1666)
    stack.callback(libc.shmctl, shared, 0, None)
    ports = {"port": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
    return {**ports, "abstract": f"andon-{root.name}", "pid": victim.pid, "shared": shared}


def _identity(user: int) -> dict[str, Any]:
    """Whole: the kernel takes a process with another group for somebody else's."""
    return {} if user == os.geteuid() else {"user": user, "group": user, "extra_groups": ()}


def _echo(udp: socket.socket) -> None:
    with suppress(OSError):
        while True:
            text, sender = udp.recvfrom(100)
            udp.sendto(text, sender)


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
    if not report.usable and not _landlock_works():
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


def _landlock_works() -> bool:
    create_ruleset, ask_version = 444, 1
    return ctypes.CDLL(None).syscall(create_ruleset, None, 0, ask_version) >= 1


@pytest.fixture(scope="session")
def namespaces_work() -> Callable[[], bool]:
    return _namespaces_work


@pytest.fixture(scope="session")
def landlock_works() -> Callable[[], bool]:
    return _landlock_works
