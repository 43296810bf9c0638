"""Processes that outlive the orchestrator: start one or attach to it, wait for its end, ask for its end.

Owns the orchestrator's side of the folder protocol (see the package's docstring). Never ends a process itself: it asks
the supervisor to, and the lock tells when that has happened.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar, cast

from andon.domain.errors import EnvironmentProblem
from andon.ports import Bounds, Command, Exit

T = TypeVar("T")

ATTEMPTS = 3
"""Supervisors one call sees die before they started the process, until it believes that the machine is at fault."""
RECORD_BYTES = 4096
"""As in supervision.py."""
LOCK_FD = 3
"""As in supervisor.py."""
SUPERVISOR = Path(__file__).with_name("supervisor.py")


async def supervise(
    folder: Path,
    command: Command,
    bounds: Bounds,
    *,
    on_started: Callable[[], None] | None = None,
    afresh: bool = True,
) -> Exit:
    """Run `command` to its end, once per folder: returns the record, waits for the process that runs, or starts it.

    `on_started` is called in the event loop each time this call has started the process, not when it attaches. When the
    awaiting task is cancelled the process is left running; `cancel` is the caller's to call. A supervisor that dies
    without a record (SIGKILL) once the process was started ends it as `lost`, on record: what it worked on may be half
    written. One that was lost before this call (power cut) is started again, as the caller has put the files back;
    with `afresh=False` the caller has not, and it is lost as well.
    """
    folder = folder.absolute()
    loop = asyncio.get_running_loop()
    lease = _Lease(folder / "lease")

    def started() -> None:
        if on_started is not None:
            with suppress(RuntimeError):  # The loop has closed meanwhile: nobody is left to tell.
                loop.call_soon_threadsafe(on_started)

    try:
        return await _in_thread(lambda: _attend(folder, command, bounds, lease, started, afresh))
    finally:
        lease.release()


def finished(folder: Path) -> Exit | None:
    """The record of its end, or None. An unreadable record is none: only a whole one is believed."""
    try:
        record = json.loads(_contents(folder / "exit.json"))
    except ValueError:
        return None
    if not isinstance(record, dict) or "reason" not in record:
        return None
    known = {field.name for field in fields(Exit)}
    return Exit(**{name: value for name, value in cast(dict[str, Any], record).items() if name in known})


def alive(folder: Path) -> bool:
    """Whether a supervisor, hence possibly its process, is there."""
    try:
        lock = _open(folder / "lock", os.O_RDWR)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def starts(folder: Path) -> int:
    """How often the process was started, counting a start that a kill interrupted."""
    return _contents(folder / "starts").count(b"\n")


def complaint(folder: Path) -> bytes:
    """The beginning of what it printed as errors; empty before it has."""
    return _contents(folder / "stderr", 4096)


def rewrite(folder: Path, clean: Callable[[bytes], bytes]) -> None:
    """Of a process that has ended: pass what it was given and what it printed through `clean`, each file as a whole."""
    if alive(folder):
        return
    for name in ("command.json", "stdin", "stdout", "stderr"):
        said = _contents(folder / name, limit=None)
        if (cleaned := clean(said)) != said:
            _write_private(folder / f"{name}.clean", cleaned)
            (folder / f"{name}.clean").replace(folder / name)


def numbered(folder: Path) -> list[Path]:
    """The folders of processes directly below `folder`, which carry numbers; whatever else lies there is not one."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(e.path) for e in entries if e.name.isdecimal() and e.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []


def cancel(folder: Path) -> None:
    """Ask for the end of the process and all it started; returns at once. Does nothing when it has finished.

    It stays cancelled: a later `supervise` of the folder does not start it.
    """
    if finished(folder) is not None:
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(_open(folder / "cancel", os.O_WRONLY | os.O_CREAT))
    if alive(folder):
        _wake(folder.absolute())


async def cancelled(folder: Path, seconds: float) -> bool:
    """Wait until nothing of it runs any more. False: it still did after `seconds`."""

    def gone() -> None:
        with _locked(folder):
            pass

    if not alive(folder):
        return True
    try:
        await asyncio.wait_for(_in_thread(gone), seconds)
    except TimeoutError:
        return False
    return True


def _attend(
    folder: Path, command: Command, bounds: Bounds, lease: _Lease, started: Callable[[], None], afresh: bool
) -> Exit:
    with _disk_problems(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lease.take()
        child: int | None = None
        before = 0 if not afresh or alive(folder) else starts(folder)
        for attempt in range(ATTEMPTS + 1):
            with _locked(folder) as lock:  # Blocks while a supervisor lives: this is the waiting.
                _reap(child)
                if (end := finished(folder)) is not None:
                    return end
                if starts(folder) > before:
                    return _lost(folder)
                if attempt == ATTEMPTS or lease.released:
                    break  # Released: the caller has stopped waiting, and starting is no longer wanted.
                child = _start(folder, command, bounds, lock)
            started()
    raise EnvironmentProblem(
        f"the supervisor of {command.argv[0]} ended {ATTEMPTS} times without a record: {_complaint(folder)}",
        hint="something kills it (the process itself, or a lack of memory), or its folder cannot be written",
    )


def _lost(folder: Path) -> Exit:
    """Put it on record, so that whoever looks next, perhaps after a crash of ours, comes to the same conclusion."""
    end = Exit("lost", detail=f"its supervisor was killed: {_complaint(folder)}"[:300])
    _write_private(folder / "exit.tmp", json.dumps({"kind": "exit", "version": 1, **asdict(end)}).encode(), sync=True)
    (folder / "exit.tmp").replace(folder / "exit.json")
    return end


def _start(folder: Path, command: Command, bounds: Bounds, lock: int) -> int:
    """Start a supervisor that inherits the held lock, so that between our holding it and its holding it is no gap.

    Nothing is synced here: after a power cut no supervisor lives, and the next one gets all of this written again.
    """
    for name in ("supervisor.pid", "supervisor.error", "stdout", "stderr", "stdin"):
        (folder / name).unlink(missing_ok=True)
    _write_private(folder / "stdin", command.stdin)
    # Room for the record, kept from the beginning: see Supervision.publish.
    _write_private(folder / "exit.tmp", b" " * RECORD_BYTES)
    description = {
        "kind": "command",
        "version": 1,
        "argv": list(command.argv),
        "cwd": command.cwd,
        "env": dict(command.env),
        "bounds": asdict(bounds),
    }
    _write_private(folder / "command.tmp", json.dumps(description).encode())
    (folder / "command.tmp").replace(folder / "command.json")
    try:
        return _spawn_supervisor(folder, lock)
    except OSError as error:
        raise EnvironmentProblem(
            f"cannot start {sys.executable}: {error.strerror}",
            hint="start andon again if Python was replaced meanwhile",
        ) from error


def _spawn_supervisor(folder: Path, lock: int) -> int:
    # The interpreter behind the virtual environment: with -I -S it needs its standard library alone and starts at once.
    python = os.path.realpath(sys.executable)
    return os.posix_spawn(
        python,
        [python, "-I", "-S", str(SUPERVISOR), str(folder)],
        {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, lock, LOCK_FD),
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD),
    )


def _reap(child: int | None) -> None:
    if child is not None:
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


def _wake(folder: Path) -> None:
    """Signal the supervisor. It looks for the cancel file anyway; this makes it look now."""
    with suppress(OSError, ValueError):
        pid = int(_contents(folder / "supervisor.pid", 100))
        handle = os.pidfd_open(pid)
        try:
            # The handle names one process for good. If that is our supervisor, no reused number can be hit after this.
            if os.fsencode(folder) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                signal.pidfd_send_signal(handle, signal.SIGTERM)
        finally:
            os.close(handle)


class _Lease:
    """Presence of this orchestrator: a shared lock on the lease file, given back from another thread than took it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._fd: int | None = None
        self.released = False

    def take(self) -> None:
        with self._mutex:
            if not self.released:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
                fcntl.flock(self._fd, fcntl.LOCK_SH)

    def release(self) -> None:
        with self._mutex:
            self.released = True
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None


@contextmanager
def _locked(folder: Path) -> Generator[int]:
    lock = _open(folder / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


async def _in_thread(work: Callable[[], T]) -> T:
    """Wait for a blocking call. The thread is a daemon, one per wait: an executor's threads would keep the program from
    exiting until the last process had ended, and a pool would let long waits keep short ones from starting."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(outcome: Callable[[], None]) -> None:
        if not future.done():
            outcome()

    def body() -> None:
        try:
            result = work()
            outcome: Callable[[], None] = lambda: future.set_result(result)  # noqa: E731
        except BaseException as error:
            problem = error
            outcome = lambda: future.set_exception(problem)  # noqa: E731
        with suppress(RuntimeError):  # The loop has closed: whoever waited is gone.
            loop.call_soon_threadsafe(deliver, outcome)

    threading.Thread(target=body, name="supervised", daemon=True).start()
    return await future


@contextmanager
def _disk_problems(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG):
            raise
        raise EnvironmentProblem(
            f"cannot write to {folder}: {error.strerror}", hint="free some space, or set ANDON_HOME to a writable disk"
        ) from error


def _write_private(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Readable by the owner alone: the environment of an agent carries its provider's key."""
    with os.fdopen(_open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR)


def _open(path: Path, flags: int) -> int:
    """Never through a link, never waiting for the other end of a FIFO: should a stranger ever get at these files."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)


def _contents(path: Path, limit: int | None = 1 << 20) -> bytes:
    """The beginning of a regular file, without a limit all of it; empty when there is none."""
    try:
        opened = _open(path, os.O_RDONLY)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
        return b""
    with os.fdopen(opened, "rb") as file:
        return file.read(limit) if stat.S_ISREG(os.fstat(opened).st_mode) else b""


def _complaint(folder: Path) -> str:
    said = _contents(folder / "supervisor.error").decode(errors="replace").strip().splitlines()
    return said[-1] if said else "it left no message"
