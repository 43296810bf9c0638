"""When a measurement may go on where it was, and when it starts over on a new copy."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.processes.attempts import in_progress, lost

ENDED = '{"kind": "exit", "version": 1, "reason": "%s", "code": 0}'


def begun(work: Path, number: str, reason: str = "") -> None:
    folder = work / number
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (folder / "starts").write_text("1 1.0\n")
    if reason:
        (folder / "exit.json").write_text(ENDED % reason)


def test_E_13_what_has_finished_is_read(tmp_path: Path) -> None:
    begun(tmp_path, "1", "exited")
    assert in_progress(tmp_path)


def test_E_13_what_still_runs_is_attached_to(tmp_path: Path) -> None:
    begun(tmp_path, "1", "exited")
    begun(tmp_path, "2")
    held = os.open(tmp_path / "2/lock", os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert in_progress(tmp_path)
    os.close(held)


@pytest.mark.parametrize("how", ["", "lease", "cancelled", "lost"])
def test_E_13_a_second_command_cut_short_starts_the_goal_over(tmp_path: Path, how: str) -> None:
    begun(tmp_path, "1", "exited")
    begun(tmp_path, "2", how)
    assert not in_progress(tmp_path)


def test_E_13_a_lost_command_is_measured_again(tmp_path: Path) -> None:
    begun(tmp_path, "1", "exited")
    assert not lost(tmp_path)
    begun(tmp_path, "2", "lost")
    assert lost(tmp_path)


@pytest.mark.parametrize("plant", [lambda work: begun(work / "1-scratch", "x"), lambda work: begun(work, "rooms")])
def test_E_27_folders_that_are_not_numbered_are_nobodys_record(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    plant(tmp_path)
    assert not in_progress(tmp_path)
