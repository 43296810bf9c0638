"""A trap in an andon process: SIGKILL from within, right before its n-th effect on the world.

Python imports this by itself when its folder is on PYTHONPATH. An effect is a file opened for writing, made, renamed or
removed, a program started, or a transaction about to be committed: between any two of them a kill must lose nothing.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from typing import Any

EFFECTS = frozenset(
    {
        *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.posix_spawn", "os.fork", "subprocess.Popen"),
    }
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Trap:
    """`effect`: before which one; `of`: counting only effects that look so; `after`: only once such a statement was
    sent to the database. Without `effect` it only counts."""

    def __init__(self, log: str, effect: int = 0, of: str = "", after: str = "") -> None:
        self._log = log
        self._at = effect
        self._pattern = re.compile(of)
        self._awaited = after
        self._lock = threading.RLock()  # telling opens a file, which is heard too
        self._count = 0

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str) and isinstance(flags, int) and flags & WRITING and not path.endswith(".pyc"):
                self._step(f"open {path}")
        elif event in EFFECTS:
            self._step(f"{event} {arguments[0] if arguments else ''}")

    def connect(self, *arguments: Any, **named: Any) -> Any:
        """In place of sqlite3.connect: its audit event comes before a connection can be listened to."""
        connection = _connect(*arguments, **named)
        connection.set_trace_callback(self._statement)
        return connection

    def tell(self, effect: str) -> None:
        self._at = 0  # what follows is ours and does not count
        with open(self._log, "a", encoding="utf-8") as log:  # noqa: PTH123
            log.write(f"{self._count} {effect[:300]}\n")

    def _statement(self, text: str) -> None:
        if self._awaited and self._awaited in text:
            self._awaited = ""
        if text.startswith("COMMIT"):
            self._step("commit")

    def _step(self, effect: str) -> None:
        with self._lock:
            if self._awaited or not self._pattern.search(effect):
                return
            self._count += 1
            if self._count == self._at:
                self.tell(effect)
                os.kill(os.getpid(), signal.SIGKILL)


if os.environ.get("CHAOS_TRAP"):
    import atexit
    import sqlite3

    _connect = sqlite3.connect
    _trap = Trap(**json.loads(os.environ.pop("CHAOS_TRAP")))
    sqlite3.connect = _trap.connect  # type: ignore[assignment]
    sys.addaudithook(_trap.hear)
    atexit.register(_trap.tell, "ended in peace")
