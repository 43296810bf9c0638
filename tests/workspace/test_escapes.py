"""Ways to make the host's git run an agent's code, each planted in a worktree. A control shows that each one works on
a git that is called naively; andon's own calls must leave the canary unborn.
"""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from andon.workspace.worktree import Worktree


@dataclass(frozen=True)
class Trap:
    """What an agent works with: the folder, a program to be run by someone else's git, a folder that is its own."""

    folder: Path
    program: Path
    own: Path
    git: Callable[..., str]

    def repository(self, at: Path | None = None) -> Path:
        """Turn a folder into a repository of the agent's making, with everything committed."""
        folder = at or self.folder
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", at=folder)
        self.git("add", "-A", at=folder)
        self.git("commit", "-q", "--allow-empty", "-m", "agent", at=folder)
        return folder

    def config(self, key: str, value: str, at: Path | None = None) -> None:
        self.git("config", key, value, at=at or self.folder)

    def touch(self) -> None:
        (self.folder / "src/app.py").write_text("print('agent')\n")


def hooks(trap: Trap) -> list[str]:
    trap.repository()
    for name in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "post-commit"):
        hook = trap.folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(trap.program.read_text())
        hook.chmod(0o755)
    trap.touch()
    return ["add", "-A"]


def hooks_path(trap: Trap) -> list[str]:
    hook = trap.folder / "tools/post-index-change"
    hook.parent.mkdir()
    hook.write_text(trap.program.read_text())
    hook.chmod(0o755)
    trap.repository()
    trap.config("core.hooksPath", str(hook.parent))
    trap.touch()
    return ["add", "-A"]


def fsmonitor(trap: Trap) -> list[str]:
    trap.repository()
    trap.config("core.fsmonitor", str(trap.program))
    return ["status"]


def filters(trap: Trap) -> list[str]:
    trap.repository()
    for key in ("clean", "smudge"):
        trap.config(f"filter.evil.{key}", f"{trap.program}; cat")
    (trap.folder / ".gitattributes").write_text("* filter=evil\n")
    trap.touch()
    return ["add", "-A"]


def textconv(trap: Trap) -> list[str]:
    (trap.folder / ".gitattributes").write_text("* diff=evil\n")
    trap.repository()
    trap.config("diff.evil.textconv", f"{trap.program}; cat")
    trap.touch()
    return ["diff"]


def external_diff(trap: Trap) -> list[str]:
    trap.repository()
    trap.config("diff.external", str(trap.program))
    trap.touch()
    return ["diff"]


def nested_repository(trap: Trap) -> list[str]:
    nested = trap.repository(trap.folder / "nested")
    trap.repository()  # it is a submodule now
    trap.config("core.fsmonitor", str(trap.program), at=nested)
    (nested / "file.txt").write_text("x")
    (trap.folder / ".gitmodules").write_text(
        '[submodule "nested"]\n\tpath = nested\n\turl = ./nested\n\tignore = none\n'
    )
    return ["status"]


def nested_bare_repository(trap: Trap) -> list[str]:
    bare = trap.folder / "nested"
    bare.mkdir()
    trap.git("init", "-q", "--bare", at=bare)
    trap.config("core.bare", "false", at=bare)
    trap.config("core.worktree", str(trap.folder), at=bare)
    trap.config("core.fsmonitor", str(trap.program), at=bare)
    return ["-C", "nested", "status"]


def git_file(trap: Trap) -> list[str]:
    trap.repository()
    trap.config("core.fsmonitor", str(trap.program))
    (trap.folder / ".git").rename(trap.own / "elsewhere")
    (trap.folder / ".git").write_text(f"gitdir: {trap.own}/elsewhere\n")
    return ["status"]


def ssh_command(trap: Trap) -> list[str]:
    trap.repository()
    trap.config("core.sshCommand", str(trap.program))
    trap.config("remote.origin.url", "ssh://nowhere/x")
    trap.config("remote.origin.promisor", "true")
    trap.config("extensions.partialClone", "origin")
    for path in (trap.folder / ".git/objects").glob("[0-9a-f][0-9a-f]/*"):
        if trap.git("cat-file", "-t", path.parent.name + path.name, at=trap.folder) == "blob":
            path.unlink()
    trap.touch()
    return ["diff"]


def alias(trap: Trap) -> list[str]:
    trap.repository()
    for name in ("st", "snapshot"):
        trap.config(f"alias.{name}", f"!{trap.program}")
    return ["st"]


def pager(trap: Trap) -> list[str]:
    trap.repository()
    trap.config("core.pager", str(trap.program))
    trap.config("pager.diff", str(trap.program))
    trap.touch()
    return ["--paginate", "diff"]


def included_settings(trap: Trap) -> list[str]:
    (trap.folder / "settings").write_text(f"[core]\n\tfsmonitor = {trap.program}\n")
    trap.repository()
    trap.config("include.path", "../settings")
    return ["status"]


def merge_driver(trap: Trap) -> list[str]:
    (trap.folder / ".gitattributes").write_text("* merge=evil export-subst ident\n")
    trap.repository()
    trap.config("merge.evil.driver", f"{trap.program} %A")
    trap.git("checkout", "-q", "-b", "side", at=trap.folder)
    (trap.folder / "README.md").write_text("side\n")
    trap.git("commit", "-qam", "side", at=trap.folder)
    trap.git("checkout", "-q", "-", at=trap.folder)
    (trap.folder / "README.md").write_text("main\n")
    trap.git("commit", "-qam", "main", at=trap.folder)
    return ["merge", "side"]


TRAPS = [
    hooks,
    hooks_path,
    fsmonitor,
    filters,
    textconv,
    external_diff,
    nested_repository,
    nested_bare_repository,
    git_file,
    ssh_command,
    alias,
    pager,
    included_settings,
    merge_driver,
]


@pytest.fixture
def worktree(place: Any) -> Worktree:
    return place.worktree()


@pytest.fixture
def trap(place: Any, worktree: Worktree) -> Trap:
    program = place.root / "program"
    program.write_text(f"#!/bin/sh\ntouch '{place.root}/canary'\n")
    program.chmod(0o755)
    own = place.root / "agent"
    own.mkdir()
    return Trap(worktree.folder, program, own, place.git)


@pytest.fixture
def canary(place: Any) -> Path:
    return place.root / "canary"


@pytest.mark.parametrize("plant", TRAPS)
def test_control_a_naive_git_runs_the_agents_program(
    plant: Callable[[Trap], list[str]], trap: Trap, canary: Path
) -> None:
    words = plant(trap)
    canary.unlink(missing_ok=True)
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    ours, terminal = pty.openpty()  # without a terminal there is no pager
    try:
        environment = {**os.environ, "TERM": "xterm"}  # without one a pager waits for a key
        shown = {"stdout": terminal, "stderr": terminal}
        subprocess.run(["git", *identity, *words], cwd=trap.folder, env=environment, **shown, timeout=60)
    finally:
        os.close(terminal)
        os.close(ours)
    assert canary.exists()


@pytest.mark.parametrize("plant", TRAPS)
def test_the_hosts_git_runs_nothing_of_the_agents(
    plant: Callable[[Trap], list[str]], trap: Trap, worktree: Worktree, place: Any, canary: Path
) -> None:
    plant(trap)
    canary.unlink(missing_ok=True)
    (trap.folder / "src/app.py").write_text("print('changed')\n")

    after = worktree.snapshot("1.1", at=1).tree
    assert "src/app.py" in [change.path for change in worktree.changes(worktree.base, after)]
    assert "+print('changed')" in worktree.diff(worktree.base, after)
    worktree.numstat(worktree.base, after)
    worktree.checkout(after, place.root / "copy")
    assert (place.root / "copy/src/app.py").read_text() == "print('changed')\n"
    worktree.restore(worktree.base_tree)
    assert (trap.folder / "src/app.py").read_text() == "print('one')\n"
    worktree.restore(after)
    worktree.disposable_git(place.root / "disposable")
    worktree.publish("feat/x", after, "x", at=1)
    worktree.remove()
    assert not canary.exists()


def test_a_git_in_the_workspace_is_not_the_hosts_git(
    trap: Trap, worktree: Worktree, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "rm", "chmod"):
        (trap.folder / name).write_text(trap.program.read_text())
        (trap.folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    monkeypatch.chdir(trap.folder)
    worktree.snapshot("1.1", at=1)
    worktree.restore(worktree.base_tree)
    assert not canary.exists()


def test_settings_of_the_host_take_no_part(
    place: Any, trap: Trap, worktree: Worktree, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even those of the person: a filter they trust would still read what an agent wrote."""
    (place.root / "home/.gitconfig").write_text(
        f"[core]\n\tfsmonitor = {trap.program}\n\tattributesFile = {place.root}/home/attributes\n\tautocrlf = true\n"
        f'[filter "evil"]\n\tclean = {trap.program}; cat\n\tsmudge = {trap.program}; cat\n'
        f"[diff]\n\texternal = {trap.program}\n"
    )
    (place.root / "home/attributes").write_text("* filter=evil\n")
    (trap.folder / ".gitattributes").write_text("* filter=evil\n")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap.program))
    (trap.folder / "crlf.txt").write_bytes(b"a\r\n")
    after = worktree.snapshot("1.1", at=1).tree
    worktree.diff(worktree.base, after)
    worktree.restore(worktree.base_tree)
    worktree.restore(after)
    assert (trap.folder / "crlf.txt").read_bytes() == b"a\r\n"
    assert not canary.exists()
