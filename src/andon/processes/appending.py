"""Appending to a file that many processes write: whole, at the end, by whoever's turn it is."""

from __future__ import annotations

import fcntl
import os


def append_whole(descriptor: int, data: bytes, *, head: bytes = b"", once: bool = False) -> None:
    """To a file that is open for appending, and for reading with `once`: then what stands there already is not added
    again, and what others left without an end of the line gets one. Whoever is first writes the file's head too."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    before = os.fstat(descriptor).st_size
    if once:
        there = _content(descriptor, before)
        if data in there:
            return
        if there and not there.endswith(b"\n"):
            data = b"\n" + data
    left = memoryview(data if before else head + data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        os.ftruncate(descriptor, before)  # a full disk leaves no half entry
        raise


def _content(descriptor: int, size: int) -> bytes:
    parts, at = list[bytes](), 0
    while at < size and (part := os.pread(descriptor, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)
