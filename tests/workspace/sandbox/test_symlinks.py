"""Symlinks in a workspace, where agents make them: none is followed by whoever sets up a sandbox."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.ports import Command, Confinement, Mount
from andon.processes import run
from andon.workspace.sandbox import BwrapSandbox, LandlockSandbox, setup_failure


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "docs/plan").mkdir(parents=True)
    return folder


def read_only(workspace: Path, **more: Any) -> Confinement:
    return Confinement(folder=str(workspace), **more)


def writable(workspace: Path, **more: Any) -> Confinement:
    return Confinement(folder=str(workspace), writable=(str(workspace),), **more)


@pytest.mark.parametrize("kind", ["writable", "readable", "mount target"])
def test_a_symlink_planted_in_the_workspace_is_not_followed(
    kind: str, bwrap: BwrapSandbox, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (workspace / "planted").symlink_to(tmp_path / "private")
    path = str(workspace / "planted/sub" if kind == "mount target" else workspace / "planted")
    confinement = {
        "writable": read_only(workspace, writable=(path,)),
        "readable": read_only(workspace, readable=(path,)),
        "mount target": writable(workspace, mounts=(Mount(str(workspace / "docs"), path),)),
    }[kind]

    with pytest.raises(EnvironmentProblem, match="symlink"):
        bwrap.confine(Command(("true",), "/"), confinement)
    assert list((tmp_path / "private").iterdir()) == []


@pytest.mark.parametrize("kind", ["writable", "protected", "mount target", "parent"])
def test_a_path_that_became_a_symlink_before_the_start_ends_in_no_start(
    kind: str, bwrap: BwrapSandbox, landlock: LandlockSandbox, workspace: Path, tmp_path: Path
) -> None:
    """What was looked at when the command line was made may have been swapped until it is carried out."""
    (tmp_path / "venv/plan").mkdir(parents=True)
    part, venv = str(workspace / "docs/plan"), str(tmp_path / "venv")
    confinement = {
        "protected": writable(workspace, readable=(part, venv)),
        "mount target": writable(workspace, mounts=(Mount(venv, part),), readable=(venv,)),
    }.get(kind, read_only(workspace, writable=(part,), readable=(venv,)))
    swapped = workspace / ("docs" if kind == "parent" else "docs/plan")
    sandboxes = (bwrap, landlock) if kind in ("writable", "parent") else (bwrap,)

    for sandbox in sandboxes:
        script = ("/bin/sh", "-c", f"echo x > {venv}/new; echo x > {venv}/plan/new; echo started")
        wrapped = sandbox.confine(Command(script, str(workspace)), confinement)
        swapped.rename(workspace / "aside")
        swapped.symlink_to(os.path.relpath(venv, swapped.parent))
        done = run(wrapped.argv, cwd=wrapped.cwd, env=wrapped.env, seconds=30)
        swapped.unlink()
        (workspace / "aside").rename(swapped)

        assert setup_failure(done.code, done.stderr), done
        assert b"started" not in done.stdout
        assert [path.name for path in (tmp_path / "venv").rglob("*")] == ["plan"]
