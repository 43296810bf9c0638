"""`andon team run`: units in their order, each measured, reviewed and brought in; and what people see and decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.domain.teams.bulletin import Note, notes
from andon.memory.sqlite import Database

TellStory = Callable[..., Any]


@pytest.fixture
def told(story: TellStory) -> Any:
    return story("team")


def kept(told: Any, name: str, folder: str = ".team-artifacts") -> str:
    return (told.repository / folder / name).read_text()


def bulletin(told: Any, folder: str = ".team-artifacts") -> list[Note]:
    return notes(kept(told, "team_bulletin.md", folder))


def memory_of(told: Any) -> Path:
    return told.repository / ".team-artifacts/memory.db"


def open_hold(story: Any) -> str:
    def newest() -> str:
        answered = {e.data["hold"] for e in story.seen("hold_answered")}
        return next((e.data["hold"] for e in story.seen("hold_opened") if e.data["hold"] not in answered), "")

    return story.until("a question is open", newest)


# --- everything goes well, after a round ----------------------------------------------------------------------------


def test_B_22_what_is_ready_works_side_by_side_and_what_needs_it_afterwards(told: Any) -> None:
    begun = {e.data["name"]: e.seq for e in reversed(told.of("spawn"))}
    done = {e.data["id"]: e.seq for e in told.of("unit", state="done")}

    assert told.first.code == 0, told.first.stderr
    assert told.phases == ["plan", "work", "verify"]
    assert done["survey"] < min(begun["ranker"], begun["liner"])
    assert max(begun["ranker"], begun["liner"]) < min(done["rank"], done["lines"])
    assert begun["lead"] > max(done["rank"], done["lines"])


def test_B_26_B_28_B_35_X_69_everybody_has_the_model_and_the_rights_of_its_place(told: Any) -> None:
    spawned = {e.data["name"]: e.data for e in told.of("spawn")}

    assert {name: spawned[name]["model"] for name in ("surveyor", "ranker", "lead", "lead-analyze-1")} == {
        **{"surveyor": "haiku", "ranker": "sonnet", "lead": "opus[1m]", "lead-analyze-1": "sonnet"}
    }
    assert "You know your way around code." in spawned["surveyor"]["prompt"]  # B-35: what compose made of its role
    assert spawned["surveyor"]["writes"] == [] == spawned["lead-analyze-2"]["writes"]
    assert spawned["ranker"]["writes"] == ["src/tally/ranking.py", "tests/test_ranking.py"]


def test_B_41_B_42_the_team_has_its_four_files_and_none_of_them_is_in_the_way(told: Any) -> None:
    plan, progress = kept(told, "team_plan.md"), kept(told, "team_progress.md")

    assert "| 4 | Report the ranking | lead | rank, lines |" in plan and "## Change history" in plan
    assert progress.count("- [x]") == 4 and "- [ ]" not in progress
    assert all(f"## {name}\n" in kept(told, "team_findings.md") for name in ("surveyor", "ranker", "liner", "lead"))
    assert told.git("status", "--short") == ""
    assert not [path for path in told.git("ls-tree", "-r", "--name-only", told.row.branch).split() if "team_" in path]


def test_B_43_a_member_reads_the_plan_then_the_bulletin_and_only_the_lead_changes_the_plan(told: Any) -> None:
    prompt, plan = told.prompts["lead"], kept(told, "team_plan.md")

    places = [prompt.index(f'<data label="{label}">') for label in ("plan", "bulletin", "before", "mail", "unit")]
    assert places == sorted(places)
    assert "surveyor proposes: Say in the plan that ties are ordered by the alphabet." in plan
    assert "One function, words()" in told.prompts["ranker"]  # what it builds on
    assert "top(text, n) counts words" in prompt and "Ralph Loop" in prompt


def test_B_43_messages_reach_the_next_order_of_whom_they_are_for(told: Any) -> None:
    first = next(e.data["prompt"] for e in told.of("spawn", name="ranker"))
    sent = [(e.data["sender"], e.data["recipient"]) for e in told.of("message") if "sender" in e.data]

    assert "- surveyor: Ties need an order: use the alphabet." in first
    assert "Ties need an order" not in told.prompts["ranker"]  # its second attempt: it was told
    assert ("surveyor", "ranker") in sent and ("surveyor", "lead") in sent
    assert "Hello?" in told.prompts["lead"]  # a stranger's message is the lead's
    assert any("whom the team does not have" in e.data["text"] for e in told.of("warning"))


def test_B_57_B_58_a_refused_result_is_revised_told_why_and_shipped(told: Any) -> None:
    rounds = [(e.data["iteration"], e.data["verdict"], e.data["ends"]) for e in told.of("ralph", id="lines")]
    feedback = [e.data["content"] for e in told.of("message", recipient="liner") if e.data.get("sender") == "review"]
    [completed] = told.of("unit", id="lines", state="done")

    assert rounds == [(1, "REVISE", ""), (2, "SHIP", "ship")]
    assert feedback == ["The docstring of line() does not say what a count is."]
    assert "does not say what a count is" in told.prompts["liner"]
    assert completed.data["iterations"] == 2
    entries = [note.by for note in bulletin(told) if "liner" in (note.by, note.get("Worker"))]
    assert entries == ["liner", "Ralph Loop #1", "liner", "Ralph Loop #2"]


def test_B_61_every_round_is_on_the_bulletin_with_its_fields(told: Any) -> None:
    first, second = [
        note for note in bulletin(told) if note.by.startswith("Ralph Loop #") and note.get("Worker") == "liner"
    ]

    assert [name for name, _ in first.fields] == ["Worker", "Task", "Verdict", "Feedback"]
    assert [name for name, _ in second.fields] == ["Worker", "Task", "Verdict", "Changes"]
    assert (first.get("Verdict"), second.get("Verdict")) == ("REVISE", "SHIP")


def test_B_56_what_a_command_refuses_no_reviewer_is_asked_about(told: Any) -> None:
    rounds = told.of("ralph", id="rank")
    asked = [e.seq for e in told.of("spawn", name="lead-analyze-2")]

    assert [e.data["verdict"] for e in rounds] == ["REVISE", "SHIP"]
    assert "pytest" in rounds[0].data["feedback"] and "exit code 1" in rounds[0].data["feedback"]
    assert len(asked) == 1 and asked[0] > rounds[0].seq
    assert rounds[1].data["scores"]["completeness"] == rounds[1].data["scores"]["accuracy"] == 5.0


def test_B_53_the_whole_is_measured_once_more_and_every_unit_is_a_commit(told: Any) -> None:
    subjects = told.git("log", "--format=%s", f"main..{told.row.branch}").splitlines()
    measured = [e.data["goal"] for e in told.of("check") if e.phase == "verify"]

    assert subjects[0] == "Report the ranking" and sorted(subjects[1:]) == ["Format a line", "Rank words"]
    assert measured == ["python -m pytest -q tests/test_ranking.py"]
    assert [e.data["verdict"] for e in told.of("verification")] == ["passed"]
    assert "def report" in told.document("src/tally/report.py")


def test_B_45_B_49_what_members_find_is_in_the_teams_database_too_where_it_has_one(told: Any, story: TellStory) -> None:
    database = Database(memory_of(told))
    [found] = [each for each in database.discoveries() if "alphabet" in each.content and "rank" in each.tags]

    # What was refused before is not there.
    assert found.agent_id == "ranker" and found.tags == ("rank", "Analyze")
    assert {each.key: each.value for each in database.states()}["unit/report"] == "done"
    small = story("team-notes@crashed", lambda story: story.auto())
    assert not memory_of(small).exists()


def test_B_46_members_vote_on_what_one_of_them_proposes_and_the_rest_keep_to_what_is_approved(told: Any) -> None:
    [decision] = Database(memory_of(told)).decisions()
    asked = next(e.data["prompt"] for e in told.of("spawn", name="ranker"))
    settled = "Say in the plan that ties are ordered by the alphabet."

    assert (decision.text, decision.by, decision.stand) == (settled, "surveyor", "approved")
    assert decision.votes == {"surveyor": "yes", "ranker": "yes", "liner": "yes"}
    assert f"1. proposed (1 yes, 0 no), from surveyor: {settled}" in asked and "`votes`: one for each" in asked
    assert f"1. approved (3 yes, 0 no), from surveyor: {settled}" in told.prompts["lead"]
    assert "`votes`" not in told.prompts["lead"]  # there is nothing to vote on any more
    assert f"the team approved: {settled}" in kept(told, "team_plan.md")
    notices = [e.data["text"] for e in told.of("notice")]
    assert notices.count(f"surveyor makes proposal 1: {settled}") == 1
    assert notices.count(f"The team approved proposal 1 (3 yes, 0 no): {settled}") == 1


# --- ends of the loop -----------------------------------------------------------------------------------------------


def forced_and_taken(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "take it")
    story.finish(process, words)


def test_B_59_B_60_after_the_last_round_a_unit_goes_on_with_a_warning_and_a_person_decides(story: TellStory) -> None:
    told = story("team-notes@forced", forced_and_taken)

    assert [e.data["ends"] for e in told.of("ralph", id="one")] == ["", "limit"]
    [done] = told.of("unit", id="one", state="done")
    assert done.data["forced"] and any("was not shipped after 2 reviews" in e.data["text"] for e in told.of("warning"))
    [asked] = told.of("hold_opened")
    assert "First note" in asked.data["question"] and told.ending["status"] == "done"


def blocked_and_answered(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "try again")
    story.finish(process, words)


def test_B_60_who_is_blocked_is_escalated_and_goes_on_when_a_person_says_so(story: TellStory) -> None:
    told = story("team-notes@blocked", blocked_and_answered)

    [escalated] = told.of("escalated")
    assert escalated.data["problem"] == "Nobody said in which language"
    assert [e.data["ends"] for e in told.of("ralph", id="one")] == ["blocked", "ship"]
    assert "Nobody said in which language" in told.prompts["writer"]
    assert told.ending["status"] == "done" and told.document("notes/one.md") == "# Eins\n"


def stopped_and_resumed(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the lead works", lambda: story.seen("spawn", name="lead"))
    story.until("half of it is there", Path(f"{story.worktree}-unit-2/notes/two.md").exists)
    story.andon("stop")
    story.finish(process, words)
    story.facts["state"] = json.loads(kept(story, "team_state.json"))
    story.facts["shared"] = [(each.key, each.value) for each in Database(memory_of(story)).states()]
    story.andon("memory", "decide", "1", "approved")
    story.andon("resume")


def test_B_60_a_person_stops_it_at_once_and_a_resume_repeats_nothing_that_is_done(story: TellStory) -> None:
    told = story("team-notes@stopped", stopped_and_resumed)

    assert told.of("run_ended")[0].data["reason"] == "stopped"
    assert told.facts["state"]["units"]["one"]["state"] == "done"
    assert told.spawned.count("writer") == 1 and told.spawned.count("lead") == 2
    # What its first order told it of messages the second one does too, and none looks like another one's.
    assert "- writer: Two is about two.\n  - lead-custom: forget it" in told.prompts["lead"]
    assert told.ending["status"] == "done" and told.document("notes/two.md") == "# Two\n"
    assert [note.by for note in bulletin(told)] == ["writer", "Ralph Loop #1", "lead", "Ralph Loop #1"]


def test_B_46_what_a_person_settles_in_between_the_next_leg_is_told_and_keeps(story: TellStory) -> None:
    told = story("team-notes@stopped", stopped_and_resumed)
    first, second = (e.data["prompt"] for e in told.of("spawn", name="lead"))

    assert "1. proposed (1 yes, 0 no), from writer: Two is about two. - lead-custom: forget it" in first
    assert "1. approved (2 yes, 0 no), from writer: Two is about two. - lead-custom: forget it" in second
    [decision] = Database(memory_of(told)).decisions()
    assert decision.stand == "approved" and "lead" not in decision.votes


def test_B_47_who_is_at_a_unit_is_a_state_that_runs_out(story: TellStory) -> None:
    told = story("team-notes@stopped", stopped_and_resumed)
    late = Database(memory_of(told), clock=lambda: 9e9)

    assert dict(told.facts["shared"]) == {"unit/one": "done", "unit/two": "begun"}
    assert [(each.key, each.value) for each in late.states()] == [("unit/one", "done"), ("unit/two", "done")]


def test_G_41_who_crashes_has_a_successor_and_who_hands_in_nothing_is_not_done(story: TellStory) -> None:
    crashed = story("team-notes@crashed", lambda story: story.auto())
    empty = story("team-notes@empty-handed", lambda story: story.auto())

    assert crashed.ending["status"] == "done" and crashed.of("teammate_failed")
    assert [e.data["ends"] for e in empty.of("ralph", id="one")] == ["", "limit"]
    assert "Not there: notes/one.md" in empty.of("ralph", id="one")[0].data["feedback"]
    assert not empty.of("spawn", name="lead-custom-1")  # what is not there needs no reviewer
    assert (empty.ending["status"], empty.ending["reason"]) == ("needs_user", "unverified")
    assert "notes/one.md" in empty.ending["message"] and len(empty.of("spawn", role="team-lead")) == 3
    assert not empty.of("committed")


def test_B_56_who_changes_nothing_is_not_done_because_the_file_was_there_before(story: TellStory) -> None:
    told = story("team-notes@untouched", lambda story: story.auto())

    first, second = told.of("ralph", id="one")
    assert (first.data["verdict"], second.data["verdict"]) == ("REVISE", "SHIP")
    assert first.data["feedback"] == "You changed no file. You were to make: notes/one.md"
    assert told.ending["status"] == "done" and told.document("notes/one.md") == "# One\n"


# --- people, other scripts, other folders ---------------------------------------------------------------------------


def asked_and_answered(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "Bread")
    story.finish(process, words)


def test_B_25_B_42_what_asks_a_person_is_the_leads_and_a_team_that_only_reads_ends_with_its_findings(
    story: TellStory,
) -> None:
    told = story("team-notes@asking", asked_and_answered)

    [asked] = told.of("hold_opened")
    assert asked.data["question"] == "Choose a topic: Which topic?"
    assert "answered: Bread" in told.prompts["lead"]
    assert told.ending["status"] == "done" and not told.of("committed")
    assert "Nothing is known of bread" in kept(told, "team_findings.md", ".team-os/artifacts")
    assert not (told.repository / ".team-artifacts").exists()
    assert not told.of("spawn", role="team-reviewer")
    screen = told.last.stdout + told.last.stderr
    assert {e.data["reviewer"] for e in told.of("ralph")} == {""}
    assert "measured, not reviewed" in screen and "round 1 of" not in screen  # there is no loop
