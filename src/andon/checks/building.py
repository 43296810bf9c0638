"""Builds things once and keeps them by digest: one builder at a time, in a sandbox with network and without secrets.

Owns locks, markers and recovery after a kill. Knows nothing of Python or Node.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.checks.environment_errors import environment_error
from andon.checks.error_lines import error_text
from andon.checks.index_settings import index_variables, readable_for_index
from andon.checks.prepared import NotPrepared
from andon.domain.errors import EnvironmentProblem
from andon.ports import Bounds, Command, Confinement, Exit, Sandbox
from andon.processes import cancel, cancelled, complaint, supervise
from andon.processes.shares import memory_share

STEP_SECONDS = 900.0
LOCK_SECONDS = 3600.0
LOCK_POLL_SECONDS = 0.1
OUTPUT_BYTES = 4 * 1024 * 1024
DISK_BYTES = 20 * 1024**3
TOLD_CHARACTERS = 4000
FORMAT = 1
"""Raised when what is built changes, so that old environments are not mistaken for new ones."""
_OFFLINE = (
    "dns error",
    "tcp connect error",
    "Could not connect",
    "client error (Connect)",
    "EAI_AGAIN",
    "ENOTFOUND",
    "no such host",
    "Could not resolve host",
    "UnknownHostException",
    "Could not transfer artifact",
)

CANCEL_SECONDS = 20.0


def digest_of(*parts: object) -> str:
    return hashlib.sha256(json.dumps([FORMAT, *parts], sort_keys=True).encode()).hexdigest()


class _HalfMade(EnvironmentProblem):
    """A step was killed half-way: the whole thing has to be made anew."""


@dataclass(frozen=True, slots=True)
class Step:
    exit: Exit
    output: str

    @property
    def ok(self) -> bool:
        return self.exit.reason == "exited" and self.exit.code == 0


@dataclass(frozen=True, slots=True)
class Site:
    """Where one thing is being built. From inside the sandbox `made` can be written, `given` read, the rest neither."""

    root: Path
    workshop: Workshop

    @property
    def made(self) -> Path:
        return self.root / "made"

    @property
    def given(self) -> Path:
        return self.root / "given"

    def give(self, path: str, text: str) -> None:
        target = self.given / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def begin(self, fill: Callable[[Path], None]) -> None:
        """Put starting material into `made`, once: after a step ran there, a path in it may lead anywhere."""
        filled = self.root / "filled"
        if not filled.exists():
            fill(self.made)
            filled.touch()

    def tell(self, value: Mapping[str, Any]) -> None:
        """What is to be known about what is made, for `Workshop.told`; no step can write there."""
        (self.root / "told.json").write_text(json.dumps(value))

    async def run(
        self,
        name: str,
        argv: tuple[str, ...],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        readable: tuple[str, ...] = (),
        writable: tuple[str, ...] = (),
        code_runs: bool = False,
        network: bool = True,
    ) -> Step:
        """One step of the build. A step that ended before a kill is not repeated; one still running is waited for."""
        index = index_variables(self.workshop.environ, code_runs=code_runs)
        command = Command(argv, cwd=str(cwd), env={**index, "LANG": "C.UTF-8", **(env or {})})
        confined = self.workshop.sandbox.confine(
            command,
            Confinement(
                folder=str(self.made),
                writable=(str(self.made), *writable),
                readable=(str(self.given), *readable, *readable_for_index(index, code_runs=code_runs)),
                network=network,
            ),
        )
        bounds = Bounds(
            STEP_SECONDS,
            OUTPUT_BYTES,
            memory_bytes=memory_share(),
            disk_bytes=DISK_BYTES,
            disk_folder=str(self.made),
        )
        folder = self.root / "steps" / name
        try:
            exit = await supervise(folder, confined, bounds, afresh=False)
        except asyncio.CancelledError:
            # The run was stopped: nothing of it may go on. Another run that waits for this build starts it anew.
            cancel(folder)
            await cancelled(folder, CANCEL_SECONDS)
            raise
        if exit.reason == "lost":
            raise _HalfMade(f"{argv[0]}: its supervisor was killed", "Something kills processes here: try again.")
        if failure := self.workshop.sandbox.setup_failure(exit.code, complaint(folder)):
            raise EnvironmentProblem(f"the sandbox could not be set up: {failure}", "andon doctor")
        return Step(exit, printed(folder))


@dataclass(frozen=True, slots=True)
class Workshop:
    home: Path
    sandbox: Sandbox
    environ: Mapping[str, str]

    def cache(self, name: str) -> Path:
        """A download cache that only tools which run no package's code may write."""
        folder = self.home / "cache" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def told(self, digest: str) -> Mapping[str, Any] | None:
        """What was to be known about what was made for `digest`."""
        try:
            return json.loads((self.home / digest / "told.json").read_bytes()) if _ready(self.home / digest) else None
        except (OSError, ValueError):
            return None

    async def tell(self, digest: str, value: Mapping[str, Any]) -> None:
        async def write(site: Site) -> None:
            site.tell(value)

        await self.made(digest, write)

    async def made(self, digest: str, build: Callable[[Site], Awaitable[NotPrepared | None]]) -> Path | NotPrepared:
        """The folder built for `digest`, built now unless it is there."""
        root = self.home / digest
        if _ready(root):
            return root / "made"
        self.home.mkdir(parents=True, exist_ok=True)
        async with _locked(self.home / f"{digest}.lock"):
            remains = root.exists()
            for last in (False, False, True):
                if _ready(root):
                    break
                problem, half_made = await self._attempt(root, build)
                if problem is None:
                    break
                await asyncio.to_thread(shutil.rmtree, root, True)
                # The remains of an interrupted build deserve a fresh try; a fresh build that failed does not.
                if last or not (remains or half_made):
                    return problem
                remains = False
        return root / "made"

    async def _attempt(
        self, root: Path, build: Callable[[Site], Awaitable[NotPrepared | None]]
    ) -> tuple[NotPrepared | None, bool]:
        """What went wrong, and whether it was a kill."""
        site = Site(root, self)
        site.made.mkdir(parents=True, exist_ok=True)
        site.given.mkdir(exist_ok=True)
        try:
            problem = await build(site)
        except EnvironmentProblem as error:
            return NotPrepared(error.message, error.hint, environment_error=True), isinstance(error, _HalfMade)
        if problem is None:
            await asyncio.to_thread(shutil.rmtree, root / "steps", True)
            _mark(root)
        return problem, False


def failed(step: Step, what: str, fix: str) -> NotPrepared:
    """Why a step failed, in the words of the tool."""
    said = error_text(step.output)
    how = f"{what} failed" if step.exit.reason == "exited" else f"{what} ended early ({step.exit.reason})"
    return NotPrepared(
        f"{how}: {said[:600]}" if said else how,
        fix,
        step.output[-TOLD_CHARACTERS:],
        environment_error=any(word in step.output for word in _OFFLINE)
        or environment_error(step.output, step.exit.code) is not None,
    )


def printed(folder: Path) -> str:
    """What a supervised process wrote, errors last."""
    texts: list[str] = []
    for name in ("stdout", "stderr"):
        path = folder / name
        if path.exists():
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    return "".join(texts)


def _ready(root: Path) -> bool:
    return (root / "ready.json").exists()


def _mark(root: Path) -> None:
    """Written last and whole: an environment without it is not one."""
    temporary = root / "ready.tmp"
    with temporary.open("w") as file:
        json.dump({"kind": "andon.built", "version": FORMAT, "at": time.time()}, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(root / "ready.json")


def copy_tree(tree: Path, target: Path) -> None:
    """A copy the project's own build code may write to; links stay links, and anything odd is left behind."""
    shutil.copytree(tree, target, symlinks=True, dirs_exist_ok=True, ignore=_odd)


def _odd(folder: str, names: list[str]) -> list[str]:
    paths = [Path(folder, name) for name in names]
    return [
        path.name for path in paths if path.name == ".git" or not (path.is_symlink() or path.is_file() or path.is_dir())
    ]


@asynccontextmanager
async def _locked(path: Path) -> AsyncGenerator[None]:
    deadline = time.monotonic() + LOCK_SECONDS
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EnvironmentProblem(f"{path} has been locked by another builder for an hour") from None
                await asyncio.sleep(LOCK_POLL_SECONDS)
        yield
