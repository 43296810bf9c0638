"""Parallel implementers over a stop: what is done stays done, and a person's edit is never overwritten by a merge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def stop_and_edit(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the writers are done", lambda: story.seen("iteration", name="impl-writers"))
    story.until("the readers are at work", (story.worktree.parent / "worktree-readers/tests/readers/go").exists)
    story.andon("stop")
    story.finish(process, words)
    story.facts["areas"] = json.loads(story.andon("take-over", "--print", "--json").stdout)["areas"]
    story.facts["readers"] = story.andon("take-over", "--area", "readers", "--print").stdout.strip()
    story.facts["nobody"] = story.andon("take-over", "--area", "nobody", "--print").stderr
    story.facts["ways"] = [way["command"] for way in json.loads(story.andon("status", "--json").stdout)["ways_on"]]
    (story.worktree / "README.md").write_text("# tally\n\nEdited by a person.\n")
    theirs = story.worktree / "src/agents/teams/readers/half.py"
    theirs.parent.mkdir()
    theirs.write_text('"""Begun by a person."""\n')
    clash = story.andon("resume")
    story.facts["clash"] = [clash.code, clash.stdout]
    story.facts["between"] = (Path(story.facts["readers"]) / "src/agents/teams/readers/half.py").read_text()
    story.facts["ways_then"] = [way["command"] for way in json.loads(story.andon("status", "--json").stdout)["ways_on"]]
    theirs.unlink()
    story.andon("resume")


def test_A_75_A_143_a_stop_in_the_middle_of_parallel_work_keeps_all_of_it(story: Callable[..., Any]) -> None:
    told = story("halted", stop_and_edit)

    assert told.ending["status"] == "done", told.last.stdout
    last = [e.data["name"] for e in told.of("spawn") if e.place[0] == 3]
    assert "impl-readers" in last and "planner-1" not in last and "design-writer" not in last
    [merged, *_] = [e for e in told.of("merged") if e.place[0] == 3]
    assert merged.seq < min(e.seq for e in told.of("spawn", name="impl-readers") if e.place[0] == 3)
    assert "impl-writers" not in last  # who was done before is done after the merge
    assert told.document("README.md") == "# tally\n\nEdited by a person.\n"
    assert "def table(" in told.document("src/agents/teams/writers/__init__.py")
    assert "def read_text(" in told.document("src/agents/teams/readers/__init__.py")


def test_G_27_work_that_does_not_fit_a_persons_edit_is_kept_and_the_person_is_asked(story: Callable[..., Any]) -> None:
    told = story("halted", stop_and_edit)

    [code, said], row = told.facts["clash"], told.row.id
    assert code == 2 and "! the work of readers does not merge: src/agents/teams/readers/half.py" in said
    assert not [e for e in told.of("spawn") if e.place[0] == 2]  # nobody was ordered to do anything
    assert "Half." in told.facts["between"]
    ways = told.facts["ways_then"]
    assert f"andon take-over {row} --area readers" in ways
    assert f"andon take-over {row} --area writers" not in ways  # whose work fitted, and is in the run's files


def test_A_143_G_27_the_folder_of_each_implementer_can_be_taken_over(story: Callable[..., Any]) -> None:
    told = story("halted", stop_and_edit)

    assert told.facts["areas"] == ["readers", "writers"]
    assert told.facts["readers"] == f"{told.row.spec['worktree']}-readers"
    assert "has no area 'nobody'" in told.facts["nobody"] and "readers, writers" in told.facts["nobody"]
    assert {f"andon take-over {told.row.id} --area {name}" for name in ("readers", "writers")} <= set(
        told.facts["ways"]
    )


def test_A_34_A_35_no_worktree_of_a_branch_is_left(story: Callable[..., Any]) -> None:
    told = story("halted", stop_and_edit)

    assert not list(told.worktree.parent.glob("worktree*"))
