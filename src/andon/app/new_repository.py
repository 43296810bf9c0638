"""A repository that andon makes itself: of a sample, a new application, a conversation without code."""

from __future__ import annotations

import os
from pathlib import Path

from andon import processes
from andon.domain.errors import EnvironmentProblem, UserError

IDENTITY = ("-c", "user.name=andon demo", "-c", "user.email=demo@andon.invalid")


def new_repository(folder: Path) -> Path:
    """An empty repository with one commit, in a folder that is new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already, and not empty", "Name another folder with --into.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"{folder} cannot be made: {error.strerror}", "Name another one with --into."
        ) from error
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, *IDENTITY, "commit", "--quiet", "--allow-empty", "--message", "Nothing yet")
    return folder


def git(repository: Path, *words: str) -> str:
    # The person's own git configuration (hooks, signing, templates) must not decide whether a demo works.
    path = os.environ.get("PATH", os.defpath)
    environment = {"PATH": path, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = processes.run(["git", *words], cwd=repository, env=environment)
    if done.code != 0:
        raise EnvironmentProblem(f"git {words[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "replace")
