"""Confinement by bubblewrap, called directly: namespaces, an allow-listed root, a system-call filter, limits.

Builds command lines only; whoever starts them owns the process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from andon.ports import Command, Confinement
from andon.workspace.sandbox import environment, system_root
from andon.workspace.sandbox.failure import setup_failure
from andon.workspace.sandbox.layout import Kind, Layout, Place, layout
from andon.workspace.sandbox.limits import Limits, limited

# bwrap takes the filter by descriptor, and whoever starts a Command hands on none: a shell opens it and gives way.
# It looks once more at the paths agents shape: bwrap would follow a symlink that has come there since, and hand out or
# leave unprotected what it leads to.
_SHELL = ("/bin/sh", "-c")
_LOOK = (
    'while [ "$1" != -- ]; do [ ! -L "$1" ] || { echo "sandbox: $1 is a symlink" >&2; exit 1; }; shift; done; shift; '
)
_FILTERED, _PLAIN = 'filter=$1; shift; {look}exec "$@" 9<"$filter"', '{look}exec "$@"'

_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")


@dataclass(frozen=True, slots=True)
class BwrapSandbox:
    """The environment travels by inheritance, not as --setenv: any user of the host can read a command line."""

    program: str
    options: frozenset[str] = frozenset()
    """The options this bwrap knows; newer ones are used only when listed."""
    filter_file: Path | None = None
    """A system-call filter (see seccomp.py) in a place nobody confined can write."""
    limits: Limits = field(default_factory=Limits)
    own: str = ""
    """andon's own folder: nothing that contains it is shown to anyone."""

    @property
    def tier(self) -> str:
        return "bwrap+limits"

    @property
    def confines(self) -> bool:
        return True

    @property
    def mounts(self) -> bool:
        return True

    def confine(self, command: Command, confinement: Confinement) -> Command:
        inside = layout(confinement, self.own)
        env = environment.with_defaults(command.env, home=inside.home, temporary="/tmp")
        inherited, late = environment.split(env)
        argv = [
            *self._isolation(confinement),
            *self._root(inside),
            *_variables(late, env),
            "--chdir",
            command.cwd,
            "--",
            *limited(command.argv, self.limits),
        ]
        return Command((*self._start(inside.shaped), *argv), cwd="/", env=inherited, stdin=command.stdin)

    def setup_failure(self, code: int | None, stderr: bytes) -> str | None:
        return setup_failure(code, stderr)

    def _start(self, shaped: tuple[str, ...]) -> tuple[str, ...]:
        if self.filter_file is None and not shaped:
            return (self.program,)
        look, looked_at = (_LOOK, (*shaped, "--")) if shaped else ("", ())
        if self.filter_file is None:
            return (*_SHELL, _PLAIN.format(look=look), "sandbox", *looked_at, self.program)
        script = _FILTERED.format(look=look)
        return (*_SHELL, script, "sandbox", str(self.filter_file), *looked_at, self.program, "--seccomp", "9")

    def _isolation(self, confinement: Confinement) -> Iterator[str]:
        yield from _NAMESPACES
        if not confinement.network:
            yield "--unshare-net"
        # A name that always resolves, with or without a resolver, and says nothing about the host.
        yield from ("--hostname", "localhost", "--new-session", "--die-with-parent", "--cap-drop", "ALL")
        if "--disable-userns" in self.options:
            yield "--disable-userns"

    def _root(self, inside: Layout) -> Iterator[str]:
        yield from ("--proc", "/proc", "--dev", "/dev")
        yield from _proc_covers()
        yield from self._private("/dev/shm")
        for place in inside.places:
            yield from self._place(place)
        # Last: bwrap's own root and /dev are memory anyone inside could fill.
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")

    def _place(self, place: Place) -> Iterator[str]:
        match place.kind:
            case Kind.READ:
                yield from ("--ro-bind", place.source, place.target)
            case Kind.WRITE:
                yield from ("--bind", place.source, place.target)
            case Kind.LINK:
                yield from ("--symlink", place.source, place.target)
            case Kind.PRIVATE:
                yield from self._private(place.target)

    def _private(self, target: str) -> Iterator[str]:
        if "--size" in self.options:
            yield from ("--size", str(self.limits.private_bytes))
        yield from ("--tmpfs", target)


def _variables(late: dict[str, str], env: dict[str, str]) -> Iterator[str]:
    for name in environment.ADDED_BY_SHELLS:
        if name not in env:
            yield from ("--unsetenv", name)
    for name, value in late.items():
        yield from ("--setenv", name, value)


def _proc_covers() -> Iterator[str]:
    if os.geteuid() != 0:
        return
    for path in system_root.PROC_READ_ONLY:
        if Path(path).exists():
            yield from ("--ro-bind", path, path)
    for path in system_root.PROC_HIDDEN:
        if Path(path).exists():
            # Bound without device access, so opening it is refused rather than empty.
            yield from ("--ro-bind", "/dev/null", path)
