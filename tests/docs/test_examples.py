"""The examples are what andon makes of their workflows, and their teams can work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from andon.app.teams import check
from andon.domain.teams.routing import Place
from andon.domain.teams.team import LEAD

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in (ROOT / "examples").glob("*/workflow.md"))


def test_B_32_teams_and_proposals_of_the_examples_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "tools/examples.py", "--check"], cwd=ROOT, capture_output=True, timeout=60, text=True
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_B_33_every_example_has_what_it_needs_and_a_team_that_can_work(folder: Path) -> None:
    team = check(folder / "team.yaml")

    assert (folder / "README.md").is_file() and (folder / "proposal.md").is_file()
    assert f"]({folder.name})" in (ROOT / "examples" / "README.md").read_text()
    assert sum(member.place is Place.WORKER for member in team.members) >= 3
    assert all(team.reviewer_of(work) for work in team.works), "nobody reviews himself"


def test_S_13_B_21_the_example_of_the_knowledge_manager_has_its_shape() -> None:
    works = {work.id: work for work in check(ROOT / "examples" / "knowledge-manager" / "team.yaml").works}
    three = ("graph-navigator", "retrieval-specialist", "deep-reader")

    [four] = [work for id, work in works.items() if id.startswith("step-4")]
    [asks] = [work for work in works.values() if work.asks]
    assert set(three) <= set(four.after)
    assert not any(each in works[one].after for one in three for each in three) and not any(
        works[e].writes for e in three
    )
    assert asks.id.startswith("step-1") and asks.member == LEAD


def test_B_25_the_example_of_a_migration_gives_each_worker_files_of_its_own() -> None:
    works = {work.id: work for work in check(ROOT / "examples" / "http-client-migration" / "team.yaml").works}

    writes = [set(works[id].writes) for id in ("billing", "catalog", "notify")]

    assert all(writes) and not writes[0] & writes[1] | writes[1] & writes[2] | writes[0] & writes[2]
    assert works["billing"].member == "billing"
