"""Carries out orders: the command is the runtime's, the confinement the sandbox's, the life a supervisor's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from andon import processes
from andon.domain.errors import UserError
from andon.domain.order import Order, Outcome, Reply
from andon.ports import Bounds, Confinement, Mount, Runtime, Sandbox
from andon.processes.shares import DISK_BYTES, memory_share

CANCEL_SECONDS = 20.0


class SupervisedAgents:
    """Implements ports.Agents for one run."""

    def __init__(
        self, runtime: Runtime, sandbox: Sandbox, lease_seconds: float, readable: tuple[str, ...] = ()
    ) -> None:
        self._runtime = runtime
        self._sandbox = sandbox
        self._lease_seconds = lease_seconds
        self._readable = readable
        """What links in the workspace lead to."""

    async def carry_out(self, order: Order, folder: Path, git: Path | None) -> Reply:
        try:
            writable = _writable_paths(order)
            command = self._runtime.command(order, folder)
        except UserError as error:
            return Reply(Outcome.REFUSED, detail=error.message + (f" ({error.hint})" if error.hint else ""))
        confinement = Confinement(
            folder=order.folder,
            writable=writable,
            readable=(*self._runtime.readable(order, folder), *self._readable, *self._protected(order)),
            mounts=self._git_mounts(order, git),
        )
        bounds = Bounds(
            seconds=order.limits.seconds,
            output_bytes=order.limits.output_bytes,
            memory_bytes=memory_share(),
            disk_bytes=DISK_BYTES,
            disk_folder=order.folder,
            lease_seconds=self._lease_seconds,
        )
        exit = await processes.supervise(folder, self._sandbox.confine(command, confinement), bounds)
        if failure := self._sandbox.setup_failure(exit.code, processes.complaint(folder)):
            return Reply(Outcome.REFUSED, detail=f"the sandbox could not be set up: {failure}", seconds=exit.seconds)
        reply = self._runtime.reply(order, folder, exit)
        return replace(reply, seconds=exit.seconds)

    def _protected(self, order: Order) -> tuple[str, ...]:
        """Absolute paths that are read-only in the midst of what is writable. In a sandbox that cannot do that, the
        diff shows it afterwards."""
        paths = (Path(order.folder, relative) for relative in order.protected if self._sandbox.mounts)
        return tuple(str(path) for path in paths if path.is_file() and not path.is_symlink())

    def _git_mounts(self, order: Order, git: Path | None) -> tuple[Mount, ...]:
        """The agent's disposable .git. In a sandbox that cannot mount, it does without."""
        if git is None or not self._sandbox.mounts:
            return ()
        return (Mount(str(git), str(Path(order.folder, ".git")), writable=True),)

    async def cancel(self, folder: Path) -> None:
        processes.cancel(folder)
        await processes.cancelled(folder, CANCEL_SECONDS)


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
