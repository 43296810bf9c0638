"""Records which functions and files each file of tests reaches, in every process that it starts.

`make test-record` switches it on: ANDON_TEST_REACH names the text to write to, one line for each function
(`src/andon/x.py:12`, its first line) and each file of the repository that was opened. A `.pth` file in `.venv` starts
it in new processes. What runs in a sandbox is not seen.
"""

from __future__ import annotations

import functools
import gc
import inspect
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

VARIABLE = "ANDON_TEST_REACH"
ROOT = str(Path(__file__).resolve().parents[1]) + os.sep
PLACES = tuple(f"{ROOT}{name}" for name in ("src/", "tests/", "plugin/", "docs/", "examples/", "tools/", "README.md"))


class Recorder:
    """Writes each line at once: a process may be killed at any moment."""

    def __init__(self) -> None:
        self._seen: set[CodeType] = set()
        self._written: set[str] = set()
        self._file = -1

    def follow(self) -> None:
        """Write to the text that the environment names now."""
        if self._file >= 0:
            os.close(self._file)
        self._seen.clear()
        self._written.clear()
        self._file = os.open(os.environ[VARIABLE], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def start(self) -> None:
        self.follow()
        threading.settrace(self._call)
        sys.settrace(self._call)
        sys.addaudithook(self._audit)

    def _call(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code not in self._seen:
            self._seen.add(code)
            # Bodies of modules and classes run once, for whoever imports them first.
            if code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(PLACES):
                self._write(f"{code.co_filename}:{code.co_firstlineno}")

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if event == "open" else None
        if isinstance(path, str) and path.startswith(PLACES) and not path.endswith(".pyc"):
            self._write(path)

    def _write(self, line: str) -> None:
        if line not in self._written:
            self._written.add(line)
            with suppress(OSError):  # the process closed everything it had open
                os.write(self._file, f"{line.removeprefix(ROOT)}\n".encode())


class Reach:
    """A pytest plugin that gives each file of tests a text of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = ""

    def pytest_make_collect_report(self, collector: pytest.Collector) -> None:
        if type(collector).__name__ == "Module":
            self._turn(collector.path)  # what it calls while it is imported is its own

    def pytest_runtest_logstart(self, location: tuple[str, int | None, str]) -> None:
        self._turn(Path(ROOT) / location[0])

    def _turn(self, file: Path) -> None:
        place = str(file).removeprefix(ROOT)
        if place == self._place or RECORDER is None:
            return
        self._place = place
        for cached in [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]:
            if cached.__module__.startswith("andon."):
                cached.cache_clear()  # else only the first file would be seen to call it
        os.environ[VARIABLE] = str(self._folder / place.replace("/", "+"))
        RECORDER.follow()


def lines(folder: Path) -> Iterator[tuple[str, set[str]]]:
    """Each file of tests, and what it reached."""
    for file in sorted(folder.iterdir()):
        yield file.name.replace("+", "/"), set(file.read_text(errors="replace").splitlines())


RECORDER: Recorder | None = None
if VARIABLE in os.environ:
    RECORDER = Recorder()
    RECORDER.start()
