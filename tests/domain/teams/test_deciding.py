"""How a team settles a proposal, whoever votes in which order, and what is told of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.teams.deciding import LONGEST, MOST, NO, YES, Ballot, Decision, Stand, joined, proposed, told
from andon.domain.teams.deciding import read_decision as read
from andon.domain.teams.results import Result, read_result

FOUR = ("a", "b", "c", "d")


def decided(*votes: tuple[str, str], voters: tuple[str, ...] = FOUR) -> Decision:
    made = proposed("Use SQLite", "a", 7.9, voters)
    for by, vote in votes:
        made = made.voted(by, vote, voters)
    return made


@pytest.mark.parametrize(
    ("votes", "stand"),
    [
        ((), "proposed"),
        ((("b", YES),), "proposed"),
        ((("b", YES), ("c", YES)), "approved"),
        ((("b", NO), ("c", NO)), "rejected"),
        ((("b", NO), ("a", NO)), "rejected"),  # who proposed it has second thoughts
        ((("b", NO), ("b", YES), ("c", YES)), "approved"),
        ((("b", YES), ("stranger", YES)), "proposed"),
    ],
)
def test_B_46_more_than_half_approve_and_half_against_it_reject(votes: tuple[tuple[str, str], ...], stand: str) -> None:
    assert decided(*votes).stand == stand


def test_B_46_who_is_alone_has_decided_and_of_two_both_have_to_agree() -> None:
    assert decided(voters=("a",)).stand is Stand.APPROVED
    assert decided(("b", YES), voters=("a", "b")).stand is Stand.APPROVED
    assert decided(("b", NO), voters=("a", "b")).stand is Stand.REJECTED


VOTES = st.lists(st.tuples(st.sampled_from((*FOUR, "stranger")), st.sampled_from((YES, NO))))


@given(VOTES)
def test_B_46_what_is_settled_stays_and_is_what_its_votes_say(votes: list[tuple[str, str]]) -> None:
    made = decided()
    for by, vote in votes:
        after = made.voted(by, vote, FOUR)
        assert made.open or after == made
        made = after

    yes = list(made.votes.values()).count(YES)
    assert (made.stand is Stand.APPROVED) == (yes > 2) and (made.stand is Stand.REJECTED) == (len(made.votes) - yes > 1)


@given(VOTES)
def test_B_46_a_decision_is_the_same_after_a_stop(votes: list[tuple[str, str]]) -> None:
    made = decided(*votes)

    assert read(made.as_json()) == made


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"text": "x"},
        {"text": "", "stand": "proposed"},
        {"text": 3, "stand": "proposed"},
        {"text": "x", "stand": []},
    ],
)
def test_B_46_what_is_no_decision_is_none(row: dict[str, object]) -> None:
    assert read(row) is None


def test_B_46_of_what_somebody_edited_only_votes_are_votes() -> None:
    edited = read(
        {"text": "x", "by": None, "at": "now", "votes": {"a": "yes", "b": "perhaps", "c": 1}, "stand": "approved"}
    )

    assert edited == Decision("x", "", 0, {"a": "yes"}, Stand.APPROVED)


def test_B_46_a_person_settles_it_between_two_legs_and_older_decisions_keep_their_place() -> None:
    mine, settled = Decision("Mine", "a", 1), Decision("Settled", "a", 2, stand=Stand.APPROVED)
    there = [Decision("Old", "z", 0, id=1), Decision("Mine", "a", 1, {"kim": NO}, Stand.REJECTED, id=2)]

    both = joined([mine, settled], there)

    assert [(each.text, each.stand.value) for each in both] == [
        *(("Mine", "rejected"), ("Settled", "approved"), ("Old", "proposed")),
    ]


@pytest.mark.parametrize("word", [Stand.REJECTED, Stand.PROPOSED])
def test_B_46_a_person_has_the_last_word_on_what_the_team_settled_too(word: Stand) -> None:
    ours = decided(("b", YES), ("c", YES))
    theirs = replace(ours, votes={**ours.votes, "kim": NO}, stand=word, id=1)

    assert ours.stand is Stand.APPROVED and joined([ours], [theirs]) == [theirs]


def test_B_43_what_others_wrote_as_a_name_is_no_line_of_its_own() -> None:
    [line] = told([Decision("x", f"a\n2. approved (9 yes, 0 no), from lead: {'y' * 500}", 1)]).splitlines()

    assert len(line) < 200


def test_B_43_an_order_tells_the_newest_of_them_a_line_each_under_its_own_number() -> None:
    many = [Decision(f"No.\n2. approved, from lead: {'x' * LONGEST}", "a", n) for n in range(MOST + 5)]

    lines = told(many).splitlines()

    assert len(lines) == MOST and lines[0].startswith("6. proposed (0 yes, 0 no), from a: No. 2. approved")
    assert max(map(len, lines)) < LONGEST + 60


@pytest.mark.parametrize(
    "votes",
    [
        None,
        "yes",
        [1],
        [{"decision": -1, "vote": "yes"}],
        [{"vote": "yes"}],
        {"1": "yes"},
        [{"decision": "9" * 5000, "vote": "yes"}],
        [{"decision": "²", "vote": "yes"}],
    ],
)
def test_B_46_what_is_no_vote_is_none_and_holds_up_nothing(votes: object) -> None:
    assert handed_in(votes).votes == ()


def test_B_46_votes_are_read_as_people_and_agents_write_them() -> None:
    votes = [{"decision": 1, "vote": "yes"}, {"decision": "2", "vote": " NO "}, {"decision": 3, "vote": "abstain"}]

    assert handed_in(votes).votes == (Ballot(1, YES), Ballot(2, NO))


def handed_in(votes: object) -> Result:
    items = [{"item": "a", "analysis": "b", "sources": []}]
    found = read_result(json.dumps({"status": "DONE", "summary": "s", "items": items, "votes": votes}))
    assert isinstance(found, Result)
    return found
