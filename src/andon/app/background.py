"""Something that takes a while to find out: made in a thread of its own and kept, so that nobody waits for it twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The last look, and the next one in the background. One look at a time."""

    def __init__(self, look: Callable[[], T], fresh_seconds: float) -> None:
        self._look = look
        self._fresh = fresh_seconds
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._going: dict[str, Future[T]] = {}
        self._tried_at: float | None = None
        self._looks = 0
        self.known: T | None = None
        self.problem = ""
        """Why the last look found nothing."""

    def now(self) -> T | None:
        """What is known, at once. What is older than it may be is looked at again meanwhile."""
        old = self._tried_at is None or time.monotonic() - self._tried_at > self._fresh
        if old and not self.busy:
            self.again()
        return self.known

    @property
    def busy(self) -> bool:
        return bool(self._going)

    @property
    def mark(self) -> tuple[int, bool]:
        """Another one whenever a look has begun or ended."""
        return self._looks, self.busy

    def again(self, kind: str = "", look: Callable[[], T] | None = None) -> Future[T]:
        """Look now; whoever asks for the same while it goes on gets that one."""
        with self._lock:
            if kind in self._going:
                return self._going[kind]
            made = self._going[kind] = Future[T]()
        work = look or self._look
        threading.Thread(target=self._do, args=(kind, work, made), name="andon-look", daemon=True).start()
        return made

    def _do(self, kind: str, look: Callable[[], T], made: Future[T]) -> None:
        try:
            with self._turn:
                found = look()
        except BaseException as error:
            self._ended(kind, str(error) or type(error).__name__)
            made.set_exception(error)
            return
        self.known = found
        self._ended(kind, "")
        made.set_result(found)

    def _ended(self, kind: str, problem: str) -> None:
        with self._lock:
            self._tried_at = time.monotonic()
            self._looks += 1
            self.problem = self.problem if kind else problem
            del self._going[kind]
