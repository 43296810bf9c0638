"""`andon team run` where it is easily wrong: second legs, lost reviewers, all rounds, odd names, hostile replies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from andon.domain.language import Language
from andon.domain.teams.bulletin import BULLETIN, HEADS, finding, notes
from andon.domain.teams.routing import Place
from andon.domain.teams.standing import Lane
from andon.domain.teams.team import Member, Team, Work
from andon.domain.teams.units import AgentType
from andon.memory.sqlite import Database
from andon.pipelines.team.course import LEADER, REVIEWER, WORKER, Course
from andon.pipelines.team.jobs import Floor, Job
from andon.pipelines.team.sharing import SHOWN_BULLETIN
from andon.ports import Lanes, Run

TellStory = Callable[..., Any]


def bulletin(told: Any) -> str:
    return (told.repository / ".team-artifacts/team_bulletin.md").read_text()


def open_hold(story: Any) -> str:
    def newest() -> str:
        answered = {e.data["hold"] for e in story.seen("hold_answered")}
        return next((e.data["hold"] for e in story.seen("hold_opened") if e.data["hold"] not in answered), "")

    return story.until("a question is open", newest)


# --- side by side ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("member", "writes", "may"),
    [
        *(("lead", ("docs/a.md",), False), ("lead", (".",), False), ("lead", ("src/",), True), ("lead", (), True)),
        ("writer", (), False),
    ],
)
def test_G_43_nobody_begins_where_another_one_writes_and_a_member_does_one_thing_at_a_time(
    member: str, writes: tuple[str, ...], may: bool
) -> None:
    course = Course(cast("Run", None), Team("t", "T", "", (), (), ()), "f", ".team-artifacts", Language.EN)
    busy = Job(Work("one", "One", "c", "", "writer", writes=("docs/",)), "unit-1", cast("Run", None))
    floor = Floor(course, cast("Lanes", None), {}, {"unit-1": busy})

    assert floor.may_begin(Work("two", "Two", "c", "", member, writes=writes)) is may


def test_B_25_members_have_the_servers_that_a_person_allows_and_reviewers_none() -> None:
    member = Member("keeper", Place.CATEGORY_LEAD, "sonnet", AgentType.GENERAL, mcp=("obsidian", "drawio"))
    team = Team("t", "T", "", (), (member,), ())
    allowed = frozenset({"obsidian"})
    course = Course(cast("Run", None), team, "f", ".team-artifacts", Language.EN, servers=allowed)

    assert course.assignment(WORKER, member, "unit").servers == ("obsidian",)
    assert course.assignment(REVIEWER, member, "review").servers == ()


def test_B_43_nobody_who_writes_may_change_what_the_team_shares() -> None:
    member = Member("keeper", Place.LEAD, "opus", AgentType.GENERAL)
    course = Course(cast("Run", None), Team("t", "T", "", (), (member,), ()), "f", ".team-os/artifacts", Language.EN)

    assert course.assignment(LEADER, member, "unit", writes=(".",)).keeps == (".team-os/artifacts",)


# --- undone ----------------------------------------------------------------------------------------------------------


def test_B_59_a_team_whose_work_was_taken_back_is_not_done(story: TellStory) -> None:
    told = story("team-notes@undone", lambda story: story.auto())

    assert (told.ending["status"], told.ending["reason"]) == ("needs_user", "unverified"), told.last.stdout
    assert "nothing was changed" in told.ending["message"]
    assert not told.git("branch", "--list", "feat/*")


# --- second legs -----------------------------------------------------------------------------------------------------


def test_B_60_what_an_earlier_leg_left_of_a_unit_is_kept_until_its_turn() -> None:
    team = Team("t", "T", "", (), (), ())
    course = Course(cast("Run", None), team, "f", ".team-artifacts", Language.EN)
    lane = Lane("unit-3", "a" * 40, "b" * 40, 2, True, None, "Name the sources")
    floor = Floor(course, cast("Lanes", None), {lane.name: lane})

    floor.remember()

    assert course.standing().lanes == (lane,)


def stopped_in_the_second_attempt(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.until("the second attempt", lambda: len(story.seen("spawn", name="writer")) == 2)
    half = Path(f"{story.worktree}-unit-1/notes/one.md")
    story.until("half of it is there", lambda: half.exists() and half.read_text() == "# Half\n")
    story.andon("stop")
    story.finish(process, words)
    database = Database(story.repository / ".team-artifacts/memory.db")
    story.facts["states"] = {each.key: (each.value, each.timestamp) for each in database.states()}
    story.andon("resume")


def test_B_47_whoever_begins_once_more_has_as_long_as_at_the_first_time(story: TellStory) -> None:
    told = story("team-notes@revised-and-stopped", stopped_in_the_second_attempt)
    (state, since), refused = told.facts["states"]["unit/one"], told.of("ralph", id="one")[0]

    assert state == "begun" and since >= int(refused.at)


def test_B_58_who_is_stopped_while_it_mends_is_told_again_what_is_wrong(story: TellStory) -> None:
    told = story("team-notes@revised-and-stopped", stopped_in_the_second_attempt)

    assert told.spawned.count("writer") == 3
    assert "came back: this is attempt 2" in told.prompts["writer"] and "Say what one is." in told.prompts["writer"]
    assert [e.data["iteration"] for e in told.of("ralph", id="one")] == [1, 2]
    assert told.ending["status"] == "done" and told.document("notes/one.md") == "# One\n"


def resumed(story: Any) -> None:
    story.auto()
    story.andon("resume")


def test_G_41_when_a_reviewer_is_lost_what_it_should_review_is_not_done_again(story: TellStory) -> None:
    told = story("team-notes@reviewer-lost", resumed)

    first, last = told.of("run_ended")
    assert (first.data["reason"], last.data["status"]) == ("units_left", "done")
    assert told.spawned.count("writer") == 1 and told.document("notes/one.md") == "# One\n"
    assert [e.data["verdict"] for e in told.of("ralph", id="one")] == ["SHIP"]


def refused_and_directed(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "do not take it")
    story.finish(process, words)
    story.andon("resume", "--direction", "Write more of one.")


def test_B_59_what_a_person_does_not_take_is_done_again_as_they_direct(story: TellStory) -> None:
    told = story("team-notes@not-taken", refused_and_directed)

    assert [e.data["reason"] for e in told.of("run_ended")] == ["rejected", "goal_met"]
    assert told.spawned.count("writer") == 3 and told.spawned.count("lead") == 1
    assert "Write more of one." in told.prompts["writer"]
    assert not [name for name in told.spawned if "mend" in name]  # who had to be told was told
    assert told.document("notes/one.md") == "# One, and more\n"


def test_B_43_B_46_what_was_proposed_is_told_in_the_next_leg_where_there_is_no_database_too(story: TellStory) -> None:
    told = story("team-notes@not-taken", refused_and_directed)

    assert not (told.repository / ".team-artifacts/memory.db").exists()
    assert "1. proposed (1 yes, 0 no), from writer: Two is enough." in told.prompts["writer"]


def directed_when_all_is_done(story: Any) -> None:
    story.auto()
    story.andon("resume", "--direction", "Put the first note back.")


def test_B_59_where_every_unit_is_done_the_lead_is_told_what_a_person_directs(story: TellStory) -> None:
    told = story("team-notes@taken-away", directed_when_all_is_done)

    assert [e.data["reason"] for e in told.of("run_ended")] == ["unverified", "goal_met"]
    assert [name for name in told.spawned if "lead" in name] == [
        *("lead", "lead-mend-1", "lead-mend-2", "lead-mend-direction"),
    ]
    assert "Put the first note back." in told.prompts["lead-mend-direction"]
    assert told.document("notes/one.md") == "# One again\n"


def answered_and_stopped(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "Bread")
    story.until("the lead works", lambda: story.seen("spawn", name="lead"))
    story.andon("stop")
    story.finish(process, words)
    story.andon("resume")


def test_B_25_what_a_person_answered_is_not_asked_again_after_a_stop(story: TellStory) -> None:
    told = story("team-notes@asked-and-stopped", answered_and_stopped)

    assert told.spawned.count("lead") == 2 and len(told.of("hold_opened")) == 1
    assert "answered: Bread" in told.prompts["lead"] and told.ending["status"] == "done"


def answered_with_stop(story: Any) -> None:
    words = story.auto_words()
    process = story.begin(*words)
    story.andon("answer", open_hold(story), "stop")
    story.finish(process, words)
    process = story.begin("resume")
    story.andon("answer", open_hold(story), "try again")
    story.finish(process, ("resume",))


def test_B_60_who_answers_stop_loses_nothing_of_what_others_are_at(story: TellStory) -> None:
    told = story("team-notes@stop-answered", answered_with_stop)

    assert [e.data["reason"] for e in told.of("run_ended")] == ["blocked", "goal_met"]
    assert told.spawned.count("slow") == 1 and told.spawned.count("writer") == 2
    assert told.document("notes/two.md") == "# Two\n"


def plainly(story: Any) -> None:
    story.auto()


# --- odd and hostile --------------------------------------------------------------------------------------------------


@pytest.fixture
def odd(story: TellStory) -> Any:
    return story("team-notes@odd", plainly)


def test_B_55_all_rounds_are_used_where_the_team_says_so_and_nothing_came_back(odd: Any) -> None:
    first, last = [e.data for e in odd.of("ralph") if e.data["id"] == "../../one|\"'"]

    assert (first["verdict"], first["ends"], last["ends"]) == ("SHIP", "", "ship")
    assert "make it better where it is weakest" in next(
        prompt for name, prompt in odd.prompts.items() if name.startswith("글쓴이")
    )
    assert not [e for e in odd.of("remembered") if any("came back" in text for text in e.data["lessons"])]


def test_B_44_odd_names_and_a_hostile_reply_end_well_and_forge_nothing(odd: Any) -> None:
    assert odd.ending["status"] == "done", odd.ending
    entries = notes(bulletin(odd))
    assert {note.by.partition(" ")[0] for note in entries} == {"글쓴이", "Lead", "Ralph"}
    assert [note.get("Verdict") for note in entries if not note.by.startswith("Ralph Loop #")] == [""] * 4
    assert odd.git("log", "--format=%s", f"main..{odd.row.branch}").splitlines() == ['First note | "한글"']
    assert "- Lead: To myself" in odd.prompts["Lead"]


# --- proposals ------------------------------------------------------------------------------------------------------


OLD = [finding("then", "somebody", f"Task {number}", f"Found {number}") for number in range(400)]


def after_many_others(story: Any) -> None:
    """A bulletin of earlier runs is in the checkout."""
    (story.repository / ".team-artifacts").mkdir()
    file = story.repository / ".team-artifacts/team_bulletin.md"
    file.write_text(HEADS[BULLETIN] + "".join(each.text() for each in OLD))
    story.auto()


def test_B_43_of_a_long_bulletin_the_newest_entries_are_told_and_none_is_lost(story: TellStory) -> None:
    told = story("team-notes@said-again", after_many_others)
    shown = told.prompts["writer"].split('<data label="bulletin">\n')[1].split("</data>")[0]

    assert len(shown) <= SHOWN_BULLETIN and shown.startswith("## [then] - somebody\n**Task**: Task 3")
    assert [note.by for note in notes(shown)][-1] == "Ralph Loop #1" and "Task 299\n" not in shown
    assert notes(bulletin(told))[:400] == OLD


def test_B_46_a_proposal_that_is_settled_is_not_made_anew_by_saying_it_again(story: TellStory) -> None:
    told = story("team-notes@said-again", after_many_others)

    assert [e.data["verdict"] for e in told.of("ralph", id="one")] == ["REVISE", "SHIP"]
    assert [e.data["content"] for e in told.of("message", recipient="lead", sender="writer")] == ["One is enough."] * 2
    [decision] = Database(told.repository / ".team-artifacts/memory.db").decisions()
    assert (decision.text, decision.stand) == ("One is enough.", "approved")
    plan = (told.repository / ".team-artifacts/team_plan.md").read_text()
    assert plan.count("writer proposes: One is enough.") == 1 and plan.count("the team approved") == 1
