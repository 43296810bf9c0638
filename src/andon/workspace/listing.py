"""Which files of a folder an agent shaped belong to its tree, and taking away those that do not.

The folder is walked here rather than by git, which would take a nested repository for a submodule and look into its
settings. No link is followed. Pipes, sockets and anything called .git do not belong to a tree.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

from andon.workspace.git import Git, failed, joined, split
from andon.workspace.removal import remove_tree

GITLINK = "160000"


def below(path: str, tops: Iterable[str]) -> bool:
    return any(path == top or path.startswith(f"{top}/") for top in tops)


def entries(git: Git) -> dict[str, str]:
    """Path → mode of everything in git's index."""
    found: dict[str, str] = {}
    for line in split(git.call("ls-files", "-z", "--stage")):
        head, _, path = line.partition("\t")
        found[path] = head.split(" ", 1)[0]
    return found


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
                if entry.name.lower() == ".git" or below(path, excluded):
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


def _belongs(entry: os.DirEntry[str]) -> bool:
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


def take_away_strangers(folder: Path, tree: dict[str, str], excluded: Iterable[str]) -> None:
    """Remove everything that is neither in `tree` (path → mode) nor excluded nor the .git at the top."""
    excluded = tuple(excluded)
    wanted = folders_of([*tree, *excluded]) | {path for path, mode in tree.items() if mode == GITLINK}
    level = [""]
    while level:
        deeper: list[str] = []
        for top in level:
            for entry in _scan(folder / top):
                path = f"{top}/{entry.name}" if top else entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if path == ".git" or (path in excluded and not is_folder):
                    continue
                if is_folder and path in wanted:
                    deeper.append(path)
                elif is_folder:
                    remove_tree(folder / path)
                elif tree.get(path, GITLINK) == GITLINK:
                    (folder / path).unlink()
        level = deeper
