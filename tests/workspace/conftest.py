"""A person's repository, a data folder of andon's, and git as a person would call it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from andon.workspace.repository import Repository
from andon.workspace.store import Store
from andon.workspace.worktree import Worktree


@dataclass(frozen=True)
class Place:
    """Everything one test needs, in one temporary folder."""

    root: Path

    @property
    def checkout(self) -> Path:
        return self.root / "checkout"

    def git(self, *words: str, at: Path | None = None) -> str:
        folder = at or self.checkout
        identity = ("-c", "user.name=Kim", "-c", "user.email=kim@example.org", "-c", "protocol.file.allow=always")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *identity, *words], cwd=folder, env=environment, capture_output=True, timeout=60, check=True
        )
        return os.fsdecode(done.stdout).strip()

    def write(self, path: str, content: str | bytes) -> Path:
        target = self.checkout / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    @property
    def repository(self) -> Repository:
        return Repository.open(self.checkout)

    @property
    def store(self) -> Store:
        return Store.open(self.root / "data", self.repository)

    def worktree(self, run: str = "r1", name: str = "main", excluded: tuple[str, ...] = ()) -> Worktree:
        folder = self.root / f"{run}-{name}"
        return Worktree.create(
            self.store, run=run, name=name, folder=folder, base=self.repository.head, excluded=excluded
        )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A repository with one commit, for a person who told git nothing about themselves."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    made = Place(tmp_path)
    made.checkout.mkdir()
    made.git("init", "-q", "-b", "main")
    made.write("README.md", "hello\n")
    made.write("src/app.py", "print('one')\n")
    made.write(".gitignore", "*.log\nbuild/\n")
    made.commit("first")
    return made


@pytest.fixture
def content() -> Callable[[Path], dict[str, tuple[str, bytes]]]:
    return lambda folder: dict(_content(folder))


def _content(folder: Path) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """Path → (kind, bytes) of everything but the .git at the top."""
    for path in sorted(folder.rglob("*")):
        relative = str(path.relative_to(folder))
        if relative.split("/")[0] == ".git" or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink():
            yield relative, ("link", os.fsencode(path.readlink()))
        else:
            yield relative, ("program" if path.stat().st_mode & 0o100 else "file", path.read_bytes())
