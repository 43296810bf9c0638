"""Going on with a team's run: with a larger budget, with what a person did by hand; and what a memory server keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from andon.app.taking_over import take_over
from memory_servers import knowledge_graph

TellStory = Callable[..., Any]


def spent_and_raised(story: Any) -> None:
    story.auto("--budget-tokens", "1000")
    story.facts["state"] = json.loads((story.repository / ".team-artifacts/team_state.json").read_text())
    story.facts["units"] = json.loads(story.andon("status", "--json").stdout)["units"]
    story.facts["screen"] = story.andon("status").stdout
    story.andon("resume", "--budget-tokens", "100000")


def test_E_16_a_budget_that_is_used_up_ends_the_run_and_a_larger_one_goes_on_with_what_is_done(
    story: TellStory,
) -> None:
    told = story("team-notes@spent", spent_and_raised)

    assert [e.data["reason"] for e in told.of("run_ended")] == ["budget", "goal_met"]
    assert told.facts["state"]["units"]["one"]["state"] == "done"
    assert [each["state"] for each in told.facts["units"]] == ["done", "cut short"]
    assert "units     1 of 2 done; cut short: Second note\n" in told.facts["screen"]
    assert told.spawned.count("writer") == 1 and told.document("notes/two.md") == "# Two\n"


def taken_over(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the lead works", lambda: story.seen("spawn", name="lead"))
    story.until("half of it is there", Path(f"{story.worktree}-unit-2/notes/two.md").exists)
    story.andon("stop")
    story.finish(process, words)
    shell = story.bin / "by-hand"
    shell.write_text("#!/bin/sh\necho '# By hand' > notes/two.md\n")
    shell.chmod(0o755)
    take_over(story.store, story.row, story.environment | {"SHELL": str(shell)}, "ada", lambda folder: None, "unit-2")
    story.andon("resume")


def test_B_57_what_a_person_did_in_a_members_folder_is_measured_and_reviewed_and_not_done_again(
    story: TellStory,
) -> None:
    told = story("team-notes@taken-over", taken_over)

    assert told.ending["status"] == "done", told.last.stderr
    assert told.spawned.count("lead") == 1 and told.spawned.count("lead-custom-2") == 1
    assert told.document("notes/two.md") == "# By hand\n"


def with_a_server(story: Any) -> None:
    servers = {"mcpServers": {"memory": knowledge_graph(story.folder)}}
    (story.repository / ".mcp.json").write_text(json.dumps(servers))
    story.git("add", "--all")
    story.git("commit", "--quiet", "--message", "A memory")
    story.auto()
    story.andon("memory", "search", "heading", "--server", "--layer", "mcp", "--json")


def test_B_40_B_48_what_a_team_finds_is_kept_with_the_memory_server_that_a_person_names(story: TellStory) -> None:
    told = story("team-notes@server", with_a_server)

    assert told.first.code == 0, told.first.stderr
    assert not told.of("warning") and not told.of("notice")
    found = json.loads(told.last.stdout)
    assert found["answered"] == ["mcp"] and any("notes/one.md" in each["text"] for each in found["hits"]), found
