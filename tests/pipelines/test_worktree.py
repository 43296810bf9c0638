"""`--worktree`: the work happens at a visible path, everything stays below it, and it is gone when the team is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def look_meanwhile(story: Any) -> None:
    release = story.repository / ".claude/commands/release.md"
    release.parent.mkdir(parents=True)
    release.write_text("How to release.\n")
    (story.repository / ".git/info/exclude").write_text(".claude\n")
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the architect reads", lambda: story.seen("spawn", name="verifier"))
    folder = expected_folder(story)
    story.facts["files"] = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    story.facts["listed"] = listed(story)
    story.facts["readme"] = (folder / "README.md").read_text()
    story.facts["claude"] = [str((folder / ".claude").readlink()), (folder / ".claude/commands/release.md").read_text()]
    story.facts["checkout"] = story.git("status", "--porcelain", "--untracked-files=all")
    story.facts["status"] = story.andon("status", "--json").stdout
    story.finish(process, words)


def listed(story: Any) -> list[str]:
    """Names of the run's worktrees in the git store that andon keeps."""
    places = story.home.glob(f"repositories/*/worktrees/{story.row.id}/*/worktree.json")
    return [place.parent.name for place in places]


def expected_folder(story: Any) -> Path:
    return story.repository.parent / "project-worktrees" / "add-installation-instructions-to-readme"


def test_A_31_the_work_is_at_a_visible_path_on_the_features_branch(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)

    assert told.worktree == expected_folder(told)
    assert "## Installation" in told.facts["readme"]
    assert str(expected_folder(told)) in told.facts["status"]  # andon's own list knows it
    assert told.row.branch == f"feat/{told.row.feature}"
    assert "## Installation" in told.document("README.md")


def test_A_31_the_persons_own_claude_folder_is_linked_to_be_read_where_they_trust_it(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)
    own = told.repository / ".claude"

    [tool] = [tool for tool in told.tools("executor") if "release.md" in tool["target"]]

    assert told.facts["claude"] == [str(own), "How to release.\n"]
    assert tool["ok"]  # read, and not written
    assert ".claude" not in told.git("ls-tree", "--name-only", told.row.branch)
    assert (own / "commands/release.md").read_text() == "How to release.\n"


def test_A_32_everything_written_lies_below_it(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)

    assert f"docs/01-plan/{told.row.feature}.plan.md" in told.facts["files"]
    assert told.facts["checkout"].splitlines() == ["?? docs/.pdca-status.json"]
    assert (told.repository / "README.md").read_text() == "# A project\n\nIt does things.\n"


def test_A_32_an_agent_cannot_leave_it(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)

    [intruding] = [tool for tool in told.tools("executor") if "intruder" in tool["target"]]

    assert not intruding["ok"]


def test_A_33_every_prompt_names_the_path_and_no_plan_outside_of_it(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)
    folder = str(expected_folder(told))

    for spawn in told.of("spawn"):
        if spawn.data["model"]:
            prompt = spawn.data["prompt"]
            assert f"Work only below `{folder}`." in prompt.splitlines()[0]
            assert prompt.count("docs/01-plan/") == prompt.count(f"{folder}/docs/01-plan/")


def test_A_34_it_is_removed_after_the_report_and_before_the_team(story: Callable[..., Any]) -> None:
    told = story("worktree", look_meanwhile)

    [report] = [e.seq for e in told.of("file_written") if "/04-report/" in e.data["path"]]
    [removed], [deleted] = told.of("worktree_removed"), told.of("team_deleted")

    assert report < removed.seq < deleted.seq
    assert not expected_folder(told).parent.exists() or not list(expected_folder(told).parent.iterdir())
    assert told.facts["listed"] == ["main"] and listed(told) == []  # andon's own list has forgotten it
