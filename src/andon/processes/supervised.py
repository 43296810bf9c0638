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
"""Supervisors one call starts before it believes that the process, or the machine, kills them."""
RECORD_BYTES = 4096
"""As in supervision.py."""
LOCK_FD = 3
"""As in supervisor.py."""
SUPERVISOR = Path(__file__).with_name("supervisor.py")


async def supervise(
    folder: Path, command: Command, bounds: Bounds, *, on_started: Callable[[], None] | None = None
) -> Exit:
    """Run `command` to its end, once per folder: returns the record, waits for the process that runs, or starts it.

    `on_started` is called in the event loop each time this call has started the process, not when it attaches. When the
    awaiting task is cancelled the process is left running; `cancel` is the caller's to call. A supervisor that died
    without a record (SIGKILL, power cut) is replaced, up to three times in one call.
    """
    folder = folder.absolute()
    loop = asyncio.get_running_loop()
    lease = _Lease(folder / "lease")

    def started() -> None:
        if on_started is not None:
            with suppress(RuntimeError):  # The loop has closed meanwhile: nobody is left to tell.
                loop.call_soon_threadsafe(on_started)

    try:
        return await _in_thread(lambda: _attend(folder, command, bounds, lease, started))
    finally:
        lease.release()


def finished(folder: Path) -> Exit | None:
    """The record of its end, or None. An unreadable record is none: only a whole one is believed."""
    try:
        record = json.loads((folder / "exit.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    if not isinstance(record, dict) or "reason" not in record:
        return None
    known = {field.name for field in fields(Exit)}
    return Exit(**{name: value for name, value in cast(dict[str, Any], record).items() if name in known})


def alive(folder: Path) -> bool:
    """Whether a supervisor, hence possibly its process, is there."""
    try:
        lock = os.open(folder / "lock", os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
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
    try:
        return (folder / "starts").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def cancel(folder: Path) -> None:
    """Ask for the end of the process and all it started; returns at once. Does nothing when it has finished.

    It stays cancelled: a later `supervise` of the folder does not start it.
    """
    if finished(folder) is not None:
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "cancel").touch(mode=0o600)
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


def _attend(folder: Path, command: Command, bounds: Bounds, lease: _Lease, started: Callable[[], None]) -> Exit:
    with _disk_problems(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lease.take()
        child: int | None = None
        for attempt in range(ATTEMPTS + 1):
            with _locked(folder) as lock:  # Blocks while a supervisor lives: this is the waiting.
                _reap(child)
                if (end := finished(folder)) is not None:
                    return end
                if attempt == ATTEMPTS or lease.released:
                    break  # Released: the caller has stopped waiting, and starting is no longer wanted.
                child = _start(folder, command, bounds, lock)
            started()
    raise EnvironmentProblem(
        f"the supervisor of {command.argv[0]} ended {ATTEMPTS} times without a record: {_complaint(folder)}",
        hint="something kills it (the process itself, or a lack of memory), or its folder cannot be written",
    )


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
        pid = int((folder / "supervisor.pid").read_text())
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
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
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


def _write_private(path: Path, data: bytes) -> None:
    """Readable by the owner alone: the environment of an agent carries its provider's key."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)


def _complaint(folder: Path) -> str:
    try:
        return (folder / "supervisor.error").read_text(errors="replace").strip().splitlines()[-1]
    except (OSError, IndexError):
        return "it left no message"
