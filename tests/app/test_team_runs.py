"""What `andon team run` refuses before anything is begun."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.app.starting import StartOptions
from andon.app.team_runs import Wish, commissioned
from andon.domain.errors import UserError

TEAM = """
team: custom.notes
name: Notes
members: [{name: lead, place: lead, type: general-purpose}]
units: [{id: one, title: One, member: lead}]
"""


def a_file(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("")


def a_link(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path.parent.parent)


@pytest.mark.parametrize("put", [a_file, a_link])
@pytest.mark.parametrize("place", [".team-artifacts", ".team-os/artifacts"])
def test_B_42_what_is_in_the_way_of_the_teams_files_is_said_at_once(
    tmp_path: Path, place: str, put: Callable[[Path], None]
) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True, timeout=60)
    (tmp_path / "team.yaml").write_text(TEAM)
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"]
    commit = ["commit", "--quiet", "--allow-empty", "--message", "The beginning"]
    subprocess.run(["git", "-C", str(tmp_path), *identity, *commit], check=True, timeout=60)
    options, wish = StartOptions((), tmp_path), Wish(tmp_path / "team.yaml")
    assert commissioned(options, wish).request["options"]["folder"] == ".team-artifacts"
    put(tmp_path / place)

    with pytest.raises(UserError) as refused:
        commissioned(options, wish)

    assert place in refused.value.message and refused.value.hint
