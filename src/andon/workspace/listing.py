"""Which files of a folder an agent shaped belong to its tree, and taking away those that do not.

The folder is walked here rather than by git, which would take a nested repository for a submodule and look into its
settings. No link is followed. Pipes, sockets, anything called .git, drafts of killed writers and whatever lies deeper
than a path may be long do not belong to a tree.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from andon.workspace.files import is_draft
from andon.workspace.git import Git, failed, joined, split
from andon.workspace.removal import remove_tree

GITLINK = "160000"
LONGEST_PATH = 4096
"""Of Linux, with the byte that ends it."""
CLOCK_TICK = 50_000_000
"""Nanoseconds by which two times of one file system may be confused: kernels stamp files by a clock that ticks."""


def below(path: str, tops: Iterable[str]) -> bool:
    """Whether it is one of them or lies below one; a folder may be named with a slash at its end."""
    return any(f"{path}/".startswith(f"{top.rstrip('/')}/") for top in tops)


@dataclass(frozen=True, slots=True)
class Entry:
    mode: str
    object: str

    @property
    def is_gitlink(self) -> bool:
        return self.mode == GITLINK


def entries(git: Git) -> dict[str, Entry]:
    """Everything in git's index, by path."""
    found: dict[str, Entry] = {}
    for line in split(git.call("ls-files", "-z", "--stage")):
        head, _, path = line.partition("\t")
        mode, name, _ = head.split(" ")
        found[path] = Entry(mode, name)
    return found


def distrust(git: Git, folder: Path, tracked: Mapping[str, Entry], since: int) -> None:
    """Make git read again what was touched since its index was written, in nanoseconds.

    git compares times by the second: a file changed within that second, with its size and time of modification put
    back, would pass for unchanged. The time of the inode's change cannot be put back.
    """
    doubtful: list[str] = []
    for path, entry in tracked.items():
        try:
            changed = os.lstat(folder / path).st_ctime_ns
        except (FileNotFoundError, NotADirectoryError):
            continue
        if changed >= since - CLOCK_TICK and not entry.is_gitlink:
            doubtful.append(f"{entry.mode} {entry.object} 0\t{path}")
    if doubtful:
        git.call("update-index", "-z", "--index-info", stdin=joined(doubtful))


def folders_of(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        while "/" in path:
            path = path.rpartition("/")[0]
            if path in found:
                break
            found.add(path)
    return found


def ignored(git: Git, paths: list[str]) -> set[str]:
    """Which of the paths the .gitignore files of the folder name."""
    if not paths:
        return set()
    words = ("check-ignore", "-z", "--stdin", "--no-index")
    # This command alone refuses literal pathspecs; "./" in front keeps a leading colon from meaning anything.
    plain = {name: value for name, value in git.environment.items() if name != "GIT_LITERAL_PATHSPECS"}
    finished = replace(git, environment=plain).attempt(*words, stdin=joined(f"./{path}" for path in paths))
    if finished.code not in (0, 1):
        raise failed(words, finished)
    return {path.removeprefix("./") for path in split(finished.stdout)}


def present(
    folder: Path, tracked: Collection[str], excluded: Iterable[str], ignored: Callable[[list[str]], set[str]]
) -> list[str]:
    """Files and links to snapshot: the tracked ones, and the others unless ignored or excluded."""
    excluded = tuple(excluded)
    holding = folders_of(tracked)
    found: list[str] = []
    level = [""]
    # One level at a time, so that git is asked once per level and never about what lies in an ignored folder.
    while level:
        files: list[str] = []
        folders: list[str] = []
        for top in level:
            for entry in _scan(folder / top):
                path = f"{top}/{entry.name}" if top else entry.name
                if entry.name.lower() == ".git" or below(path, excluded) or _too_long(entry.path):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif _belongs(entry):
                    files.append(path)
        unknown = [path for path in files if path not in tracked] + [path for path in folders if path not in holding]
        left_out = ignored(unknown)
        found += [path for path in files if path not in left_out]
        level = [path for path in folders if path not in left_out]
    return found


def _too_long(path: str) -> bool:
    return len(os.fsencode(path)) >= LONGEST_PATH


def _belongs(entry: os.DirEntry[str]) -> bool:
    if is_draft(entry.name):
        return False
    if entry.is_symlink():
        # git refuses these as links, and leaving the old content in place would hide the change.
        return not entry.name.lower().startswith((".gitmodules", "gitmod~"))
    return entry.is_file(follow_symlinks=False)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    mode = folder.lstat().st_mode
    if stat.S_IMODE(mode) & 0o700 != 0o700:
        folder.chmod(stat.S_IMODE(mode) | 0o700)
    with os.scandir(folder) as found:
        return list(found)


def make_readable(folder: Path, paths: Iterable[str]) -> None:
    """Give the owner back the right to read: git keeps no such mode, and a file nobody can read hides its content."""
    for path in paths:
        mode = (folder / path).lstat().st_mode
        if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
            (folder / path).chmod(stat.S_IMODE(mode) | 0o600)


def take_away_strangers(folder: Path, tree: Mapping[str, Entry], excluded: Iterable[str]) -> None:
    """Remove everything that is neither in `tree` nor excluded nor the .git at the top.

    What is excluded without a slash at its end is a file or a link: a folder that took its place goes.
    """
    excluded = tuple(excluded)
    wanted = folders_of([*tree, *excluded]) | {path for path, entry in tree.items() if entry.is_gitlink}
    level = [""]
    while level:
        deeper: list[str] = []
        for top in level:
            for entry in _scan(folder / top):
                path = f"{top}/{entry.name}" if top else entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if path == ".git" or (f"{path}/" if is_folder else path) in excluded:
                    continue
                if is_folder and path in wanted:
                    deeper.append(path)
                elif is_folder:
                    remove_tree(folder / path)
                elif path not in tree or tree[path].is_gitlink:
                    (folder / path).unlink()
        level = deeper
