"""A run that stopped: where it stands is shown, and a person directs it, takes it over, accepts, closes, forks it."""

from __future__ import annotations

import getpass
import json
import shutil
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REASON = "It greets nobody in the evening."
REJECTING = {
    "verifier": {"reply": f"VERDICT: REJECT\n{REASON}"},
    "fixer": {"do": [{"write": {"path": "a.txt", "text": "good day!\n"}}], "reply": "Added an exclamation mark."},
}
OBEDIENT = {"executor": {"do": [{"write": {"path": "b.txt", "text": "as told\n"}}], "reply": "As directed."}}
SLEEPING = {"executor": {"do": [{"sleep": {"seconds": 60}}], "reply": "Done."}}


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def of(person: Any, kind: str) -> list[dict[str, Any]]:
    return [entry["data"] for entry in person.journal() if entry["kind"] == kind]


def newest(person: Any) -> str:
    return person.runs()[0]["id"]


def prints_nothing(person: Any) -> None:
    """Give the repository a check that passes, and whose output contains no pattern."""
    (person.repository / "Makefile").write_text("test:\n\t@echo ok\n")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "a check")


@pytest.fixture(scope="module")
def rejected(someone: Callable[[str], Any]) -> Any:
    """A person whose run needs them, because its work was rejected every time. For tests that only look."""
    person = someone("rejected")
    person.play(REJECTING)
    ran = person.auto()
    assert ran.code == 2, ran.stdout + ran.stderr
    return person


@pytest.fixture
def halted(person: Any) -> Any:
    """A person whose run stopped at the executor, for whom the scenario has no rule."""
    person.play(without="executor")
    assert person.auto().code == 2
    return person


# --- where it stands ----------------------------------------------------------------------------------------------


def test_E_18_a_run_that_needs_a_person_says_why_what_was_tried_what_is_safe_and_how_to_go_on(rejected: Any) -> None:
    run = newest(rejected)

    shown = rejected.andon("status").stdout
    told = json.loads(rejected.andon("status", "--json").stdout)

    assert "Stopped by  the limit of returns to Phase 4" in shown and "re-entry limit of 3 reached" in shown
    assert [(each["kind"], each["count"]) for each in told["tried"]] == [
        ("plans", 1),
        ("implementations", 1),
        ("qa_cycles", 3),
        ("fixes", 2),
        ("rejections", 3),
    ]
    assert told["stopped_by"]["reason"] == "reentry_limit"
    assert {each["kind"]: each["text"] for each in told["safe"]}["files"] == told["worktree"]
    assert [each["text"] for each in told["open_findings"]] == [f"the verifier rejects: {REASON}"]
    for way in told["ways_on"]:
        assert way["command"] in shown and run in way["command"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_where_a_run_stands_fits_80_columns(person: Any, terminal: Callable[..., Any], language: str) -> None:
    prints_nothing(person)
    pane = terminal()

    shown = pane.run("auto", "greet", "--custom", "x", "--language", language, "--scenario", str(person.scenario))
    screens = [shown[shown.index("FAILED") :], pane.run("status")]

    assert ("Ways on" if language == "en" else "이어가는 길") in screens[0]
    for screen in screens:
        assert "andon close" in screen and "custom:the output does not" in screen
        assert [line for line in screen.splitlines() if width(line) > 80 and str(person.folder) not in line] == []


def test_an_interrupted_run_stands_too_and_stopping_it_opens_the_other_ways(person: Any) -> None:
    person.play(SLEEPING)
    process = person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until(lambda: person.runs() and [e for e in of(person, "spawn") if e["name"] == "executor"], "the executor")
    process.kill()
    process.wait(timeout=20)

    shown = person.andon("status").stdout
    refused = person.andon("resume", "--direction", "Hurry up")
    folder = person.andon("take-over", "--print")  # ends what is left of it first

    assert "Stopped by  a process that is gone" in shown and "andon stop" in shown
    assert refused.code == 3 and "goes on with the direction it was started with" in refused.stderr
    assert folder.code == 0 and Path(folder.stdout.strip()).is_dir()
    assert person.runs()[0]["status"] == "stopped"


# --- a direction --------------------------------------------------------------------------------------------------


def test_a_direction_goes_to_the_next_agent_that_writes_and_all_counts_start_again(person: Any) -> None:
    person.play(REJECTING)
    person.auto()
    person.play(REJECTING | OBEDIENT)

    ran = person.andon(
        "resume", "--direction", "Keep a.txt as it is\nand write b.txt", "--scenario", str(person.scenario)
    )

    spawned = [each for each in of(person, "spawn") if each.get("directed")]
    assert ran.code == 2 and "» Keep a.txt as it is and write b.txt" in ran.stdout
    assert [each["name"] for each in spawned] == ["executor"]
    prompt = spawned[0]["prompt"]
    assert "Keep a.txt as it is\nand write b.txt" in prompt and "from the person you work for" in prompt
    assert prompt.index("Keep a.txt") < prompt.index("<data")
    assert [(each["text"], each["by"]) for each in of(person, "directed")] == [
        ("Keep a.txt as it is\nand write b.txt", getpass.getuser())
    ]
    # The guard had acted before the direction: with the old counts it would act at once.
    fixes = [e for e in person.journal() if e["kind"] == "spawn" and e["data"]["name"] == "fixer"]
    assert [e["key"].partition(".")[0] for e in fixes] == ["1", "1", "2", "2"]
    assert of(person, "resumed")[0]["phase"] == 3


@pytest.mark.parametrize("direction", ["", "  \n", "x" * 20_001], ids=["empty", "blank", "too long"])
def test_a_direction_that_cannot_be_used_changes_nothing(rejected: Any, direction: str) -> None:
    before = rejected.runs()

    ran = rejected.andon("resume", "--direction", direction)

    assert ran.code == 3 and ran.stderr.startswith("andon: The direction ")
    assert rejected.runs() == before


def test_a_direction_that_nobody_was_told_is_kept_for_the_next_leg(halted: Any) -> None:
    """Given that the directed leg, which starts again at the plan, stops before the planner is asked."""
    status = halted.repository / "docs/.pdca-status.json"
    status.write_text(json.dumps(json.loads(status.read_text()) | {"phaseNumber": 1}))
    halted.play(OBEDIENT, without="doc-analyst")
    first = halted.andon("resume", "--direction", "Write b.txt", "--scenario", str(halted.scenario))
    told_at_first = [each for each in of(halted, "spawn") if each.get("directed")]
    halted.play(OBEDIENT)

    second = halted.andon("resume", "--scenario", str(halted.scenario))

    assert first.code == 2 and told_at_first == []
    assert second.code == 0, second.stdout
    assert [each["name"] for each in of(halted, "spawn") if each.get("directed")] == ["planner"]
    assert len(of(halted, "directed")) == 1
    notes = (halted.repository / ".omc/notepad.md").read_text()
    assert notes == f"- A person's direction: Write b.txt (run {newest(halted)})\n"  # A-29, in both legs and once


# --- taking over --------------------------------------------------------------------------------------------------


def test_a_person_takes_over_in_a_shell_and_what_they_changed_goes_on(
    halted: Any, terminal: Callable[..., Any]
) -> None:
    run = newest(halted)
    pane = terminal()
    pane.type(f"{sys.executable} -m andon take-over {run}")
    pane.wait("goes back")

    pane.type("echo mine >> a.txt; echo new > c.txt; git status --short | tr '\\n' ' '; echo run $ANDON_RUN")
    inside = pane.wait(f"run {run}\n")
    pane.type(f"clear; {sys.executable} -m andon resume; echo then $?")  # in the very shell
    there = pane.wait("then 3\n")
    meanwhile = halted.andon("resume"), halted.andon("close", run, "--yes")
    pane.type("exit")
    left = pane.wait("measures it like an agent's")
    halted.play({"executor": {"reply": "Nothing to do."}})
    resumed = halted.andon("resume", "--scenario", str(halted.scenario))

    assert "M a.txt ?? c.txt ?? docs/" in inside
    assert f"Run {run} is in use" in there
    assert [(each.code, "is in use" in each.stderr) for each in meanwhile] == [(3, True), (3, True)]
    assert "M +1 -0      a.txt" in left and "A +1 -0      c.txt" in left and "2 files changed" in left
    [taken] = of(halted, "taken_over")
    assert (taken["paths"], taken["by"]) == (["a.txt", "c.txt"], getpass.getuser()) and len(taken["tree"]) == 40
    assert resumed.code == 0, resumed.stdout
    assert halted.git("show", "feat/greet:a.txt") == "hello\nmine\n"
    assert halted.git("show", "feat/greet:c.txt") == "new\n"


def test_without_a_terminal_the_folder_is_printed_and_made_again_when_it_is_gone(rejected: Any) -> None:
    worktree = Path(rejected.runs()[0]["worktree"])
    shutil.rmtree(worktree)

    refused = rejected.andon("take-over")
    printed = rejected.andon("take-over", "--print")
    told = rejected.andon("take-over", "--print", "--json")

    assert refused.code == 3 and "--print" in refused.stderr
    assert printed.stdout == f"{worktree}\n" and (worktree / "a.txt").read_text() == "good day!\n"
    assert json.loads(told.stdout) == {"run": newest(rejected), "worktree": str(worktree), "areas": []}


def test_a_run_at_work_or_done_is_not_taken_over_or_closed(person: Any, done: Any) -> None:
    person.play(SLEEPING)
    person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until(lambda: person.runs() and of(person, "spawn"), "somebody at work")
    run = newest(person)

    for words in (("take-over", run, "--print"), ("close", run, "--yes"), ("accept", run, "x", "--reason", "y")):
        ran = person.andon(*words)
        assert ran.code == 3 and f"andon stop {run}" in ran.stderr
    for words in (("take-over", "--print"), ("close", newest(done), "--yes")):
        ran = done.andon(*words)
        assert ran.code == 3 and "is done" in ran.stderr


def test_A_05_A_07_a_pattern_that_nothing_could_print_stops_the_run_before_anybody_works(person: Any) -> None:
    ran = person.auto("--custom", "READY")

    assert ran.code == 2
    assert "--custom cannot be measured: nothing is run whose output could contain 'READY'" in ran.stdout
    assert "executor" not in [e["name"] for e in of(person, "spawn")]


def test_A_07_once_a_person_has_added_what_prints_it_the_run_goes_on(person: Any) -> None:
    person.auto("--custom", "READY")
    folder = Path(person.andon("take-over", "--print").stdout.strip())
    (folder / "Makefile").write_text("test:\n\t@echo READY\n")

    assert person.andon("resume", "--direction", "It is there now").code == 0


# --- accepting ----------------------------------------------------------------------------------------------------


def test_a_finding_is_accepted_with_name_and_reason_and_the_ledger_has_it(person: Any) -> None:
    prints_nothing(person)
    assert person.auto("--custom", "x").code == 1
    run = newest(person)
    [listed] = json.loads(person.andon("accept", run, "--json").stdout)

    unknown = person.andon("accept", run, "chekc", "--reason", "x")
    unreasoned = person.andon("accept", run, listed["id"])
    accepted = person.andon("accept", run, listed["id"], "--reason", "Evenings come later")
    again = person.andon("accept", run, listed["id"], "--reason", "Another one", "--json")
    evidence = person.andon("evidence", "list").stdout
    verified = person.andon("evidence", "verify")

    assert listed["text"].startswith("custom:the output does not contain") and listed["id"].startswith("check-")
    assert unknown.code == 3 and f"Did you mean {listed['id']}?" in unknown.stderr
    assert unreasoned.code == 3 and "--reason" in unreasoned.stderr
    assert accepted.code == 0 and f"`andon resume {run}` goes on" in accepted.stdout
    assert json.loads(again.stdout)["accepted_because"] == "Evenings come later"
    [line] = [line for line in evidence.splitlines() if listed["id"] in line]
    assert "accepted" in line and f"{getpass.getuser()}: Evenings come later" in line
    assert verified.code == 0 and f"1 of them accepted by {getpass.getuser()}, not measured" in verified.stdout
    [told] = of(person, "accepted")
    assert (told["id"], told["reason"], told["by"]) == (listed["id"], "Evenings come later", getpass.getuser())
    # It makes nothing done; the next leg is told.
    assert person.runs()[0]["status"] == "failed"
    resumed = person.andon("resume")
    with person.store() as store:
        assert store.runs.get(run).spec["payload"]["accepted"] == [
            {"id": listed["id"], "reason": "Evenings come later", "by": getpass.getuser()}
        ]
    # Done over a finding is not told like done without one.
    named = f"{listed['id']} (Evenings come later)"
    assert resumed.code == 0 and f"DONE: greet: checked and reported. Accepted by a person: {named}." in resumed.stdout
    assert f"by {getpass.getuser()}: {named}" in " ".join(person.andon("status").stdout.split())
    assert f"\nAndon-Accepted: {named}\n" in person.git("log", "-1", "--format=%B", "feat/greet")
    notes = (person.repository / ".omc/notepad.md").read_text()
    assert notes == f"- Accepted by a person, {listed['id']}: Evenings come later (run {run})\n"


def test_without_a_run_it_is_the_newest_of_this_repository(person: Any) -> None:
    # Given a run that left something open
    prints_nothing(person)
    person.auto("--custom", "x")
    run = newest(person)

    # When nobody says which run is meant, as with `andon stop` and `andon resume`
    [listed] = json.loads(person.andon("accept", "--json").stdout)
    refused = person.andon("accept", listed["id"])
    accepted = person.andon("accept", listed["id"], "--reason", "Evenings come later")

    # Then it is this one
    assert listed["id"].startswith("check-") and not listed["accepted_by"]
    assert refused.code == 3 and "--reason" in refused.stderr
    assert accepted.code == 0 and f"`andon resume {run}` goes on" in accepted.stdout


def test_a_run_that_left_nothing_open_says_so(done: Any) -> None:
    run = newest(done)

    assert done.andon("accept", run).stdout == f"Run {run} left nothing open.\n"
    assert done.andon("accept", run, "--json").stdout == "[]\n"


# --- closing ------------------------------------------------------------------------------------------------------


def test_a_closed_run_is_out_of_the_way_and_can_be_opened_again(halted: Any, terminal: Callable[..., Any]) -> None:
    run, worktree = newest(halted), Path(halted.runs()[0]["worktree"])
    (worktree / "mine.txt").write_text("not to be lost\n")
    status = halted.repository / "docs/.pdca-status.json"

    unasked = halted.andon("close", run)
    pane = terminal()
    pane.type(f"{sys.executable} -m andon close {run}")
    pane.wait("Close it?")
    pane.type("y")
    pane.wait("is closed")
    told = json.loads(status.read_text())["status"]
    refused = halted.andon("resume", run)
    again = halted.andon("close", run, "--json")

    assert unasked.code == 3 and "--yes" in unasked.stderr
    assert not worktree.exists() and sorted(each.name for each in (halted.home / "runs" / run).iterdir()) == [
        "executor.lock",
        "scenario-1.yaml",
    ]
    assert told == "closed" and halted.runs()[0]["status"] == "closed"
    assert refused.code == 3 and f"andon reopen {run}" in refused.stderr
    assert json.loads(again.stdout) == {"run": run, "status": "closed", "removed": []}

    # Opened again it stands as before, with the files as they were, also what nobody had kept yet.
    status.unlink()
    opened = halted.andon("reopen", run)
    halted.play()
    resumed = halted.andon("resume", run, "--scenario", str(halted.scenario))

    assert "is open again: needs you" in opened.stdout
    assert resumed.code == 0, resumed.stdout
    assert halted.git("show", "feat/greet:mine.txt") == "not to be lost\n"
    assert [each["name"] for each in of(halted, "spawn")].count("planner") == 1  # completed phases are not repeated
    assert [entry["kind"] for entry in halted.journal() if entry["kind"] in ("closed", "reopened")] == [
        "closed",
        "reopened",
    ]


# --- forking ------------------------------------------------------------------------------------------------------


def test_a_run_of_several_legs_is_forked_from_a_step_that_the_log_names(halted: Any) -> None:
    run = newest(halted)
    worktree = Path(halted.runs()[0]["worktree"])
    (worktree / "mine.txt").write_text("between the legs\n")
    halted.play(without="verifier")
    halted.andon("resume", run, "--scenario", str(halted.scenario))

    logged = halted.andon("logs", run).stdout
    wrong = [halted.andon("fork", run, "--from", step).stderr for step in ("999", "7.1", "nine", "0")]
    second = next(line.split()[0] for line in logged.splitlines() if "→ verifier" in line and line.split()[0][0] == "2")
    forked = halted.andon("fork", "--from", second)  # without an id it is the newest here

    assert "1.1" not in second and second.startswith("2.")
    assert "steps 1 to" in wrong[0] and "of leg 2, not 999" in wrong[0]
    assert "has no leg 7, only 1, 2" in wrong[1]
    assert "`nine` is no step" in wrong[2] and "andon logs" in wrong[2]
    assert "not 0" in wrong[3]
    new = halted.runs()[0]
    assert forked.stdout.splitlines()[0] == f"Run {new['id']}, forked from {run} at step {second}."
    assert (new["forked_from"], new["branch"]) == (run, "feat/greet-fork")
    assert (Path(new["worktree"]) / "mine.txt").read_text() == "between the legs\n"


def test_A_33_a_fork_of_a_run_with_a_worktree_names_its_own_folder(person: Any) -> None:
    """The plan it shares names the folder of the first run, as prompts did."""
    folder = person.repository.parent / "repository-worktrees/greet"
    plan = f"# Plan\n- `{folder}/a.txt`: it says good day to whoever reads it, in a friendly way\n"
    writes = {"write": {"path": "docs/01-plan/greet.plan.md", "text": plan}}
    person.play({"planner": {"do": [writes], "reply": "Planned."}}, without="executor")
    person.auto("--worktree")
    run = newest(person)
    logged = person.andon("logs", run).stdout.splitlines()

    person.andon("fork", run, "--from", next(line.split()[0] for line in logged if "→ executor" in line))

    new = person.runs()[0]
    prompts = {told["name"]: told["prompt"] for told in of(person, "spawn")}
    assert (new["forked_from"], new["worktree"]) == (run, f"{folder}-fork")
    assert f"Work only below `{folder}`" in prompts["planner"]
    assert f"Work only below `{folder}-fork`" in prompts["executor"] and f"{folder}/" not in prompts["executor"]
    assert (folder / "a.txt").is_file() and (folder.with_name("greet-fork") / "a.txt").is_file()


def test_a_run_that_was_killed_while_it_asked_says_who_goes_on_with_it_and_names_itself_when_it_does(
    person: Any,
) -> None:
    ask = {"ask": {"question": "Which?", "options": ["red", "blue"], "default": "red", "timeout": 600}}
    person.play({"executor": {"do": [ask, {"write": {"path": "a.txt", "text": "good day\n"}}], "reply": "Done."}})
    running = person.start("auto", "greet", "--scenario", str(person.scenario))
    [hold] = person.until(person.questions, "a question")
    running.kill()
    running.wait(timeout=20)

    answered = person.andon("answer", hold.id, "blue")
    resumed = person.andon("resume")

    assert answered.stdout.splitlines()[0] == f"Answered {hold.id}: blue"
    assert f"`andon resume {hold.run}` goes on with it" in " ".join(answered.stdout.split())
    assert resumed.code == 0 and resumed.stdout.splitlines()[0] == f"Run {hold.run} goes on: greet"
