"""A repository that andon makes itself: of a sample, a new application, a conversation without code."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from andon import processes
from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.removal import remove_tree

EMAIL = "demo@andon.invalid"
IDENTITY = ("-c", "user.name=andon demo", "-c", f"user.email={EMAIL}")
BEGINNING = "Nothing yet"


def new_repository(folder: Path) -> Path:
    """An empty repository with one commit, in a folder that is new or empty. One that a start left that did not come
    about is as good as new."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if not _untouched(folder):
            raise UserError(f"{folder} is there already, and not empty", "Name another folder with --into.")
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"{folder} cannot be made: {error.strerror}", "Name another one with --into."
        ) from error
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, *IDENTITY, "commit", "--quiet", "--allow-empty", "--message", BEGINNING)
    return folder


@contextmanager
def taken_back(folder: Path) -> Generator[None]:
    """Around what is to begin in a repository that is made for it: where that fails, the folder is as it was."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    empty = there != folder or (folder.is_dir() and not any(folder.iterdir()))
    try:
        yield
    except BaseException:
        if empty:
            remove_tree(folder / ".git")
            for path in (folder, *folder.parents):
                if path == there:
                    break
                with suppress(OSError):  # somebody else has put something into it
                    path.rmdir()
        raise


def _untouched(folder: Path) -> bool:
    """Nothing is in it but the commit that andon made."""
    if not folder.is_dir() or [each.name for each in folder.iterdir()] != [".git"]:
        return False
    try:
        heads = git(folder, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes").split()
        said = git(folder, "log", "--format=%ae %s", "HEAD").splitlines()
    except EnvironmentProblem:
        return False
    return heads == ["refs/heads/main"] and said == [f"{EMAIL} {BEGINNING}"]


def git(repository: Path, *words: str) -> str:
    # The person's own git configuration (hooks, signing, templates) must not decide whether a demo works.
    path = os.environ.get("PATH", os.defpath)
    environment = {"PATH": path, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = processes.run(["git", *words], cwd=repository, env=environment)
    if done.code != 0:
        raise EnvironmentProblem(f"git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
