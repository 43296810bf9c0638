"""Takes the place of `andon.processes.run` and `supervise`, in benchmarks only, to time the processes andon starts.

`install` must be called before other parts of andon are imported: whoever imports the two names afterwards gets these.
Normally both only note and pass on. In a *bare* round each process is started plainly, one at a time, without
supervisor, bounds or own session, on the very files it would have found; its time from start to end is kept.
"""

from __future__ import annotations

import asyncio
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import andon.processes
from andon.ports import Bounds, Command, Exit
from andon.processes import Finished

_run = andon.processes.run
_supervise = andon.processes.supervise


@dataclass(frozen=True, slots=True)
class Started:
    """One process. `seconds` is what it took alone, or 0 when it was not run alone."""

    kind: str
    """`git`, `command` (any other short one) or `sandboxed` (an agent or a check)."""
    words: tuple[str, ...]
    seconds: float = 0.0


@dataclass
class Recorder:
    bare: bool = False
    started: list[Started] = field(default_factory=list[Started])
    _alone: threading.Lock = field(default_factory=threading.Lock)

    def install(self) -> None:
        andon.processes.run = self.run
        andon.processes.supervise = self.supervise

    @contextmanager
    def round(self, *, bare: bool) -> Generator[list[Started]]:
        """The processes started within the block."""
        self.bare, self.started = bare, []
        try:
            yield self.started
        finally:
            self.bare = False

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
        stdin: bytes = b"",
        **bounds: Any,
    ) -> Finished:
        kind, words = ("git" if argv[0] == "git" else "command"), tuple(argv)
        if not self.bare:
            self.started.append(Started(kind, words))
            return _run(argv, cwd=cwd, env=env, stdin=stdin, **bounds)

        def plainly() -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(words, cwd=cwd, env=dict(env), input=stdin, capture_output=True, check=False)

        done = self._timed(kind, words, plainly)
        return Finished(done.returncode, done.stdout, done.stderr)

    async def supervise(self, folder: Path, command: Command, bounds: Bounds, **how: Any) -> Exit:
        if not self.bare:
            self.started.append(Started("sandboxed", command.argv))
            return await _supervise(folder, command, bounds, **how)
        return await asyncio.to_thread(self._supervised_plainly, folder, command)

    def _supervised_plainly(self, folder: Path, command: Command) -> Exit:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
            done = self._timed("sandboxed", command.argv, lambda: start_plainly(command, stdout, stderr))
        return Exit("exited", code=done.returncode)

    def _timed(self, kind: str, words: tuple[str, ...], work: Callable[[], Any]) -> Any:
        with self._alone:
            begun = time.perf_counter()
            done = work()
            self.started.append(Started(kind, words, time.perf_counter() - begun))
        return done


RECORDER = Recorder()


def start_plainly(command: Command, stdout: Any = None, stderr: Any = None) -> subprocess.CompletedProcess[bytes]:
    """The command of an agent or a check to its end, by nothing but `subprocess`."""
    return subprocess.run(
        command.argv,
        cwd=command.cwd,
        env=dict(command.env),
        input=command.stdin,
        stdout=stdout or subprocess.DEVNULL,
        stderr=stderr or subprocess.DEVNULL,
        check=False,
    )
