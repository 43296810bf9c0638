# ruff: noqa: PTH123, PTH208, SIM105
"""The process tree below a supervisor: adopting it, measuring it, signalling all of it, turning a fork into a program.

Part of the supervisor program (see supervisor.py): standard library only, little of it. Linux: /proc, prctl.
"""

from __future__ import annotations

import ctypes
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any, NoReturn
else:
    import _signal as signal  # The public module pulls in `enum`, which would double the start-up time.

STUBBORN_SECONDS = 30.0
"""How long KILL is repeated before giving up on what cannot be ended (a setuid program, a dead mount)."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Descendants that lose their parent become our children, however often they forked or left their session."""
    if _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def descendants() -> dict[int, int]:
    """Every process below this one, with its resident bytes; not those that only wait to be reaped."""
    children: dict[int, list[int]] = {}
    resident: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                fields = file.read(4096).rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 21 and fields[0] != b"Z":
            children.setdefault(int(fields[1]), []).append(int(name))
            resident[int(name)] = max(0, int(fields[21])) * PAGE_BYTES
    found: dict[int, int] = {}
    parents = [os.getpid()]
    while parents:
        for child in children.get(parents.pop(), ()):
            found[child] = resident[child]
            parents.append(child)
    return found


def signal_all(number: int) -> set[int]:
    reached: set[int] = set()
    for pid in descendants():
        try:
            os.kill(pid, number)
        except OSError:
            continue
        reached.add(pid)
    return reached


def kill_all() -> None:
    """Stop everything, then kill it: what forks faster than it is found cannot refill what merely stands still."""
    stopped: set[int] = set()
    for _ in range(10):
        now = signal_all(signal.SIGSTOP)
        if now <= stopped:
            break
        stopped |= now
    signal_all(signal.SIGKILL)


def kill_children() -> None:
    """Only those that have become ours: quick enough to catch a process that forks itself away a thousand times a
    second. With 30 ms for a walk over all of /proc, walks alone still chased one after 30 s; this takes 0.1 s."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb", buffering=0) as file:
            children = file.read(65536).split()
    except OSError:
        return
    for child in children:
        try:
            os.kill(int(child), signal.SIGKILL)
        except OSError:
            pass


def kill_until(gone: Callable[[], bool]) -> bool:
    """Kill everything until `gone`, which reaps, says so. False: something cannot be killed."""
    until, pause = time.monotonic() + STUBBORN_SECONDS, 0.0005
    while time.monotonic() < until:
        if gone():
            return True
        kill_all()
        for _ in range(100):
            if gone():
                return True
            kill_children()
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)
    return False


def guard(supervisor: int) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.waitpid(supervisor, 0)

    def gone() -> bool:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        return False

    kill_until(gone)


def become(command: dict[str, Any], streams: tuple[int, ...], tell: int, supervisor: int) -> NoReturn:
    """In the forked child: turn into the program, or tell why not. Never returns."""
    where = command["cwd"]
    try:
        for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        _libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != supervisor:
            os._exit(127)  # It died before it could be noticed.
        try:
            # When memory runs out, the kernel should take the agent before its supervisor or the orchestrator.
            with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
                file.write(b"500")
        except OSError:
            pass
        for target, source in enumerate(streams):
            os.dup2(source, target)
        os.chdir(where)
        where = command["argv"][0]
        os.execvpe(where, command["argv"], command["env"])
    except Exception as error:
        os.write(tell, f"{where}: {getattr(error, 'strerror', None) or error}".encode("utf-8", "replace")[:400])
    finally:
        os._exit(127)
