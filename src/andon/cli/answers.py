"""Answers typed on the terminal that shows the run: one thread reads lines, only while a question is open."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable

LOOK_SECONDS = 0.2


def can_be_typed() -> bool:
    """Whether there is a person at a terminal to both read the question and type."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


class TypedAnswers:
    """Gives each typed line to `take` while `listen` is on. Reads the descriptor itself: a thread that waits inside
    sys.stdin would hold its lock while the interpreter shuts down."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take
        self._listening = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def listen(self) -> None:
        _forget_typed()
        self._listening.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="andon-answers", daemon=True)
            self._thread.start()

    def ignore(self) -> None:
        self._listening.clear()

    def close(self) -> None:
        self._closed.set()

    def _read(self) -> None:
        typed = b""
        while not self._closed.is_set():
            if not self._listening.wait(LOOK_SECONDS):
                typed = b""
                continue
            ready, _, _ = select.select([0], [], [], LOOK_SECONDS)
            # A job in the background that read the terminal would be stopped by it.
            if not ready or os.tcgetpgrp(0) != os.getpgrp():
                continue
            more = os.read(0, 4096)
            if not more:  # end of input: whoever typed has left; the question stays open for others
                return
            *lines, typed = (typed + more).split(b"\n")
            for line in lines:
                self._take(line.decode("utf-8", "replace").strip())


def _forget_typed() -> None:
    """What was typed before the question was seen cannot be its answer."""
    import termios

    termios.tcflush(0, termios.TCIFLUSH)
