"""Carries out orders: the command is the runtime's, the confinement the sandbox's, the life a supervisor's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from andon import processes
from andon.domain.errors import UserError
from andon.domain.order import Order, Outcome, Reply
from andon.ports import Bounds, Command, Confinement, Mount, Runtime, Sandbox, Watch
from andon.processes.shares import DISK_BYTES, memory_share
from andon.runtimes.events import MAX_LINE
from andon.runtimes.installed import PATH

CANCEL_SECONDS = 20.0
LOOK_SECONDS = 0.25
"""Between two looks at what a running agent has printed."""


class SupervisedAgents:
    """Implements ports.Agents for one run."""

    def __init__(
        self,
        runtime: Runtime,
        sandbox: Sandbox,
        lease_seconds: float,
        readable: tuple[str, ...] = (),
        secrets: Callable[[], Mapping[str, str]] = dict,
        clean: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._runtime = runtime
        self._sandbox = sandbox
        self._lease_seconds = lease_seconds
        self._readable = readable
        """What links in the workspace lead to."""
        self._secrets = secrets
        """Variables that a person gave for the agents. Asked for when an order begins, and kept in no order."""
        self._clean = clean
        """Hides secrets in what is kept of an order."""

    async def carry_out(self, order: Order, folder: Path, git: Path | None) -> Reply:
        try:
            writable = _writable_paths(order)
            command = self._runtime.command(order, folder)
            needs = self._runtime.needs(order, folder)
        except UserError as error:
            return Reply(Outcome.REFUSED, detail=error.message + (f" ({error.hint})" if error.hint else ""))
        confinement = Confinement(
            folder=order.folder,
            writable=writable,
            readable=(*needs.readable, *order.toolbox.readable, *self._readable, *self._protected(order)),
            mounts=(*self._mounts(order, git), *needs.mounts),
            network=needs.network,
            home=needs.home,
        )
        bounds = Bounds(
            seconds=order.limits.seconds,
            output_bytes=order.limits.output_bytes,
            memory_bytes=memory_share(),
            disk_bytes=DISK_BYTES,
            disk_folder=order.folder,
            lease_seconds=self._lease_seconds,
        )
        command = self._sandbox.confine(_with_tools(command, order, self._secrets()), confinement)
        with _watched(self._runtime.watch(order), folder):
            exit = await processes.supervise(folder, command, bounds)
        # Before anything is read: what is told of it, and what stays in the folder, has no secrets.
        await asyncio.to_thread(processes.rewrite, folder, self._clean)
        if failure := self._sandbox.setup_failure(exit.code, processes.complaint(folder)):
            return Reply(Outcome.REFUSED, detail=f"the sandbox could not be set up: {failure}", seconds=exit.seconds)
        reply = self._runtime.reply(order, folder, exit)
        return replace(reply, seconds=exit.seconds)

    def _protected(self, order: Order) -> tuple[str, ...]:
        """Absolute paths that are read-only in the midst of what is writable. In a sandbox that cannot do that, the
        diff shows it afterwards."""
        paths = (Path(order.folder, relative) for relative in order.protected if self._sandbox.mounts)
        return tuple(str(path) for path in paths if path.exists() and not path.is_symlink())

    def _mounts(self, order: Order, git: Path | None) -> tuple[Mount, ...]:
        """The agent's disposable .git, and packages. In a sandbox that cannot mount, it does without."""
        if not self._sandbox.mounts:
            return ()
        own = (Mount(str(git), str(Path(order.folder, ".git")), writable=True),) if git else ()
        linked = (Mount(source, str(Path(order.folder, place))) for source, place in order.toolbox.linked)
        return (*own, *linked)

    async def cancel(self, folder: Path) -> None:
        processes.cancel(folder)
        if await processes.cancelled(folder, CANCEL_SECONDS):
            await asyncio.to_thread(processes.rewrite, folder, self._clean)


def _with_tools(command: Command, order: Order, secrets: Mapping[str, str]) -> Command:
    """The same command with secrets that it was given and the project's tools in its environment; what the runtime says
    of a variable holds."""
    tools = order.toolbox
    variables = {**secrets, **tools.variables, **command.env}
    if tools.paths:
        variables["PATH"] = ":".join((*tools.paths, command.env.get("PATH") or PATH))
    if tools.python_path:
        variables["PYTHONPATH"] = ":".join(str(Path(order.folder, path)) for path in tools.python_path)
    return replace(command, env=variables)


@contextmanager
def _watched(watch: Watch | None, folder: Path) -> Generator[None]:
    """While it runs, its output is read as it comes; who need not wait any longer ends it."""
    if watch is None:
        yield
        return
    watching = asyncio.ensure_future(_watch(watch, folder))
    try:
        yield
    finally:
        watching.cancel()


async def _watch(watch: Watch, folder: Path) -> None:
    said, rest = folder / "stdout", b""
    offset = 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        more = await asyncio.to_thread(_from, said, offset)
        offset += len(more)
        *lines, rest = (rest + more).split(b"\n")
        rest = rest[-MAX_LINE:]
        if any(line.strip() and watch(line) for line in lines):
            processes.cancel(folder)
            return


def _from(path: Path, offset: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(MAX_LINE)
    except OSError:
        return b""


def _writable_paths(order: Order) -> tuple[str, ...]:
    """Absolute paths for the kernel. A document's folder is opened, since programs replace files by renaming;
    that nothing but the document changed is checked afterwards on the diff."""
    root = Path(order.folder)
    paths: list[str] = []
    for relative in order.writable:
        path = root if relative == "." else root / relative
        if relative != "." and not relative.endswith("/") and not path.is_dir():
            path = path.parent
        # An earlier agent may have planted a link here: following it would open a folder outside to writing.
        nearest = next(p for p in (path, *path.parents) if p.exists())
        if nearest.resolve() != root.resolve() / nearest.relative_to(root):
            raise UserError(f"{relative} leads out of the workspace through a link", "Remove the link.")
        path.mkdir(parents=True, exist_ok=True)
        paths.append(str(path))
    return tuple(paths)
