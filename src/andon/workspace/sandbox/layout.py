"""Turns a confinement into the list of places that appear inside, with symlinks and containment settled.

Reads the host's file system; the only thing it may create is an empty mount point inside the workspace.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from andon.domain.errors import EnvironmentProblem
from andon.ports import Confinement, Mount
from andon.processes.toolchain import belongs_to_a_person, person_home
from andon.workspace.sandbox import system_root

Real = Callable[[str], str]
"""The path without symlinks."""
SYSTEM_SECONDS = 60.0
"""So long the system's own paths are taken for what they were."""


class Kind(Enum):
    READ = "read"
    WRITE = "write"
    PRIVATE = "private"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Place:
    """One path inside. `source` is a real host path, for a link where it points, for a private folder nothing."""

    target: str
    kind: Kind
    source: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    places: tuple[Place, ...]
    """Shallow before deep: of two places that overlap, the deeper one holds."""
    home: str
    shaped: tuple[str, ...] = ()
    """Paths in the workspace on the way to a place: no symlink now, and none may be there when it is mounted."""


def layout(confinement: Confinement, own: str = "") -> Layout:
    """Everything visible inside. The deepest path wins, so a readable path may protect part of a writable one."""
    real = _remembering()  # the same few paths are asked for again and again
    _refuse_what_cannot_be(confinement, real)
    _refuse_what_is_private(confinement, own, real)
    home = confinement.home or system_root.HOME
    places = dict(_system_places(confinement.network, int(time.monotonic() / SYSTEM_SECONDS)))
    if not confinement.home:
        _add(places, home, Kind.PRIVATE, real)
    for path in confinement.readable:
        if Path(path).exists():
            _add(places, path, Kind.READ, real)
    _add(places, confinement.folder, Kind.READ, real)
    for path in (*confinement.writable, *((confinement.home,) if confinement.home else ())):
        _add(places, path, Kind.WRITE, real)
    for mount in confinement.mounts:
        _make_mount_point(mount, confinement)
        _add(places, mount.target, Kind.WRITE if mount.writable else Kind.READ, real, real(mount.source))
    needed = tuple(_needed(places))
    return Layout(needed, home, _shaped(needed, real(confinement.folder)))


def _remembering() -> Real:
    @cache
    def real(path: str) -> str:
        return os.path.realpath(path)

    return real


@lru_cache(maxsize=2)
def _system_places(network: bool, _now: int) -> dict[str, Place]:
    """Of the machine itself, the same for every sandbox; looked up again from time to time."""
    places: dict[str, Place] = {}
    for path in system_root.PRIVATE:
        _add(places, path, Kind.PRIVATE, os.path.realpath)
    for path in system_root.readable_paths(network=network):
        _add(places, path, Kind.READ, os.path.realpath)
    return places


def _refuse_what_cannot_be(confinement: Confinement, real: Real) -> None:
    sources = [confinement.folder, *confinement.writable, *(mount.source for mount in confinement.mounts)]
    sources += [confinement.home] if confinement.home else []
    targets = [*confinement.readable, *(mount.target for mount in confinement.mounts)]
    for path in (*sources, *targets):
        if not PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or real(path) == "/":
            raise EnvironmentProblem(f"a sandbox cannot be given the path {path!r}", "Name an absolute folder below /.")
        _refuse_way_out(path, confinement.folder, real)
    for path in sources:
        if not Path(path).exists():
            raise EnvironmentProblem(f"{path} does not exist, so a sandbox cannot show it")


def _refuse_what_is_private(confinement: Confinement, own: str, real: Real) -> None:
    """The last line of defence: whoever named the path, a person's folders and andon's key stay outside."""
    home, own = person_home(), real(own) if own else ""
    home = home and home.resolve()
    shown = (confinement.folder, *confinement.writable, *confinement.readable, *(m.source for m in confinement.mounts))
    for path in map(real, shown):
        contains_own = f"{own}/".startswith(f"{path.rstrip('/')}/") if own else False
        if contains_own or belongs_to_a_person(Path(path), home):
            raise EnvironmentProblem(
                f"a sandbox cannot show {path}: it holds a person's own files or andon's",
                "Install the program in a folder of its own, such as /opt/NAME or ~/.nvm/versions/node/v22.",
            )


def _refuse_way_out(path: str, folder: str, real: Real) -> None:
    """Below the workspace an agent makes the symlinks: following one would hand it whatever it points at."""
    if not f"{os.path.normpath(path)}/".startswith(f"{os.path.normpath(folder)}/"):
        return
    expected = os.path.join(real(folder), os.path.relpath(path, folder))  # noqa: PTH118
    if real(path) != os.path.normpath(expected):
        raise EnvironmentProblem(
            f"{path} leads elsewhere through a symlink inside the workspace",
            "Replace the symlink by a real folder.",
        )


def _make_mount_point(mount: Mount, confinement: Confinement) -> None:
    """The kernel mounts only onto something that exists, and inside a workspace nobody else will make it."""
    source, target = Path(mount.source), Path(mount.target)
    if not target.exists():
        if not target.is_relative_to(confinement.folder):
            return  # bwrap makes it in the private root
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            target.mkdir()
        else:
            target.touch()
    elif target.is_dir() != source.is_dir():
        raise EnvironmentProblem(f"{source} cannot appear at {target}: one is a folder, the other is not")


def _add(places: dict[str, Place], path: str, kind: Kind, real: Real, source: str | None = None) -> None:
    found = real(path)
    for link, points_to in _links(path) if found != path else ():
        places.setdefault(link, Place(link, Kind.LINK, points_to))
    places[found] = Place(found, kind, "" if kind is Kind.PRIVATE else source or found)


def _shaped(places: tuple[Place, ...], folder: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for place in places:
        for path in (place.target, place.source):
            if path.startswith(f"{folder}/"):
                ways = [above for above in _above(path) if f"{above}/".startswith(f"{folder}/")]
                found |= dict.fromkeys((*ways, path))
    return tuple(found)


def _above(path: str) -> Iterator[str]:
    """The folders on the way to a real path, the nearest first. Paths as text: this is asked for every mount."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def _links(path: str) -> Iterator[tuple[str, str]]:
    """Each symlink met on the way along `path`, with the real path it leads to."""
    parts = list(PurePosixPath(path).parts[1:])
    walked = PurePosixPath("/")
    while parts:
        walked = walked / parts.pop(0)
        if os.path.islink(walked):  # noqa: PTH114 - a pure path, so that nothing is normalised away
            real = os.path.realpath(walked)
            yield str(walked), real
            walked = PurePosixPath(real)


def _needed(places: dict[str, Place]) -> Iterator[Place]:
    """Places in mounting order, without those that a shallower place already shows as they are."""
    shown: dict[str, Place] = {}
    for place in sorted(places.values(), key=lambda place: (place.target.count("/"), place.target)):
        above = next((shown[up] for up in _above(place.target) if up in shown), None)
        if above is not None and _shows(above, place):
            continue
        shown[place.target] = place
        yield place


def _shows(above: Place, place: Place) -> bool:
    if above.kind not in (Kind.READ, Kind.WRITE):
        return False
    if place.kind is Kind.LINK:
        return True
    as_it_is = above.source == above.target and place.source == place.target
    return as_it_is and place.kind is above.kind
