"""`andon evidence verify --replay`: what was measured is measured again, and what comes out now is compared."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from typing import Any

import pytest

from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.engine.ledger import Acceptance

MAKEFILE = "test:\n\tgrep -q . a.txt && echo 1 passed\n"
HONEST = ("sh", "-c", "grep -q hello a.txt")
PASSED = CheckResult("test", Verdict.PASSED, command=HONEST, exit_code=0, sandbox="bwrap+limits")
FAILED = replace(PASSED, verdict=Verdict.FAILED, exit_code=2)


@pytest.fixture(scope="module")
def measured(someone: Any) -> Any:
    """A person whose finished run has a test that was really run."""
    person = someone("measured")
    (person.repository / "Makefile").write_text(MAKEFILE)
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "tests")
    ran = person.auto()
    assert ran.code == 0, ran.stdout + ran.stderr
    return person


def recorded(person: Any, result: CheckResult, *commands: tuple[str, ...], key: str) -> int:
    """One more record of the newest run, on the base, signed by andon like any other."""
    [run] = person.runs()
    tree = person.git("rev-parse", "HEAD^{tree}").strip()
    goal = Goal(result.goal, commands) if commands else None
    with person.store() as store:
        return store.ledger.append(run["id"], f"9.{key}", replace(result, tree=tree), goal, at_base=True).seq


def replayed(person: Any, *numbers: int) -> tuple[int, dict[int, dict[str, Any]]]:
    [run] = person.runs()
    ran = person.andon("evidence", "verify", run["id"], "--replay", *map(str, numbers), "--json")
    found = json.loads(ran.stdout)
    assert found["intact"], found
    return ran.code, {each["seq"]: each for each in found["replayed"]}


def test_a_run_that_told_the_truth_replays_the_same(measured: Any) -> None:
    [run] = measured.runs()

    ran = measured.andon("evidence", "verify", run["id"], "--replay")

    assert ran.code == 0, ran.stdout + ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines()[1:] if line[:3].strip().isdigit()]
    assert ["✓", "test", "same"] in [words[1:4] for words in lines]
    assert all(words[1] in "✓-" for words in lines)
    assert "settled without running anything" in ran.stdout
    assert "Record" in ran.stderr and "Record" not in ran.stdout
    assert not (measured.home / "runs" / run["id"] / "replays").exists()


DIFFERENT = {
    "verdict": (("sh", "-c", "exit 1"), PASSED, "verdict passed then, failed now"),
    "exit code": (("sh", "-c", "exit 3"), FAILED, "exit code 2 then, 3 now"),
    "failures": (
        ("sh", "-c", "echo 'FAILED tests/test_a.py::test_one - x'; exit 1"),
        replace(FAILED, exit_code=1, signatures=("tests/test_b.py::test_two",)),
        "no longer fails: tests/test_b.py::test_two",
    ),
}


@pytest.mark.parametrize(("command", "result", "told"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_is_told_and_is_exit_code_1(
    measured: Any, command: tuple[str, ...], result: CheckResult, told: str
) -> None:
    seq = recorded(measured, replace(result, command=command), command, key=told.replace(" ", "-"))

    code, found = replayed(measured, seq)

    assert code == 1 and list(found) == [seq]
    assert found[seq]["outcome"] == "different" and told in found[seq]["reason"], found


def test_all_commands_of_a_goal_are_run_again(measured: Any) -> None:
    """The evidence names the one that decided; the others count as well."""
    seq = recorded(measured, PASSED, HONEST, ("sh", "-c", "exit 1"), key="two")

    code, found = replayed(measured, seq)

    assert code == 1 and "failed now" in found[seq]["reason"]


def test_commands_run_on_the_recorded_tree_and_not_on_what_lies_in_the_checkout(measured: Any) -> None:
    seq = recorded(measured, PASSED, HONEST, key="tree")
    (measured.repository / "a.txt").write_text("something else\n")
    try:
        code, found = replayed(measured, seq)
    finally:
        measured.git("checkout", "--", "a.txt")

    assert (code, found[seq]["outcome"]) == (0, "same"), found


def test_another_environment_and_another_sandbox_are_told_and_no_difference(measured: Any) -> None:
    seq = recorded(measured, replace(PASSED, environment="e" * 64, sandbox="other"), HONEST, key="environment")

    code, found = replayed(measured, seq)

    assert (code, found[seq]["outcome"]) == (0, "same")
    assert any(note.startswith("in another environment: eeeeeeeeeeee then") for note in found[seq]["notes"])
    assert any(note.startswith("in another sandbox: other then") for note in found[seq]["notes"])


def test_what_nobody_ran_is_not_replayed_and_said_so(measured: Any) -> None:
    comparison = recorded(measured, replace(PASSED, verdict=Verdict.NOT_NEEDED), key="comparison")
    unmeasured = replace(PASSED, verdict=Verdict.NOT_MEASURED, reason="stopped at the time limit")
    unmeasured = recorded(measured, unmeasured, HONEST, key="unmeasured")
    [run] = measured.runs()
    tree = measured.git("rev-parse", "HEAD^{tree}").strip()
    with measured.store() as store:
        taken = Acceptance("check-3fa2c1", "lint fails", "ada", "known", tree)
        acceptance = store.ledger.accept(run["id"], "9.accepted", taken).seq

    code, found = replayed(measured, comparison, unmeasured, acceptance)

    assert code == 2
    assert {each["outcome"] for each in found.values()} == {"not replayed"}
    assert "a comparison of two measurements" in found[comparison]["reason"]
    assert "not measured then either: stopped at the time limit" in found[unmeasured]["reason"]
    assert "a person accepted it" in found[acceptance]["reason"]


def test_a_run_with_nothing_to_replay_is_exit_code_2(done: Any) -> None:
    ran = done.andon("evidence", "verify", "--replay")

    assert ran.code == 2
    assert "✓ " in ran.stdout and "not replayed" in ran.stdout


def test_a_repository_that_was_moved_away_is_exit_code_2(measured: Any) -> None:
    [run] = measured.runs()
    away = measured.repository.rename(measured.folder / "away")
    try:
        ran = measured.andon("evidence", "verify", run["id"], "--replay", at=measured.folder)
    finally:
        away.rename(measured.repository)

    assert ran.code == 2, ran.stdout + ran.stderr
    assert "there is no repository at" in ran.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [(("--replay", "999"), "no evidence 999"), (("3",), "add --replay")],
    ids=["a number that is not there", "a number without --replay"],
)
def test_a_number_that_makes_no_sense_is_a_usage_error(measured: Any, words: tuple[str, ...], told: str) -> None:
    [run] = measured.runs()

    ran = measured.andon("evidence", "verify", run["id"], *words)

    assert ran.code == 3 and told in ran.stderr


def test_commands_of_evidence_that_does_not_hold_are_not_run(measured: Any) -> None:
    [run] = measured.runs()
    with sqlite3.connect(measured.home / "andon.db") as database:
        [kept] = database.execute("SELECT sql FROM sqlite_master WHERE name = 'andon_evidence_no_update'").fetchone()
        [row] = database.execute("SELECT digest FROM andon_evidence WHERE seq = 1").fetchone()
        database.execute("DROP TRIGGER andon_evidence_no_update")
        database.execute("UPDATE andon_evidence SET digest = 'x' WHERE seq = 1")
    try:
        ran = measured.andon("evidence", "verify", run["id"], "--replay", "--json")
    finally:
        with sqlite3.connect(measured.home / "andon.db") as database:
            database.execute("UPDATE andon_evidence SET digest = ? WHERE seq = 1", (row,))
            database.execute(kept)

    assert ran.code == 1
    assert json.loads(ran.stdout)["replayed"] == []
