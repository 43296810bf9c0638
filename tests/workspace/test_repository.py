"""A person's repository: opened with clear messages, read without leaving a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import EnvironmentProblem, UserError
from andon.workspace.repository import Identity, Repository


def test_opens_from_any_folder_inside(place: Any) -> None:
    repository = Repository.open(place.checkout / "src")
    assert repository.root == place.checkout
    assert repository.git_folder == repository.common_folder == place.checkout / ".git"
    assert repository.head == place.git("rev-parse", "HEAD")
    assert repository.branch == "main"


def test_detached_head_has_no_branch(place: Any) -> None:
    place.git("checkout", "-q", "--detach")
    assert place.repository.branch is None
    assert place.repository.head == place.git("rev-parse", "main")


def test_a_linked_worktree_of_the_person_is_a_repository_too(place: Any) -> None:
    place.git("worktree", "add", "-q", "-b", "side", str(place.root / "side"))
    repository = Repository.open(place.root / "side")
    assert repository.root == place.root / "side"
    assert repository.branch == "side"
    assert repository.common_folder == place.checkout / ".git"


def test_what_cannot_be_opened_says_why_and_what_to_do(place: Any, tmp_path: Path) -> None:
    bare, empty, plain = (tmp_path / name for name in ("bare", "empty", "plain"))
    for folder in (bare, empty, plain):
        folder.mkdir()
    place.git("init", "-q", "--bare", at=bare)
    place.git("init", "-q", at=empty)
    for folder, message in (
        (plain, "not in a git repository"),
        (bare, "bare repository"),
        (place.checkout / ".git", r"inside a \.git folder"),
        (empty, "no commits yet"),
        (tmp_path / "none", "not a folder"),
    ):
        with pytest.raises(UserError, match=message) as raised:
            Repository.open(folder)
        assert raised.value.hint or folder.name == "none"


def test_git_that_is_missing_is_a_problem_of_the_environment(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(place.root / "home"))
    with pytest.raises(EnvironmentProblem, match="git"):
        Repository.open(place.checkout)


def test_variables_of_the_caller_do_not_reach_git(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_COUNT"):
        monkeypatch.setenv(name, "/nowhere")
    assert place.repository.branch == "main"
    assert place.repository.dirty() == []


def test_dirty_names_changed_staged_deleted_and_untracked(place: Any) -> None:
    place.write("src/app.py", "print('two')\n")
    place.write("staged.py", "x")
    place.git("add", "staged.py")
    place.write("새 파일\n둘.md", "x")
    place.write("noise.log", "ignored")
    place.write("docs/.pdca-status.json", "{}")
    (place.checkout / "README.md").unlink()
    found = place.repository.dirty(ignoring=("docs/.pdca-status.json",))
    assert sorted(found) == ["README.md", "src/app.py", "staged.py", "새 파일\n둘.md"]
    assert place.repository.dirty(ignoring=("docs", "src/", "README.md", "staged.py", "새 파일\n둘.md")) == []


def test_looking_changes_nothing_and_runs_no_hook(place: Any) -> None:
    canary = place.root / "canary"
    script = place.root / "script"
    script.write_text(f"#!/bin/sh\ntouch {canary}\n")
    script.chmod(0o755)
    place.git("config", "core.fsmonitor", str(script))
    place.git("config", "core.pager", str(script))
    (place.checkout / "src/app.py").touch()
    index = place.checkout / ".git" / "index"
    before = index.read_bytes()
    place.repository.dirty()
    place.repository.branches()
    assert index.read_bytes() == before
    assert not canary.exists()


def test_branches_revisions_and_identity(place: Any) -> None:
    place.git("branch", "feat/로그인")
    repository = place.repository
    assert repository.branches() == ["feat/로그인", "main"]
    assert repository.resolve("feat/로그인") == repository.head
    with pytest.raises(UserError, match="no commit is called 'nope'"):
        repository.resolve("nope")
    assert repository.identity() is None
    place.git("config", "user.name", "이름")
    place.git("config", "user.email", "kim@example.org")
    assert repository.identity() == Identity("이름", "kim@example.org")
