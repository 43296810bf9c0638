"""UAM: work that passes alone and fails together with what others brought in meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("uam-together")


@pytest.fixture(scope="module")
def told(story: Callable[..., Any]) -> Any:
    return story("uam-together")


def test_C_37_it_is_reconciled_and_nobody_else_is(told: Any) -> None:
    """What fails together is in nobody's way: a TODO that is measured meanwhile passes."""
    assert told.ending["status"] == "done"
    assert [entry.data["todo"] for entry in told.of("reconciliation")] == ["TODO-2"]
    assert told.of("reconciliation")[0].data["reason"].startswith("It passes alone, and fails together")


def test_C_37_its_next_worker_goes_on_with_it_and_with_what_the_others_did(told: Any) -> None:
    assert "It passes alone" in told.prompts["worker-2-r1"]
    assert told.document("tests/test_lines.py").count("def test_") == 1


def test_C_36_its_commit_has_all_of_it_and_the_last_one_documents_alone(told: Any) -> None:
    log = told.git("log", "--format=%x00%s", "--name-only", f"main..{told.row.branch}").split("\0")[1:]
    commits = {each.splitlines()[0]: each.split()[-2:] for each in log}

    assert commits["Format a line"] == ["src/tally/lines.py", "tests/test_lines.py"]
    last = log[0].splitlines()[1:]
    assert [path for path in last if path and not path.startswith("docs/")] == []


def test_C_29_the_state_lists_todos_by_number_whoever_came_in_first(told: Any) -> None:
    changed = json.loads((told.repository / ".uam/state.json").read_text())["changed"]

    assert list(changed) == sorted(changed) and len(changed) > 1


def fork_from_the_first_worker(story: Any) -> None:
    story.auto()
    story.facts["workers"] = sorted(e.data["name"] for e in story.seen("spawn") if "worker" in e.data["name"])
    begun = next(e for e in story.seen("spawn") if "worker" in e.data["name"])
    story.andon("fork", story.row.id, "--from", str(begun.place[1]))


def test_C_29_a_fork_does_again_what_the_first_run_ticked_after_that_step(story: Callable[..., Any]) -> None:
    # Given a run that is done, with every box ticked, and a fork of it from where no box was
    told = story("uam-forked", fork_from_the_first_worker)

    # Then no tick of the first run is taken for a claim of the fork's, and its workers are the same
    assert [e.data["text"] for e in told.of("warning")] == []
    assert sorted(name for name in told.spawned if "worker" in name) == told.facts["workers"]
    assert told.ending["status"] == "done" and told.row.forked_from, told.last.stdout
