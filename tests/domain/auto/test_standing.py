"""Where a stopped run stands: what stopped it, what was tried, what is safe and open, and which commands lead on."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import andon.connect
from andon.domain.auto.act import Reason
from andon.domain.auto.findings import FindingKind, OpenFinding, listed
from andon.domain.auto.qa import Exit
from andon.domain.auto.standing import CAUSES, Facts, Standing, standing
from andon.domain.auto.tried import KINDS, LABELS, tried
from andon.domain.auto.ways_on import WHY, Situation
from andon.domain.journal import Entry
from andon.domain.language import Language
from andon.domain.run import Status

ROOM_FOR_WHY = 36
"""Columns beside a command on a terminal of 80."""


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def journal(*told: tuple[str, str, dict[str, Any]]) -> list[Entry]:
    """Entries from (key, kind, data)."""
    return [Entry("r", seq, float(seq), kind, "", data, key) for seq, (key, kind, data) in enumerate(told, 1)]


def result(name: str, text: str = "", outcome: str = "done", tree: str = "", detail: str = "") -> dict[str, Any]:
    return {"name": name, "text": text, "outcome": outcome, "tree": tree, "detail": detail, "usage": {}}


def check(goal: str, verdict: str, *signatures: str) -> dict[str, Any]:
    return {"goal": goal, "verdict": verdict, "signatures": list(signatures), "reason": "why"}


STORY = journal(
    ("1.0.1", "run_started", {"leg": 1, "task": "greet", "tree": "t0"}),
    ("1.3/result", "result", result("planner", "# The plan\nmore", tree="t1")),
    ("1.5/spawn.1", "spawn", {"name": "executor", "writes": ["."]}),
    ("1.5/result", "result", result("executor", "Done.\nAll of it.", tree="t2")),
    ("1.6.1", "spawn", {"name": "qa-runner-1", "writes": []}),
    ("1.7/check", "check", check("lint", "passed")),
    ("1.8/check", "check", check("test", "failed", "test:FAILED a.py::b", "test:FAILED a.py::c")),
    ("1.8.2", "result", result("qa-runner-1", "QA_FAILED: {}", tree="t2")),
    ("1.9/spawn.1", "spawn", {"name": "fixer-1", "writes": ["."]}),
    ("1.9/result", "result", result("fixer-1", outcome="crashed", detail="exit 7", tree="t2")),
    ("1.10.1", "spawn", {"name": "qa-runner-2", "writes": []}),
    ("1.11/check", "check", check("test", "passed")),
    ("1.12/check", "check", check("build", "not_measured")),
    ("1.12.2", "result", result("qa-runner-2", "QA_FAILED: {}", tree="t2")),
    ("1.13.1", "verdict", {"name": "verifier", "verdict": "REJECT", "reason": "\n\nToo slow\nby far"}),
    ("1.14.1", "verdict", {"name": "verifier", "verdict": "APPROVE", "reason": "fine"}),
    ("1.14.2", "promoted", {"before": "LIGHT", "after": "STANDARD", "cause": "build_failed", "count": 2}),
    ("1.15.1", "run_ended", {"status": "failed", "reason": "qa_failed", "message": "It fails.", "spent": {}}),
)


def stands(status: Status, reason: str, entries: list[Entry] = STORY, **more: Any) -> Standing:
    told: dict[str, Any] = {"branch": "feat/greet", "base": "0123456789abcdef", "runtime": "claude", "leg": 1}
    situation = Situation("7b2x9xkk", status, reason, **told | more)
    return standing(Facts(situation, "do", "/data/worktree", worktree_exists=True, evidence=4), entries)


def commands(standing: Standing) -> list[str]:
    return [way.command for way in standing.ways]


def test_what_was_tried_is_counted_and_the_last_time_told_in_a_line() -> None:
    assert [(each.kind, each.count, each.last) for each in tried(STORY)] == [
        ("plans", 1, "planner: The plan"),
        ("implementations", 1, "executor: Done."),
        ("qa_cycles", 2, "build: not measured"),
        ("fixes", 1, "fixer-1: crashed exit 7"),
        ("rejections", 1, "verifier: Too slow"),
        ("promotions", 1, "LIGHT → STANDARD (build failed)"),
    ]


def test_a_qa_cycle_names_the_first_failure_of_each_goal() -> None:
    [_, _, cycles, *_] = tried(STORY[:8])[:3]

    assert cycles.last == "test:FAILED a.py::b"


def test_A_79_of_a_goal_on_a_tree_the_last_word_counts() -> None:
    """What the linter found is told, and told again when it turns out to be the base's."""
    lint = check("lint", "failed", "lint:a.py F401") | {"tree": "t2"}
    other = check("lint", "failed", "lint:b.py F401") | {"tree": "t3"}
    told = journal(
        ("1.6.1", "spawn", {"name": "qa-runner-1", "writes": []}),
        ("1.7/check", "check", lint),
        ("1.8/check", "check_at_base", lint | {"tree": "t0"}),
        ("1.9/check", "check", lint | {"verdict": "passed", "signatures": []}),
        ("1.9.1", "result", result("qa-runner-1", "QA_PASSED: {}", tree="t2")),
        ("1.10.1", "spawn", {"name": "qa-runner-2", "writes": []}),
        ("1.11/check", "check", other),
        ("1.12/check", "check", lint | {"verdict": "passed", "signatures": []}),
        ("1.12.1", "result", result("qa-runner-2", "QA_FAILED: {}", tree="t2")),
    )

    assert [each.last for each in tried(told[:5])] == ["all passed"]
    assert [(each.count, each.last) for each in tried(told)] == [(2, "lint:b.py F401")]


SUMMARY = (
    "Gate 1 Results: 1/2 passed (50%)\n\nFailed tests:\n  - {0}: AssertionError — 1 == 2: no\n\nError categories: x"
)
LOOPS = journal(
    ("1.1.1", "gate", {"gate": 1, "passed": False, "rate": 0.5, "summary": SUMMARY.format("t.py::a")}),
    ("1.2.1", "fix_loop", {"number": 1, "strategy": "fix", "trend": "unclear", "rate": 0.5, "gate": 1}),
    ("1.3.1", "fix_loop_ended", {"number": 1, "changed": ["a.py", "b.py", "c.py"], "given_up": ""}),
    ("1.4.1", "gate", {"gate": 1, "passed": True, "rate": 1.0}),
    ("1.5.1", "gate", {"gate": 2, "passed": False, "rate": 1.0, "summary": "Gate 2 failed:\n  - nobody says why"}),
    ("1.6.1", "fix_loop", {"number": 2, "strategy": "reset", "trend": "unclear", "rate": 1.0, "gate": 2}),
    ("1.7.1", "fix_loop_ended", {"number": 2, "stopped": True}),
    ("2.2.1", "fix_loop", {"number": 2, "strategy": "reset", "trend": "unclear", "rate": 1.0, "gate": 2}),
    ("2.3.1", "fix_loop_ended", {"number": 2, "changed": [], "given_up": "fix-worker: limit"}),
    ("2.4.1", "gate", {"gate": 1, "passed": False, "rate": 0.5, "summary": SUMMARY.format("t.py::b")}),
    ("2.5.1", "fix_loop", {"number": 3, "strategy": "replan", "trend": "diverging", "rate": 0.5, "gate": 1}),
    ("2.6.1", "gate", {"gate": 1, "passed": False, "rate": 0.5, "summary": SUMMARY.format("t.py::c")}),
    ("2.7.1", "fix_loop", {"number": 4, "strategy": "fix", "trend": "unclear", "rate": 0.5, "gate": 1}),
    ("2.8.1", "fix_loop_ended", {"number": 4, "changed": [], "given_up": ""}),
)


def test_C_55_every_fix_loop_is_told_with_its_strategy_what_it_changed_and_what_failed_then() -> None:
    [told] = tried(LOOPS)

    assert (told.kind, told.count, told.last) == ("fix_loops", 5, told.each[-1])
    assert told.each == (
        "1 (fix): changed a.py, b.py and 1 more; then gate 2 failed: nobody says why",
        "2 (new session): broken off, not counted",
        "2 (new session): given up: fix-worker: limit; then gate 1 failed: t.py::b",
        "3 (replan): back to planning; then gate 1 failed: t.py::c",
        "4 (fix): changed nothing",
    )


def test_C_15_every_attempt_at_a_bug_is_told_with_what_failed_then() -> None:
    told = journal(
        ("1.2.1", "attempt", {"number": 1, "passed": False, "summary": SUMMARY.format("t.py::a")}),
        ("1.3.1", "attempt", {"number": 2, "passed": True, "summary": "It passes."}),
    )

    assert [each.each for each in tried(told)] == [("1: t.py::a", "2: passed")]


def test_nothing_tried_is_nothing_told() -> None:
    assert tried(()) == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("planner-2", "plans"),
        ("impl-manager", "implementations"),
        ("impl-backend", "implementations"),
        ("domain-fixer", "fixes"),
        ("iterator", "fixes"),
        ("impl-verifier", None),
        ("doc-analyst", None),
        ("reporter", None),
    ],
)
def test_every_teammate_counts_where_it_belongs(name: str, kind: str | None) -> None:
    found = tried(journal(("1.1/result", "result", result(name, "x"))))

    assert [each.kind for each in found] == ([kind] if kind else [])


ALWAYS = [
    'andon resume 7b2x9xkk --direction "…"',
    "andon take-over 7b2x9xkk",
    "andon fork 7b2x9xkk --from 9",
    "andon close 7b2x9xkk",
]


@pytest.mark.parametrize(
    ("status", "reason", "first"),
    [
        (Status.FAILED, "qa_failed", ["andon evidence list 7b2x9xkk"]),
        (Status.FAILED, "build", ["andon evidence list 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "same_failure", ["andon evidence list 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "reentry_limit", ["andon logs 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "environment", ["andon doctor", "andon resume 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "blocked", ["andon logs 7b2x9xkk", "andon resume 7b2x9xkk"]),
        (Status.FAILED, "bug", ["andon logs 7b2x9xkk --kind bug", "andon resume 7b2x9xkk"]),
        (Status.STOPPED, "stopped", ["andon logs 7b2x9xkk", "andon resume 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "option_credentials", ["andon logs 7b2x9xkk", "andon resume 7b2x9xkk"]),
        (Status.FAILED, "option_unreachable", ["andon logs 7b2x9xkk", "andon resume 7b2x9xkk"]),
        (Status.NEEDS_PERSON, "teammate_unauthenticated", ["andon logs 7b2x9xkk", "andon resume 7b2x9xkk"]),
    ],
)
def test_E_18_every_ending_has_the_ways_on_that_fit_it(status: Status, reason: str, first: list[str]) -> None:
    assert commands(stands(status, reason)) == [*first, *ALWAYS]


def test_what_a_failed_check_printed_is_one_command_away() -> None:
    assert commands(stands(Status.FAILED, "qa_failed", failed_record=6))[0] == "andon evidence show 7b2x9xkk 6"


def test_a_run_that_ends_well_is_looked_at_and_taken() -> None:
    found = stands(Status.DONE, "goal_met")

    assert commands(found) == [
        "git diff 0123456789..feat/greet",
        "git merge feat/greet",
        "andon evidence verify 7b2x9xkk",
    ]
    assert found.as_json()["stopped_by"] is None


def test_an_interrupted_run_goes_on_where_it_was_or_is_ended_first() -> None:
    found = stands(Status.INTERRUPTED, "", [])

    assert [each.split()[1] for each in commands(found)] == ["resume", "stop", "take-over", "close"]
    assert found.cause == "a process that is gone" and "phase do" in found.message


def test_a_closed_run_can_only_be_opened_again() -> None:
    assert commands(stands(Status.CLOSED, "qa_failed")) == ["andon reopen 7b2x9xkk", "andon logs 7b2x9xkk"]


@pytest.mark.parametrize(
    ("budget", "spent", "proposed"),
    [
        ({"tokens": 3000}, {"tokens": 5003, "money": 9.0}, "--budget-tokens 11000"),
        ({"tokens": 3000, "money": 0.5}, {"tokens": 10, "money": 0.6}, "--budget-money 2"),
        ({"tokens": 900_000, "seconds": 60}, {"tokens": 900_000, "seconds": 61.5}, "--budget-tokens 1800000"),
        ({}, {}, "--budget-tokens N"),
    ],
)
def test_a_budget_is_proposed_that_is_enough_to_go_on(
    budget: dict[str, Any], spent: dict[str, Any], proposed: str
) -> None:
    ended = journal(("1.9.1", "run_ended", {"message": "", "spent": spent}))

    assert commands(stands(Status.NEEDS_PERSON, "budget", ended, budget=budget))[0].startswith(
        f"andon resume 7b2x9xkk {proposed}"
    )


def test_a_scripted_agent_that_fails_gets_a_mended_scenario() -> None:
    found = stands(Status.FAILED, "teammate_crashed", runtime="scripted", scenario="/my files/s.yaml")

    assert "andon resume 7b2x9xkk --scenario '/my files/s.yaml'" in commands(found)


def test_without_a_step_that_wrote_code_there_is_nothing_to_fork_from() -> None:
    assert not [each for each in commands(stands(Status.STOPPED, "stopped", STORY[:2])) if " fork " in each]


@pytest.mark.parametrize("kind", ["taken_over", "accepted"])
def test_after_a_persons_work_going_on_measures_it(kind: str) -> None:
    data = {"paths": ["a.txt"], "tree": "t3", "id": "check-1", "by": "ada", "reason": "because"}
    done = [*STORY, Entry("r", 99, 99.0, kind, "", data, f"2.0.{kind}.1")]

    assert "andon resume 7b2x9xkk" in commands(stands(Status.FAILED, "qa_failed", done))
    assert "andon resume 7b2x9xkk" not in commands(stands(Status.FAILED, "qa_failed", STORY))


def test_what_is_safe_is_told_with_the_branch_the_folder_and_the_record() -> None:
    kept = stands(Status.FAILED, "qa_failed")
    committed = [*STORY, *journal(("1.20/commit", "committed", {"commit": "feedc0ffee123", "tree": "t2"}))]

    assert [each.text for each in kept.safe] == [
        "nothing committed to feat/greet; your checkout is as it was",
        "/data/worktree",
        "snapshots kept: 2, signed records of evidence: 4",
    ]
    assert stands(Status.DONE, "goal_met", committed).safe[0].text == "feat/greet, commit feedc0ffee"


def test_files_of_a_teams_unit_are_offered_by_its_title() -> None:
    found = stands(Status.STOPPED, "stopped", areas=("unit-2", "area-1"), titles={"unit-2": "Write the note"})
    why = {way.command: way.why for way in found.ways}

    assert why["andon take-over 7b2x9xkk --area unit-2"] == "the files of Write the note"
    assert why["andon take-over 7b2x9xkk --area area-1"] == "change that area's files yourself"


def test_a_team_that_only_read_has_no_branch_to_look_at() -> None:
    assert commands(stands(Status.DONE, "goal_met", only_read=True)) == ["andon logs 7b2x9xkk"]


def test_B_46_what_members_proposed_and_nobody_settled_is_a_way_on() -> None:
    way = "andon memory decisions --open"

    assert commands(stands(Status.DONE, "goal_met", proposals=2))[-1] == way
    assert way in commands(stands(Status.STOPPED, "stopped", proposals=1))
    assert way not in commands(stands(Status.DONE, "goal_met"))


def safe(status: Status, reason: str, *more: tuple[str, str, dict[str, Any]], folder: bool = True) -> dict[str, str]:
    """What is safe after STORY and more, by its kind."""
    situation = Situation("7b2x9xkk", status, reason, branch="feat/greet", base="0123", leg=1)
    facts = Facts(situation, "act", "/data/worktree", worktree_exists=folder, evidence=4)
    return {each.kind: each.text for each in standing(facts, [*STORY, *journal(*more)]).safe}


REPORTED = ("1.16/file", "file_written", {"path": "docs/04-report/greet.report.md", "tree": "t4"})
COMMITTED = ("1.20/commit", "committed", {"commit": "feedc0ffee123", "tree": "t4"})


def test_G_46_the_report_is_told_with_its_place_when_the_leg_wrote_one() -> None:
    earlier = ("0.16/file", *REPORTED[1:])

    assert safe(Status.FAILED, "qa_failed", REPORTED)["report"] == "/data/worktree/docs/04-report/greet.report.md"
    done = safe(Status.DONE, "goal_met", REPORTED, COMMITTED, folder=False)
    assert done["report"] == "docs/04-report/greet.report.md, on the branch"
    assert "report" not in safe(Status.STOPPED, "stopped", earlier)


def test_what_a_person_accepted_is_part_of_what_came_of_it() -> None:
    told = ("1.0.accepted.check-a", "accepted", {"id": "check-a", "by": "ada", "reason": "known\nsince May"})

    found = safe(Status.DONE, "goal_met", told, COMMITTED, folder=False)

    assert found["accepted"] == "by ada: check-a (known since May)"
    assert "accepted" not in safe(Status.DONE, "goal_met", COMMITTED, folder=False)


def test_G_01_a_dry_run_and_read_mail_do_not_claim_a_branch() -> None:
    dry = safe(Status.DONE, "dry_run", folder=False)
    mail = safe(Status.DONE, "mail_read", folder=False)

    assert dry["branch"] == "a dry run makes none"
    assert dry["files"] == "a dry run changes none; your checkout is as it was"
    assert mail["files"] == "the work folder is removed"


def test_the_same_is_there_for_programs() -> None:
    told = stands(Status.FAILED, "qa_failed").as_json()

    assert told["stopped_by"] == {
        "reason": "qa_failed",
        "cause": "a check that does not hold",
        "message": "It fails.",
    }
    assert told["tried"][0] == {
        "kind": "plans",
        "label": "planned",
        "count": 1,
        "last": "planner: The plan",
        "each": (),
    }
    assert {"command", "why"} == set(told["ways_on"][0])


# --- open findings ------------------------------------------------------------------------------------------------


def test_the_id_of_a_finding_is_short_and_the_same_every_time() -> None:
    one = OpenFinding(FindingKind.DELETED_TEST, "tests/a.py::b", "b is gone")

    assert one.id == OpenFinding(FindingKind.DELETED_TEST, "tests/a.py::b", "in other words").id
    assert one.id.startswith("deleted-test-") and len(one.id) == len("deleted-test-") + 6
    assert one.id != OpenFinding(FindingKind.SCOPE, "tests/a.py::b", "b is gone").id
    assert one.as_data() == {"id": one.id, "kind": "deleted_test", "text": "b is gone"}


def opened(leg: int, id: str) -> tuple[str, str, dict[str, str]]:
    return (f"{leg}.9.{id}", "open_finding", {"id": id, "kind": "check", "text": f"{id} of leg {leg}"})


def test_only_what_the_newest_leg_found_is_open_and_acceptances_stay() -> None:
    accepting = ("2.0.accepted.check-b", "accepted", {"id": "check-b", "by": "ada", "reason": "known"})
    entries = journal(opened(1, "check-a"), opened(1, "check-b"), accepting, opened(2, "check-b"), opened(2, "check-c"))

    found = listed(entries, 2)

    assert [(each.id, each.accepted, each.accepted_by) for each in found] == [
        ("check-b", True, "ada"),
        ("check-c", False, ""),
    ]
    assert [each.id for each in listed(entries, 1)] == ["check-a", "check-b"]


def test_accepting_is_offered_with_the_id_when_there_is_one_and_not_when_all_is_accepted() -> None:
    one, two = [*STORY, *journal(opened(1, "check-a"))], [*STORY, *journal(opened(1, "check-a"), opened(1, "gap-b"))]
    settled = [*one, *journal(("2.0.accepted.check-a", "accepted", {"id": "check-a", "by": "ada", "reason": "known"}))]

    offered = [
        [each for each in commands(stands(Status.FAILED, "qa_failed", entries)) if " accept " in each]
        for entries in (one, two, settled)
    ]

    assert offered == [
        ['andon accept 7b2x9xkk check-a --reason "…"'],
        ['andon accept 7b2x9xkk FINDING --reason "…"'],
        [],
    ]


# --- words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", Language)
def test_everything_is_said_in_both_languages_and_fits_80_columns(language: Language) -> None:
    for name, wording in WHY.items():
        text = getattr(wording, language.value).format(name="impl-manager", count=3)
        assert text and width(text) <= ROOM_FOR_WHY, f"{name}: {text}"
    assert set(LABELS) == set(KINDS)
    assert all(width(getattr(label, language.value)) < 16 for label in LABELS.values())


@pytest.mark.parametrize("reason", [*Reason, *Exit])
def test_every_reason_a_run_can_end_for_is_told_in_words(reason: str) -> None:
    good = {Reason.GOAL_MET, Reason.CRITICAL_FINDINGS, Reason.GAP, Exit.GOAL_MET}

    assert reason in good or str(reason) in CAUSES


OPTION_PROBLEMS = re.findall(
    r"""(?:Problem\(|_failed\(|"problem": )"(\w+)\"""",
    "".join(path.read_text() for path in sorted(Path(andon.connect.__path__[0]).glob("*.py"))),
)


@pytest.mark.parametrize("problem", sorted({*OPTION_PROBLEMS, "empty"}))
def test_A_05_every_way_an_option_fails_is_told_in_words(problem: str) -> None:
    assert stands(Status.FAILED, f"option_{problem}").cause != f"option_{problem}".replace("_", " ")


def test_a_reason_of_another_version_is_told_as_it_is() -> None:
    assert stands(Status.FAILED, "comet_struck").cause == "comet struck"


def test_a_korean_run_is_told_in_korean() -> None:
    found = stands(Status.FAILED, "qa_failed", language=Language.KO)

    told = [found.cause, *(each.label for each in found.tried), *(each.label for each in found.safe)]
    told += [way.why for way in found.ways]
    assert all(any("\uac00" <= letter <= "\ud7a3" for letter in text) for text in told), told
