"""Removing what an agent shaped: any depth, any mode, links removed and never followed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from andon.domain.errors import EnvironmentProblem
from andon.processes import run

SECONDS = 600.0


def remove_tree(path: Path) -> None:
    """Remove a file or a folder with all it holds; nothing there is fine.

    What is hard to remove is left to rm, which copes with trees deeper than a path may be long.
    """
    if not os.path.lexists(path) or _removed(path):
        return
    finished = _run("rm", "-rf", "--", str(path))
    if finished and not path.is_symlink():
        # Folders without the permission to enter or write them. chmod -R follows no links below its argument.
        _run("chmod", "-R", "u+rwx", "--", str(path))
        finished = _run("rm", "-rf", "--", str(path))
    if finished:
        raise EnvironmentProblem(f"cannot remove {path}: {finished}")


def _removed(path: Path) -> bool:
    """Whether the ordinary way did it, which costs no process."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            shutil.rmtree(path)
    except (OSError, RecursionError):
        return False
    return True


def _run(*words: str) -> str:
    """Empty when it went well, else what the program said."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    finished = run(words, cwd="/", env=environment, seconds=SECONDS, output_bytes=1 << 16)
    return "" if finished.code == 0 else finished.stderr.decode("utf-8", "replace").strip() or "failed"
