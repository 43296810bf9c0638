"""A process that answers requests one at a time, over its own standard input and output.

For native code that may crash: a crash ends the worker and one request, never the caller. A request and an answer are
each a length in four bytes and that many bytes.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

LENGTH = struct.Struct(">I")
CHUNK_BYTES = 1 << 20


class Worker:
    """Starts with the first request, and again with the first one after a death. Threads may share it."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = [*argv]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: bytes, seconds: float) -> bytes | None:
        """Return the answer. None: the worker died of this request, or was ended because it took too long."""
        with self._lock:
            process = self._alive()
            try:
                return _exchange(process, request, time.monotonic() + seconds)
            except (OSError, EOFError, TimeoutError):
                self._process = None
                process.kill()
                process.wait()
                _close(process)
                return None

    def _alive(self) -> subprocess.Popen[bytes]:
        # A forked copy of this process must not talk to a worker that its original talks to.
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                self._argv,
                cwd="/",
                env={"LC_ALL": "C.UTF-8"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl+C is the caller's to handle; the worker ends when its input does.
            )
        return self._process


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes:
    assert process.stdin and process.stdout
    source, target = process.stdout.fileno(), process.stdin.fileno()
    os.set_blocking(target, False)
    unsent = memoryview(LENGTH.pack(len(request)) + request)
    while unsent:
        _wait(deadline, writable=target)
        unsent = unsent[os.write(target, unsent[:CHUNK_BYTES]) :]
    (size,) = LENGTH.unpack(_read(source, LENGTH.size, deadline))
    return _read(source, size, deadline)


def _read(source: int, size: int, deadline: float) -> bytes:
    parts: list[bytes] = []
    while size:
        _wait(deadline, readable=source)
        part = os.read(source, min(size, CHUNK_BYTES))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _wait(deadline: float, *, readable: int = -1, writable: int = -1) -> None:
    poll = select.poll()
    if readable >= 0:
        poll.register(readable, select.POLLIN)
    if writable >= 0:
        poll.register(writable, select.POLLOUT)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError
