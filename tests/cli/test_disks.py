"""Disks that are full or read-only: the message says so, exit code 4, and once there is room the run goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NEEDED = ("goal_met", "done")


def fill(folder: Path) -> Path:
    """A file that takes all the room there is."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


@pytest.mark.parametrize("size", ["384k", "900k", "1400k"], ids=["at the start", "while planning", "while checking"])
def test_E_13_a_full_data_disk_stops_the_run_and_room_lets_it_go_on(person: Any, disks: Any, size: str) -> None:
    """The engine's tables take 300 kB, a whole run on this repository 1.9 MB: each size is reached somewhere else."""
    person.home = person.folder / "small"
    disks.mount(person.home, size)

    stopped = person.auto()
    disks.change(person.home, "size=100m")
    resumed = person.andon("resume")

    assert stopped.code == 4, stopped.stdout + stopped.stderr
    assert "disk" in stopped.stderr.lower() and "andon resume" in stopped.stderr
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    [run] = person.runs()
    assert (run["reason"], run["status"]) == NEEDED
    assert person.git("show", "feat/greet:a.txt") == "good day\n"


def test_a_disk_that_is_full_before_anything_began_leaves_nothing_to_resume(person: Any, disks: Any) -> None:
    before = person.fingerprint()
    person.home = person.folder / "small"
    disks.mount(person.home, "64k")

    ran = person.auto()

    assert ran.code == 4 and "full" in ran.stderr and "make room" in ran.stderr
    assert person.fingerprint() == before


def test_a_full_repository_disk_stops_the_run_and_room_lets_it_go_on(person: Any, disks: Any) -> None:
    repository = person.repository = person.folder / "on a small disk"
    disks.mount(repository, "1m")
    person.make_repository(repository)
    ballast = fill(repository)

    stopped = person.auto("--allow-dirty")
    ballast.unlink()
    resumed = person.andon("resume")

    assert stopped.code == 4, stopped.stdout + stopped.stderr
    assert "space" in stopped.stderr.lower() or "disk" in stopped.stderr.lower()
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    assert person.git("show", "feat/greet:a.txt") == "good day\n"


def test_a_read_only_data_folder_is_told(person: Any, disks: Any) -> None:
    before = person.fingerprint()
    person.home = person.folder / "small"
    disks.mount(person.home, "10m")
    disks.change(person.home, "ro")

    ran = person.auto()

    assert ran.code == 4
    assert "Read-only file system" in ran.stderr and "ANDON_HOME" in ran.stderr
    assert person.fingerprint() == before


def test_a_read_only_repository_is_told_before_anything_starts(person: Any, disks: Any) -> None:
    before = person.fingerprint()
    disks.bind(person.repository)
    disks.change(person.repository, "bind,ro")

    ran = person.auto()

    assert ran.code == 4
    assert f"Cannot write to {person.repository}" in ran.stderr
    assert person.fingerprint() == before and person.runs() == []


def test_a_repository_that_becomes_read_only_stops_the_run_and_can_go_on(person: Any, disks: Any) -> None:
    person.play({"executor": {"do": [{"run": {"command": "sleep 1; echo good day > a.txt"}}], "reply": "Done."}})
    disks.bind(person.repository)
    running = person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until((person.repository / "docs/.pdca-status.json").exists, "the run's status")
    disks.change(person.repository, "bind,ro")
    code = running.wait(timeout=60)
    said = (person.folder / "out-0").read_text()
    disks.change(person.repository, "bind,rw")

    resumed = person.andon("resume")

    assert code == 4, said
    assert "Read-only" in said and "andon resume" in said
    assert resumed.code == 0, resumed.stdout + resumed.stderr


def test_standard_output_on_a_full_disk_is_told(person: Any) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "andon", "runs", "--json"],
            cwd=person.repository,
            env=person.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )

    assert done.returncode == 4
    assert b"No space left on device" in done.stderr and b"Traceback" not in done.stderr
