"""HEAD of a person's repository, looked at and measured without a run: on clean copies, which are gone afterwards.

Nothing is written to the repository. What a look that was killed left behind goes when the next one begins.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from andon.app.checker import ProjectChecker
from andon.app.interrupting import finish
from andon.app.store import Store
from andon.checks.places import places
from andon.checks.project import Project, detect
from andon.checks.reading import read_text, source_files
from andon.domain.auto.proposals import Source
from andon.domain.auto.todos import is_list, may_hold_comments
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult
from andon.ports import Prepared
from andon.workspace.disposable import disposable_git
from andon.workspace.locks import locked
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import checkout

T = TypeVar("T")
GOAL_SECONDS = 600.0
FILES = 5_000
CHARACTERS = 64 * 1024 * 1024
"""Read for to-dos and proposals, at most; a bigger repository is looked at in part, and that is said."""


class Head:
    def __init__(self, store: Store, repository: Repository, checker: ProjectChecker, folder: Path) -> None:
        self._git = GitStore.open(store.home.repositories, repository)
        self._checker = checker
        self._folder = folder
        self._commit = repository.head
        self.tree = self._git.tree_of(repository.head)
        self.read_in_part = False

    @cached_property
    def source(self) -> Path:
        """A copy to read. Nothing runs in it."""
        return self._copy(self._folder / "source")

    @cached_property
    def project(self) -> Project:
        return detect(self.source)

    @property
    def is_prepared(self) -> bool:
        return (self._folder / "environment").exists()

    def goal(self, name: str) -> Goal:
        return next(goal for goal in self._goals if goal.name == name)

    def measure(self, name: str) -> tuple[CheckResult, tuple[str, ...]]:
        """How a goal stands, and each of its failures with its place. Builds what checks run with first, once."""
        goal = self.goal(name)
        if goal.settled is not None:
            return CheckResult(name, goal.settled, goal.reason, tree=self.tree), ()
        prepared, scratch = self._prepared, self._folder / name
        copy = self._copy(scratch / "tree")
        disposable_git(self._git, self._commit, scratch / "git")
        measuring = self._checker.measure(
            goal, self.tree, copy, scratch / "work", prepared, scratch / "git", GOAL_SECONDS
        )
        result, output = self._finish(measuring, scratch / "work")
        return result, places(name, output.decode("utf-8", "replace"), result.signatures, root=str(copy))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The project's own code and to-do lists, by path, as far as they are text."""
        found: dict[str, str] = {}
        size = 0
        for path in filter(_worth_reading, source_files(self.source)):
            if len(found) >= FILES or size >= CHARACTERS:
                self.read_in_part = True
                break
            text = read_text(self.source, path)
            if isinstance(text, str):
                found[path] = text
                size += len(text)
        return found

    def clear(self) -> None:
        """End what still runs in the folder, and remove it."""
        if self._folder.is_dir():
            for work in self._folder.glob("*/work"):
                asyncio.run(self._checker.cancel(work))
            remove_tree(self._folder)

    @cached_property
    def _goals(self) -> tuple[Goal, ...]:
        return self._checker.goals(self.source, None, False)

    @cached_property
    def _prepared(self) -> Prepared:
        scratch = self._folder / "environment"
        (scratch / "work").mkdir(parents=True)
        copy = self._copy(scratch / "tree")
        return self._finish(self._checker.prepare(copy, scratch / "work"), scratch / "work")

    def _copy(self, folder: Path) -> Path:
        folder.parent.mkdir(parents=True, exist_ok=True)
        checkout(self._git, self.tree, folder)
        return folder

    def _finish(self, work: Coroutine[Any, Any, T], scratch: Path) -> T:
        return finish(work, lambda: self._checker.cancel(scratch))


def _worth_reading(path: str) -> bool:
    return is_list(path) or may_hold_comments(path) or Source(path, "").is_code


@contextmanager
def head_of(store: Store, repository: Repository, checker: ProjectChecker) -> Generator[Head]:
    """One look at a time at each repository."""
    digest = hashlib.sha256(os.fsencode(repository.root)).hexdigest()
    folder = store.home.root / "discovery" / digest[:16]
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    head = Head(store, repository, checker, folder)
    with _alone(folder, repository.root):
        head.clear()
        try:
            yield head
        finally:
            head.clear()


@contextmanager
def _alone(folder: Path, root: Path) -> Generator[None]:
    holding = locked(folder, retries=0)
    try:
        holding.__enter__()
    except EnvironmentProblem:
        raise UserError(f"Another `andon auto` is looking at {root}", "Wait for it, or end it.") from None
    try:
        yield
    finally:
        holding.__exit__(None, None, None)
