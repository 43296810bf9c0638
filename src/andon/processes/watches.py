# ruff: noqa: PTH119
"""What a supervisor watches besides the clock: two streams of output, the orchestrator's lease, growth on the disk.

Part of the supervisor program (see supervisor.py): standard library only, little of it. It ends no process.
"""

from __future__ import annotations

import fcntl
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK_BYTES = 1 << 18
DISK_SLICE_SECONDS = 0.02


def disk_use(folder: str) -> Iterator[int]:
    """Bytes below `folder`, after each directory so far: the caller decides how much of the walk to do at a time."""
    total, folders = 0, [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    try:
                        about = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                        total += about.st_blocks * 512
                    else:
                        # Shared out among its names, so that links into a package cache are not counted in full.
                        total += about.st_blocks * 512 // max(1, about.st_nlink)
        except OSError:
            pass
        yield total


class Disk:
    """Growth below a folder. A walk of a large tree is spread over ticks, so output never waits for it."""

    def __init__(self, folder: str, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self.before = max(disk_use(folder), default=0)
        self.walk = disk_use(folder)
        self.latest = self.before

    def exceeded(self) -> bool:
        until = time.monotonic() + DISK_SLICE_SECONDS
        for so_far in self.walk:
            self.latest = so_far
            # Sums only grow during a walk: over the limit half-way is over the limit.
            if self.latest - self.before > self.limit:
                return True
            if time.monotonic() > until:
                return False
        self.walk = disk_use(self.folder)
        return False


class Lease:
    """The orchestrator holds a shared lock on the lease file while it is there. A lock cannot go backwards as a clock
    can, and falls by itself however the orchestrator ends; the monotonic clock only says for how long it is gone."""

    def __init__(self, path: str, seconds: float) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.seconds = seconds
        self.seen = time.monotonic()

    def expired(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.seen = time.monotonic()
            return False
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        return time.monotonic() - self.seen > self.seconds


class Stream:
    """One output: the first `limit` bytes go to a file, the rest is read and dropped, so the process never stalls.

    A full disk is treated like the limit: what was written stays as a true beginning, nothing is written after the gap,
    and the record says `truncated` and why.
    """

    def __init__(self, path: str, limit: int) -> None:
        self.name, self.room = os.path.basename(path), limit
        self.truncated, self.problem, self.kept = False, "", 0
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self.pipe, self.inlet = os.pipe()
        os.set_blocking(self.pipe, False)
        self.open = True

    def pump(self) -> int:
        """Read once. Returns how much there was; 0 means nothing now, or nothing ever again (`open` is then False)."""
        try:
            chunk = os.read(self.pipe, CHUNK_BYTES)
        except BlockingIOError:
            return 0
        self.open = bool(chunk)
        self.keep(chunk)
        return len(chunk)

    def keep(self, chunk: bytes) -> None:
        self.truncated = self.truncated or len(chunk) > self.room
        rest = memoryview(chunk)[: self.room]
        try:
            while rest:
                written = os.write(self.file, rest)
                self.room -= written
                self.kept += written
                rest = rest[written:]
        except OSError as error:
            self.fail(error)

    def settle(self) -> None:
        """To the disk before the record is: a record must never vouch for output that a power cut can take back."""
        try:
            if self.kept:
                os.fsync(self.file)
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        self.room, self.truncated = 0, True
        self.problem = f"{self.name}: {error.strerror}"
