"""Programs of the command line: found with their versions, and never one that lies in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from andon.domain.teams.panes import Platform
from andon.teamify.programs import programs


def tool(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)


def test_B_09_G_47_exactly_what_is_there_is_found_with_its_version(tmp_path: Path) -> None:
    tool(tmp_path / "bin", "node", "echo v20.1.0")
    tool(tmp_path / "bin", "gh", "echo 'gh version 2.40.1 (2024)'")

    found = {each.name: each for each in programs({"PATH": str(tmp_path / "bin")}, Platform.LINUX)}

    assert {name: each.version for name, each in found.items() if each.found} == {"node": "20.1.0", "gh": "2.40.1"}
    assert {name for name, each in found.items() if not each.found} >= {"playwright", "marker_single", "tmux", "python"}


@pytest.mark.parametrize("place", ["home/.npm/_npx/4f2a/node_modules/.bin/playwright", "lib/node_modules/playwright"])
def test_B_09_playwright_is_found_through_npx_which_installs_nothing(tmp_path: Path, place: str) -> None:
    tool(tmp_path / "bin", "npx", 'test "$1" = --no-install && echo "Version 1.60.0"')
    (tmp_path / place).mkdir(parents=True)

    environment = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    found = {each.name: each for each in programs(environment, Platform.LINUX)}

    assert found["playwright"].found and found["playwright"].version == "1.60.0"


def test_B_09_npx_is_not_started_for_what_npm_does_not_have(tmp_path: Path) -> None:
    tool(tmp_path / "bin", "npx", f"/usr/bin/touch {tmp_path}/started")

    environment = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    found = {each.name: each for each in programs(environment, Platform.LINUX)}

    assert not found["playwright"].found and not (tmp_path / "started").exists()


def test_B_09_one_that_fails_or_hangs_is_a_row_with_its_problem(tmp_path: Path) -> None:
    tool(tmp_path / "bin", "gh", "exit 3")
    tool(tmp_path / "bin", "node", "exec sleep 60")

    found = {each.name: each for each in programs({"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}, Platform.LINUX)}

    assert found["gh"].problem == "it ended with 3" and "did not answer" in found["node"].problem


def test_B_08_windows_has_no_tmux(tmp_path: Path) -> None:
    assert "tmux" not in [each.name for each in programs({"PATH": ""}, Platform.WINDOWS)]


def test_B_01_what_lies_in_the_repository_is_never_started(tmp_path: Path) -> None:
    tool(tmp_path / "repo" / "node_modules" / ".bin", "gh", f"touch {tmp_path}/started; echo 9.9.9")
    path = f"{tmp_path}/repo/node_modules/.bin:."

    found = {each.name: each for each in programs({"PATH": path}, Platform.LINUX, tmp_path / "repo")}

    assert not found["gh"].found and not (tmp_path / "started").exists()
