"""Killed at any moment, with everything it started: repeating gives the same tree, and nothing is damaged."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from andon.workspace.repository import Repository
from andon.workspace.store import Store
from andon.workspace.worktree import Worktree

WORK = """
import sys
from pathlib import Path
from andon.workspace.repository import Repository
from andon.workspace.store import Store
from andon.workspace.worktree import Worktree

def work(root: Path, run: str) -> tuple[str, str]:
    repository = Repository.open(root / "checkout")
    store = Store.open(root / "data", repository)
    worktree = Worktree.create(store, run=run, folder=root / run, base=repository.head)
    worktree.restore(worktree.base_tree)
    for number in range(30):
        (worktree.folder / f"new-{number}.txt").write_text(f"{number}")
    (worktree.folder / "src/app.py").unlink()
    snapshot = worktree.snapshot("1.1", at=1)
    worktree.restore(worktree.base_tree)
    worktree.restore(snapshot.tree)
    worktree.disposable_git(root / f"{run}-git")
    return snapshot.tree, worktree.publish(f"feat/{run}", snapshot.tree, "m", at=1)
"""
LOOP = """
print("ready", flush=True)
work(Path(sys.argv[1]), sys.argv[2])
"""


def work(root: Path, run: str) -> tuple[str, str]:
    names: dict[str, Any] = {}
    exec(compile(WORK, "work", "exec"), names)  # the same text that the killed process runs
    return names["work"](root, run)


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    try:
        everyone = [*psutil.Process(process.pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        everyone = []
    process.kill()
    for child in everyone:
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait(10)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("everything", [True, False], ids=["with its children", "alone"])
def test_twenty_kills_leave_nothing_broken(place: Any, everything: bool) -> None:
    for number in range(20):
        place.write(f"lib/{number}.py", f"x = {number}\n")
    place.commit("more")
    started = time.monotonic()
    expected, commit = work(place.root, "calm")
    duration = time.monotonic() - started
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    for number in range(10):
        run = f"r{number}"
        process = subprocess.Popen(
            [sys.executable, "-c", WORK + LOOP, str(place.root), run], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0, duration))
        if everything:
            kill_tree(process)
        else:
            process.kill()
            process.wait(10)
        process.stdout.close()
        assert work(place.root, run) == (expected, commit)
        assert [path.name for path in place.root.iterdir() if path.name.startswith(f".{run}.")] == []
    store = Store.open(place.root / "data", Repository.open(place.checkout))
    store.git().call("fsck", "--strict", "--no-dangling")
    place.git("fsck", "--strict")
    worktrees = [Worktree.open(store, f"r{number}") for number in range(10)]
    assert all(worktree is not None and worktree.snapshot("2.1", at=1).tree == expected for worktree in worktrees)
