"""Commands of andon that start warm: forked from a process that has imported everything, instead of importing anew.

What a command does is the same, only a second of start-up is not paid for each of some hundreds. A test that is about
the start itself, or about what Python does with it, starts `python -m andon` as anybody would.
"""

from __future__ import annotations

import array
import atexit
import ctypes
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

import andon.app
import andon.cli
import reach_recorder
from andon.cli.main import main

_KEPT = ("PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", reach_recorder.VARIABLE)
_KEPT_PREFIXES = ("UV_", "PIP_", "NPM_CONFIG_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
_LATER = ("alembic.command", "dbos._sys_db_sqlite", "sqlalchemy.dialects.sqlite", "andon.runtimes.scripted", "uvicorn")
"""What andon imports only where it is needed."""
_PR_SET_PDEATHSIG = 1


def outside() -> dict[str, str]:
    """How this machine reaches programs and package indexes. All else of the tester's environment stays out."""
    return {k: v for k, v in os.environ.items() if k in _KEPT or k.upper().startswith(_KEPT_PREFIXES)}


@dataclass(frozen=True)
class Finished:
    """How one command ended."""

    code: int
    stdout: str
    stderr: str
    args: tuple[str, ...] = field(default=(), compare=False)


FINISHED: list[Finished] = []
"""What ended in the test that is running: a failure shows it."""


class Command:
    """A running command of andon, with those methods of `subprocess.Popen` that tests need."""

    def __init__(self, connection: socket.socket, args: tuple[str, ...], outputs: tuple[int, int]) -> None:
        self.args = args
        self.returncode: int | None = None
        self._connection = connection
        self._outputs = outputs
        self.pid = int(self._line())

    def _line(self) -> bytes:
        told = b""
        while not told.endswith(b"\n"):
            if not (more := self._connection.recv(1)):
                raise RuntimeError("the warm process is gone")
            told += more
        return told

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self.returncode = int(self._line())
            self._connection.close()
        return self.returncode

    def wait(self, timeout: float) -> int:
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout)
            self.poll()
        assert self.returncode is not None
        return self.returncode

    def finish(self, timeout: float) -> Finished:
        """Wait for the end, and read what was written. A command that takes too long is killed."""
        try:
            code = self.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        stdout, stderr = (_read(output) for output in self._outputs)
        FINISHED.append(Finished(code, stdout, stderr, self.args))
        return FINISHED[-1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Followed(Command):
    """A command whose output is read line by line."""

    def __init__(self, connection: socket.socket, args: tuple[str, ...], stdout: int) -> None:
        super().__init__(connection, args, (-1, -1))
        self.stdout = os.fdopen(stdout, encoding="utf-8")


class Program(Followed):
    """A piece of Python that is still running."""

    def __init__(self, connection: socket.socket, args: tuple[str, ...], stdout: int, stderr: int) -> None:
        super().__init__(connection, args, stdout)
        self.stderr = os.fdopen(os.open(f"/proc/self/fd/{stderr}", os.O_RDONLY), encoding="utf-8")  # from its start
        os.close(stderr)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """What it has still to say, once it has ended. One that takes too long is killed."""
        late = threading.Timer(timeout, self.kill)
        late.start()
        try:
            with self.stdout, self.stderr:
                said = self.stdout.read()
                self.wait(timeout)
                return said, self.stderr.read()
        finally:
            late.cancel()


def _read(descriptor: int) -> str:
    with open(descriptor, "rb") as file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")


@cache
def warm() -> Warm:
    """The one of this test session, or of this parallel worker."""
    made = Warm()
    atexit.register(made.close)
    return made


class Warm:
    """The process with everything imported. It ends when nobody can ask it any more."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        words = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(words, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL)
        self.pid = self._process.pid
        theirs.close()
        self._requests = ours

    def start(self, *args: str, cwd: Path, env: Mapping[str, str], output: IO[bytes] | None = None) -> Command:
        """`andon ARGS`. Both outputs go to one file, or are kept for `finish`."""
        kept = (os.memfd_create("stdout"), os.memfd_create("stderr")) if output is None else (-1, -1)
        outputs = kept if output is None else (output.fileno(), output.fileno())
        return Command(self._ask(("andon", *args), cwd, env, outputs), ("andon", *args), kept)

    def followed(self, *args: str, cwd: Path, env: Mapping[str, str], errors: IO[bytes]) -> Followed:
        """`andon ARGS`, whose output is read line by line while it runs; its talk goes to a file."""
        reading, writing = os.pipe()
        connection = self._ask(("andon", *args), cwd, env, (writing, errors.fileno()))
        os.close(writing)
        return Followed(connection, ("andon", *args), reading)

    def program(self, source: str, *args: str, cwd: Path) -> Program:
        """`python -c SOURCE ARGS`, in the tester's environment."""
        reading, writing = os.pipe()
        stderr = os.memfd_create("stderr")
        connection = self._ask(("-c", *args), cwd, os.environ, (writing, stderr), source)
        os.close(writing)
        return Program(connection, args, reading, stderr)

    def _ask(
        self, args: tuple[str, ...], cwd: Path, env: Mapping[str, str], outputs: tuple[int, int], source: str = ""
    ) -> socket.socket:
        ours, theirs = socket.socketpair()
        request = json.dumps({"args": args, "cwd": str(cwd), "env": dict(env), "source": source}).encode()
        descriptors = array.array("i", [theirs.fileno(), *outputs])
        self._requests.sendall(len(request).to_bytes(8, "big"))
        sent = self._requests.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        self._requests.sendall(request[sent:])
        theirs.close()
        return ours

    def close(self) -> None:
        self._requests.close()
        self._process.wait(timeout=20)


# --- in the warm process --------------------------------------------------------------------------------------------


class Server:
    """Forks a command for each request, and tells whoever asked how it ended."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._children: dict[int, socket.socket] = {}
        self._woken, self._wake = os.pipe()
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake)

    def serve(self) -> None:
        """Until nobody can ask any more; in a forked process, until its command is over."""
        while True:
            ready, _, _ = select.select([self._requests, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._bury()
            if self._requests in ready:
                if not (size := self._requests.recv(8, socket.MSG_WAITALL)):
                    return
                request, descriptors = self._receive(int.from_bytes(size, "big"))
                if self._fork(descriptors):
                    _become(request, descriptors[1:])
                    return

    def _receive(self, size: int) -> tuple[dict[str, Any], list[int]]:
        message, descriptors, _, _ = socket.recv_fds(self._requests, size, 3)
        while len(message) < size:
            message += self._requests.recv(size - len(message))
        return json.loads(message), descriptors

    def _fork(self, descriptors: list[int]) -> bool:
        """True in the new process, which has nothing of this one left but its modules."""
        connection = socket.socket(fileno=descriptors[0])
        if pid := os.fork():
            for output in descriptors[1:]:
                os.close(output)
            self._children[pid] = connection
            connection.sendall(f"{pid}\n".encode())
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._requests, connection, *self._children.values()):
            each.close()
        for end in (self._woken, self._wake):
            os.close(end)
        return True

    def _bury(self) -> None:
        for pid in list(self._children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with self._children.pop(pid) as connection, suppress(BrokenPipeError):  # nobody asks any more
                    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(request: dict[str, Any], outputs: list[int]) -> None:
    """This process is now the command, in a session of its own as from another terminal: its outputs, folder and
    environment are those that were asked for. It does not outlive who started it."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for number, output in zip((1, 2), outputs, strict=True):
        os.dup2(output, number)
        os.close(output)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    if reach_recorder.RECORDER is not None:
        reach_recorder.RECORDER.follow()
    time.tzset()
    sys.argv = request["args"]
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", write_through=True)
    for folder in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        if (begin := Path(folder, "sitecustomize.py")).exists():
            runpy.run_path(str(begin), run_name="sitecustomize")  # as a fresh Python would
    try:
        if request["source"]:
            exec(compile(request["source"], "<string>", "exec"), {"__name__": "__main__"})
        else:
            main()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        _leave(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except BaseException:
        traceback.print_exc()
        _leave(1)
    _leave(0)


def _leave(code: int) -> NoReturn:
    """End as Python does, but without taking apart all that was imported: of every page of it this process would get a
    copy first, 50 ms for each command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _import_everything() -> None:
    """Whatever a command could need: the commands, and what they call."""
    for package in (andon.cli, andon.app):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in _LATER:
        importlib.import_module(name)
    gc.freeze()  # else each command looks through all of it once more when it ends: a third of a second of CPU


if __name__ == "__main__":
    _import_everything()
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        Server(asked).serve()
