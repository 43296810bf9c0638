# ruff: noqa: PTH104, PTH110, PTH112, PTH118, PTH123, SIM105
"""One supervision from start to record: the loop that waits for a process and ends it when a bound is broken.

Part of the supervisor program (see supervisor.py): standard library only, little of it.
"""

from __future__ import annotations

import os
import select
import time

# The public `json` pulls in `re`, which would double the start-up time; its C half does not.
from _json import encode_basestring_ascii, make_scanner

from tree import become, descendants, kill_until, signal_all
from watches import CHUNK_BYTES, Disk, Lease, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    import _signal as signal

TICK_SECONDS = 0.25
"""How often bounds without an event of their own are looked at: cancel file, lease, memory, disk."""
GRACE_SECONDS = 1.0
"""Between TERM and KILL."""
RECORD_SECONDS = 60.0
"""How long writing the record is retried before giving up without one."""
RECORD_BYTES = 4096


class Supervision:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.command: dict[str, Any] = read_json(self.path("command.json"))
        bounds: dict[str, Any] = self.command["bounds"]
        self.seconds: float = bounds["seconds"]
        self.begun = time.monotonic()
        self.memory: int | None = bounds["memory_bytes"]
        self.lease = Lease(self.path("lease"), bounds["lease_seconds"])
        self.streams = [Stream(self.path(name), bounds["output_bytes"]) for name in ("stdout", "stderr")]
        self.disk: Disk | None = None
        if bounds["disk_bytes"] is not None and bounds["disk_folder"] is not None:
            self.disk = Disk(bounds["disk_folder"], bounds["disk_bytes"])
        self.main = 0
        self.status: int | None = None
        self.terminated = False
        self.next_tick = self.next_memory = 0.0
        self.detail: list[str] = []
        self.poller = select.poll()
        self.wake = self.hear_signals()

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def hear_signals(self) -> int:
        """TERM and the end of a child make a pipe readable, so that one poll waits for everything."""
        wake, inlet = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(inlet, False)
        signal.set_wakeup_fd(inlet, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self.terminate)
        signal.signal(signal.SIGCHLD, self.notice)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.poller.register(wake, select.POLLIN)
        return wake

    def notice(self, *_: object) -> None:
        """A handler is needed for the wake-up pipe to be written; the byte in it is all that is wanted."""

    def terminate(self, *_: object) -> None:
        self.terminated = True

    def supervise(self) -> None:
        try:
            write(self.path("supervisor.pid"), b"%d\n" % os.getpid())
        except OSError:
            pass  # A full disk: a cancel is then seen at the next tick instead of at once.
        reason = "cancelled" if self.cancelled() else self.start() or self.attend()
        # What eats memory or disk would only go on eating while it is asked politely.
        self.end_tree(0.0 if reason in ("memory", "disk") else GRACE_SECONDS)
        for stream in self.streams:
            # What a finished process left in the pipe; never more, should a stranger still hold the other end.
            left = CHUNK_BYTES * 4
            while left > 0 and (count := stream.pump()):
                left -= count
            stream.settle()
        self.record(reason)

    def start(self) -> str | None:
        """Start the process. None: it runs. Otherwise why it does not."""
        try:
            write(self.path("starts"), b"%d %.3f\n" % (os.getpid(), time.time()), os.O_APPEND, sync=True)
            stdin = os.open(self.path("stdin"), os.O_RDONLY)
        except OSError as error:
            self.detail.append(f"{error.filename}: {error.strerror}")
            return "unstartable"
        told, tell = os.pipe()
        supervisor = os.getpid()
        self.begun = time.monotonic()
        self.main = os.fork()
        if self.main == 0:
            become(self.command, (stdin, *(stream.inlet for stream in self.streams)), tell, supervisor)
        os.close(tell)
        os.close(stdin)
        for stream in self.streams:
            os.close(stream.inlet)
            self.poller.register(stream.pipe, select.POLLIN)
        with open(told, "rb") as file:
            problem = file.read()  # Ends when the program has taken over: the other end closes at exec.
        if problem:
            self.detail.append(problem.decode("utf-8", "replace"))
            return "unstartable"
        return None

    def attend(self) -> str:
        while True:
            self.wait(min(TICK_SECONDS, max(0.0, self.begun + self.seconds - time.monotonic())))
            if self.status is not None:
                return "exited"
            if reason := self.broken_bound():
                return reason

    def wait(self, seconds: float) -> bool:
        """One turn: output, signals, ended children. True when no child, hence no descendant, is left."""
        for fd, _ in self.poller.poll(int(seconds * 1000 + 0.999)):
            if fd == self.wake:
                os.read(self.wake, 4096)
            for stream in self.streams:
                if fd == stream.pipe:
                    stream.pump()
                    if not stream.open:
                        self.poller.unregister(fd)
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.main:
                    self.status = ended[1]
        except ChildProcessError:
            return True
        return False

    def broken_bound(self) -> str | None:
        now = time.monotonic()
        if now >= self.begun + self.seconds:
            return "timeout"
        if self.terminated:
            self.next_tick = now
        if now < self.next_tick:
            return None
        self.next_tick = now + TICK_SECONDS
        if self.cancelled():
            return "cancelled"
        if self.lease.expired():
            return "lease"
        if self.memory is not None and now >= self.next_memory and self.memory_exceeded(self.memory):
            return "memory"
        if self.disk is not None and self.disk.exceeded():
            self.detail.append(f"grew by {self.disk.latest - self.disk.before} bytes")
            return "disk"
        return None

    def cancelled(self) -> bool:
        if os.path.exists(self.path("cancel")):
            return True
        if self.terminated:
            # Nobody asked through andon: a shutting-down machine, a person with `kill`. The caller may want to know.
            self.detail.append("SIGTERM without a cancel request")
        return self.terminated

    def memory_exceeded(self, limit: int) -> bool:
        begun = time.monotonic()
        used = sum(descendants().values())
        # At most a twentieth of one core, however many processes the machine has.
        self.next_memory = begun + 20 * (time.monotonic() - begun)
        if used > limit:
            self.detail.append(f"{used} bytes resident")
        return used > limit

    def end_tree(self, grace: float) -> None:
        """TERM, a grace, KILL until no child is left. Orphans come to us, so no child means no descendant."""
        if self.wait(0):
            return
        if grace:
            signal_all(signal.SIGTERM)
        until = time.monotonic() + grace
        while time.monotonic() < until:
            if self.wait(0.05):
                return
        if not kill_until(lambda: self.wait(0)):
            self.detail.append(f"could not be ended: {sorted(descendants())}")

    def record(self, reason: str) -> None:
        code = signal_number = "null"
        if self.status is not None and reason != "unstartable":
            if os.WIFSIGNALED(self.status):
                signal_number = str(os.WTERMSIG(self.status))
            elif reason == "exited":
                code = str(os.WEXITSTATUS(self.status))
        detail = "; ".join(self.detail + [stream.problem for stream in self.streams if stream.problem])
        truncated = any(stream.truncated for stream in self.streams)
        body = (
            f'{{"kind": "exit", "version": 1, "reason": "{reason}", "code": {code}, "signal": {signal_number}, '
            f'"seconds": {time.monotonic() - self.begun:.3f}, "truncated": {"true" if truncated else "false"}, '
            f'"detail": {encode_basestring_ascii(detail[:500])}}}'
        )
        self.publish(body.encode().ljust(RECORD_BYTES))

    def publish(self, body: bytes) -> None:
        """The starter filled exit.tmp with blanks, and this writes over them: on a full disk the space is there.

        Where a file system copies on write it may not be, so it is tried again until something was deleted. Giving up
        means no record, and then the next `supervise` starts again: work is repeated, nothing untrue is believed.
        """
        until = time.monotonic() + RECORD_SECONDS
        while True:
            try:
                write(self.path("exit.tmp"), body, sync=True)
                os.rename(self.path("exit.tmp"), self.path("exit.json"))
                sync_folder(self.folder)
                return
            except OSError:
                if time.monotonic() > until or not os.path.isdir(self.folder):
                    raise
                time.sleep(0.2)


class Plain:
    """What the C half of the json package wants to know of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


def read_json(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        return make_scanner(Plain)(file.read(), 0)[0]  # pyright: ignore


def write(path: str, data: bytes, flags: int = 0, *, sync: bool = False) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    try:
        while data:
            data = data[os.write(fd, data) :]
        if sync:
            os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
