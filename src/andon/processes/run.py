"""Short commands (git and the like): run one to its end within a time and an amount of output, nothing left behind.

Never raises for what a command did; a command that could not be started at all is a problem of the environment.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from andon.domain.errors import EnvironmentProblem

MEBIBYTE = 1024 * 1024
CHUNK_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. `code` is negative when a signal ended it, as at the deadline."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False
    truncated: bool = False
    """More was printed than was kept."""


def run(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    stdin: bytes = b"",
    seconds: float = 60,
    output_bytes: int = 64 * MEBIBYTE,
) -> Finished:
    """Run `argv` with exactly `env`, in a session of its own; at its end or the deadline, end the rest of its group."""
    process = _start(argv, cwd, env)
    conversation = _Conversation(process, stdin, output_bytes)
    try:
        timed_out = not conversation.hold(time.monotonic() + seconds)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        conversation.close()
    return Finished(
        code,
        bytes(conversation.kept["stdout"]),
        bytes(conversation.kept["stderr"]),
        timed_out=timed_out,
        truncated=conversation.truncated,
    )


def _start(argv: Sequence[str], cwd: Path | str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # A group to end as a whole, and no terminal on which git could ask for a password.
        )
    except OSError as error:
        if not Path(cwd).is_dir():
            raise EnvironmentProblem(f"cannot run {argv[0]} in {cwd}: there is no such folder") from error
        raise EnvironmentProblem(
            f"cannot start {argv[0]}: {error.strerror}", hint=f"install {argv[0]}, or put it on the PATH"
        ) from error


class _Conversation:
    """Feeds and drains one process without letting either side wait for the other."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, output_bytes: int) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.kept = {"stdout": bytearray(), "stderr": bytearray()}
        self.truncated = False
        self._process = process
        self._unsent = memoryview(stdin)
        self._limit = output_bytes
        self._selector = selectors.DefaultSelector()
        self._exit = os.pidfd_open(process.pid)
        self._pipes: dict[str, IO[bytes]] = {"stdout": process.stdout, "stderr": process.stderr}
        for name, pipe in self._pipes.items():
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, name)
        self._selector.register(self._exit, selectors.EVENT_READ, "exit")
        os.set_blocking(process.stdin.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, "stdin")
        self._feed()

    def hold(self, deadline: float) -> bool:
        """Until the process ends (True) or the deadline (False). Its end counts, not that of its output: a daemon that
        it left behind may keep that open for ever."""
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                match key.data:
                    case "stdin":
                        self._feed()
                    case "exit":
                        for name in self._pipes:
                            self._drain_rest(name)
                        return True
                    case name:
                        if self._drain(name) == 0:
                            self._selector.unregister(key.fileobj)
        return False

    def _feed(self) -> None:
        pipe = self._process.stdin
        assert pipe
        try:
            if self._unsent:
                self._unsent = self._unsent[os.write(pipe.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent:
            self._selector.unregister(pipe)
            with suppress(BrokenPipeError):
                pipe.close()

    def _drain(self, name: str) -> int | None:
        """Bytes read; 0 at the end of the stream; None when there is nothing now."""
        try:
            chunk = os.read(self._pipes[name].fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return None
        room = self._limit - len(self.kept[name])
        self.kept[name] += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room
        return len(chunk)

    def _drain_rest(self, name: str) -> None:
        """What it left in the pipe: a few reads at most, however much a surviving daemon goes on printing."""
        for _ in range(16):
            if not self._drain(name):
                return

    def close(self) -> None:
        self._selector.close()
        os.close(self._exit)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                with suppress(BrokenPipeError):
                    pipe.close()
