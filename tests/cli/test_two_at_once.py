"""One run per repository, stopping, interrupting and going on, seen from the command line."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

GREETS = {"write": {"path": "a.txt", "text": "good day\n"}}
SLOW = {"executor": {"do": [{"sleep": {"seconds": 50}}], "reply": "Done."}}


@pytest.fixture
def running(person: Any) -> Any:
    """A run whose executor takes its time."""
    person.play(SLOW)
    process = person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until(lambda: _phase(person) == "do", "phase do")
    return process


def _phase(person: Any) -> str:
    found = person.runs()
    return found[0]["phase"] if found else ""


def test_a_second_run_on_a_repository_is_refused(person: Any, running: Any) -> None:
    [run] = person.runs()

    second = person.auto()

    assert second.code == 3
    assert f"Run {run['id']} is already working on this repository" in second.stderr
    assert f"andon watch {run['id']}" in second.stderr and f"andon stop {run['id']}" in second.stderr
    assert len(person.runs()) == 1 and running.poll() is None


def test_after_a_crash_the_refusal_says_how_to_go_on_and_how_to_give_up(person: Any, running: Any) -> None:
    running.kill()
    running.wait(timeout=20)
    [run] = person.runs()

    refused = person.auto()
    more = person.andon("resume", "--budget-tokens", "9")
    stopped = person.andon("stop", "--json")
    person.play(task="greet-2")
    again = person.auto()

    assert run["status"] == "interrupted"
    assert refused.code == 3 and "was interrupted" in refused.stderr
    assert f"andon resume {run['id']}" in refused.stderr and f"andon stop {run['id']}" in refused.stderr
    assert more.code == 3 and "it goes on with the budget it was started with" in more.stderr
    assert stopped.code == 0 and json.loads(stopped.stdout) == {"run": run["id"], "status": "stopped"}
    assert again.code == 0, again.stdout + again.stderr


def test_A_05_A_31_a_run_that_cannot_go_on_after_a_crash_can_still_be_stopped(person: Any, running: Any) -> None:
    """Given a folder that is no longer what andon put there, when it is moved back, the run goes on."""
    running.kill()
    running.wait(timeout=20)
    [run] = person.runs()
    folder, aside = Path(run["worktree"]), person.folder / "aside"
    folder.rename(aside)
    folder.write_text("something else\n")

    refused = person.andon("resume")
    stopped = person.andon("stop", "--json")
    status = json.loads((person.repository / "docs/.pdca-status.json").read_text())["status"]
    still = person.andon("resume")
    folder.unlink()
    aside.rename(folder)
    resumed = person.andon("resume", "--scenario", str(person.play()))

    assert refused.code == still.code == 3 and str(folder) in refused.stderr
    assert stopped.code == 0 and json.loads(stopped.stdout)["status"] == status == "stopped"
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    assert [e["data"]["status"] for e in person.journal() if e["kind"] == "run_ended"] == ["stopped", "done"]


def test_of_two_runs_started_at_the_same_moment_one_is_refused(person: Any) -> None:
    words = ("auto", "greet", "--scenario", str(person.scenario))

    pair = [person.start(*words), person.start(*words)]
    codes = sorted(process.wait(timeout=100) for process in pair)

    assert codes == [0, 3], [(person.folder / f"out-{n}").read_text() for n in (0, 1)]
    assert len(person.runs()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "SIGTERM"])
def test_E_27_a_signal_stops_the_run_with_130_and_says_how_to_go_on(person: Any, running: Any, number: int) -> None:
    [run] = person.runs()

    running.send_signal(number)
    code = running.wait(timeout=60)
    said = (person.folder / "out-0").read_text()

    assert code == 130, said
    assert "STOPPED" in said and f"andon resume {run['id']}" in said
    assert person.runs()[0]["status"] == "stopped"
    assert json.loads((person.repository / "docs/.pdca-status.json").read_text())["status"] == "stopped"


def test_A_03_G_26_stop_from_elsewhere_ends_the_run_with_2(person: Any, running: Any) -> None:
    stopped = person.andon("auto", "stop")
    code = running.wait(timeout=60)
    again = person.andon("stop")

    assert stopped.code == 0 and "stopped" in stopped.stdout and "andon resume" in stopped.stdout
    assert code == 2
    assert again.code == 0 and "had already ended" in again.stdout


def test_A_03_status_and_resume_are_words_of_auto_too(person: Any) -> None:
    person.play(without="executor")
    assert person.auto().code == 2
    status = person.repository / "docs/.pdca-status.json"
    edited = json.loads(status.read_text()) | {"implManagerIteration": 4}
    status.write_text(json.dumps(edited))

    shown = person.andon("auto", "status")
    resumed = person.andon("auto", "resume")

    assert shown.code == 0 and "greet" in shown.stdout and "do, iteration 4, mode LIGHT" in shown.stdout
    assert resumed.code == 2  # the executor is still missing, but it went on
    assert [e["data"]["leg"] for e in person.journal() if e["kind"] == "run_started"] == [1, 2]


def test_a_done_run_is_not_resumed(done: Any) -> None:
    ran = done.andon("resume")

    assert ran.code == 3 and "is done" in ran.stderr and "feat/greet" in ran.stderr


def test_a_question_is_answered_from_another_terminal(person: Any) -> None:
    ask = {"question": "Which greeting?", "options": ["good day", "good night"], "default": "good day"}
    writing = {"write": {"path": "a.txt", "text": "{answer}\n"}}
    person.play({"executor": {"template": True, "do": [{"ask": ask}, writing], "reply": "Done."}})
    process = person.start("auto", "greet", "--scenario", str(person.scenario))
    [asked] = person.until(person.questions, "a question")

    [told] = json.loads(person.andon("answer", "--json").stdout)
    listed = person.andon("answer")
    shown = person.andon("status")
    wrong = person.andon("answer", asked.run, "3")
    right = person.andon("answer", asked.run, "2", "--json")
    late = person.andon("answer", asked.id, "1")
    code = process.wait(timeout=60)

    assert (told["text"], told["options"], told["default"]) == (ask["question"], ask["options"], "good day")
    assert "Which greeting?" in listed.stdout and "1  good day  (default)" in listed.stdout
    assert f"andon answer {asked.id}" in listed.stdout and "Which greeting?" in shown.stdout
    assert wrong.code == 3 and "1 good day; 2 good night" in wrong.stderr
    assert right.code == 0 and json.loads(right.stdout)["answer"] == "good night"
    assert late.code == 3 and "already answered" in late.stderr
    assert code == 0 and person.git("show", "feat/greet:a.txt") == "good night\n"


def test_E_25_a_run_killed_at_a_question_asks_it_again_when_it_is_resumed(person: Any) -> None:
    ask = {"question": "Which greeting?", "options": ["good day", "good night"]}
    person.play({"executor": {"do": [{"ask": ask}, GREETS], "reply": "Done."}})
    killed = person.start("auto", "greet", "--scenario", str(person.scenario))
    [asked] = person.until(person.questions, "a question")
    killed.kill()
    killed.wait(timeout=20)

    resumed = person.start("resume", asked.run)
    shown = person.folder / "out-1"
    person.until(lambda: "Which greeting?" in shown.read_text(), "the question once more")
    person.andon("answer", asked.id, "1")

    assert resumed.wait(timeout=60) == 0
    assert shown.read_text().count("Which greeting?  (good day | good night)") == 1


def test_E_25_what_follows_a_question_asked_again_is_told_as_it_happens(person: Any) -> None:
    """Given that another agent went on after the question, before the kill."""
    first = {"do": [{"ask": {"question": "First?"}}], "reply": "none"}
    person.play(
        {"issue-analyst": first, "executor": {"do": [{"ask": {"question": "Second?"}}, GREETS], "reply": "Done."}}
    )
    scenario = json.loads(person.scenario.read_text())
    scenario["rules"].insert(0, {"match": {"name": "doc-analyst", "call": 1}, "do": [{"sleep": {"seconds": 2}}]})
    [usual] = [rule for rule in scenario["rules"][1:] if rule["match"]["name"] == "doc-analyst"]
    scenario["rules"][0]["reply"] = usual["reply"]
    person.scenario.write_text(json.dumps(scenario))
    killed = person.start("auto", "greet", "--scenario", str(person.scenario))
    [asked] = person.until(person.questions, "a question")
    gone = {"recipient": "doc-analyst"}
    person.until(lambda: [e for e in person.journal() if e["data"] == gone], "the other scout's end")
    killed.kill()
    killed.wait(timeout=20)

    resumed = person.start("resume", asked.run)
    shown = person.folder / "out-1"
    person.until(lambda: "First?" in shown.read_text(), "the question once more")
    person.andon("answer", asked.id, "yes")
    person.until(lambda: "Second?" in shown.read_text(), "the next question")
    person.andon("answer", asked.run, "yes")

    assert resumed.wait(timeout=60) == 0


def test_a_question_of_a_stopped_run_is_nobodys_any_more(person: Any) -> None:
    person.play({"executor": {"do": [{"ask": {"question": "Which?"}}], "reply": "Done."}})
    process = person.start("auto", "greet", "--scenario", str(person.scenario))
    [asked] = person.until(person.questions, "a question")
    empty = person.andon("answer", asked.id)
    assert person.andon("stop").code == 0
    process.wait(timeout=60)

    listed = person.andon("answer")

    assert empty.code == 3 and "has no default" in empty.stderr
    assert listed.stdout == "No open questions.\n"
    assert json.loads(person.andon("status", "--json").stdout)["questions"] == []


def test_E_27_two_interrupts_end_the_process_at_once_and_not_the_leg_that_is_resumed(person: Any, running: Any) -> None:
    # Given a person who presses Ctrl+C again as soon as the first one is heard
    id = person.runs()[0]["id"]
    running.send_signal(signal.SIGINT)
    with person.store() as store:
        person.until(lambda: store.holds.stop_requested(id), "the first interrupt is heard")
    running.send_signal(signal.SIGINT)
    running.wait(timeout=20)
    person.until(lambda: person.runs()[0]["status"] in ("interrupted", "stopped"), "its process is gone")

    # When they go on, with agents who are quicker now
    person.play()
    resumed = person.andon("resume", "--scenario", str(person.scenario))

    # Then the leg that was to stop has ended, and the new one does its work
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    assert person.runs()[0]["status"] == "done"
