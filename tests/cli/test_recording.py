"""`--record` and `--replay`: what a run's agents did, played again without them and with the same outcome."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from andon.app.demo import TASK
from andon.app.queries import list_runs, open_store
from andon.domain.journal import Entry
from andon.domain.order import Usage
from andon.runtimes.scenario import load
from warm import Finished, outside

SAME = "Replayed as recorded"
DIFFERENT = "Not as recorded"
SPENT = {"usage": {"input_tokens": 1000, "output_tokens": 20, "cached_tokens": 300, "money": 0.5}}
WRITING = {"executor": {"do": [{"write": {"path": "a.txt", "text": "good day\n"}}], "reply": "Done.", **SPENT}}


@pytest.fixture
def file(person: Any) -> Path:
    return person.folder / "run.yaml"


def record(person: Any, file: Path, *words: str, env: Mapping[str, str | None] | None = None) -> Finished:
    ran = person.auto("--record", str(file), *words, env=env)
    person.scenario.unlink()
    return ran


def work(person: Any, branch: str) -> str:
    listed = person.git("ls-tree", "-r", branch)
    return "\n".join(line for line in listed.splitlines() if "\tdocs/" not in line)


def spent(journal: list[dict[str, Any]]) -> Usage:
    return sum((Usage(**entry["data"]["usage"]) for entry in journal if entry["kind"] == "result"), Usage())


@pytest.mark.parametrize("replayed", [False, True])
def test_E_02_a_done_run_that_is_recorded_or_replayed_has_no_work_folder_left(
    person: Any, file: Path, replayed: bool
) -> None:
    """What came of it is on the branch: a folder with the files of the base would be shown as the work."""
    ran = record(person, file)
    if replayed:
        ran = person.andon("auto", "--replay", str(file))

    assert ran.code == 0, ran.stdout + ran.stderr
    assert "the work folder is removed; all is on the branch" in " ".join(ran.stdout.split())
    assert not list(person.home.glob("runs/*/worktree"))


def test_E_02_a_standard_run_is_played_again_with_the_same_outcome(
    run_andon: Callable[..., Finished], sample_repository: Path, sample_scenario: Path, andon_home: Path
) -> None:
    """Given the demo's run, with a wrong first implementation and a diagnosis, when its recording is played."""
    words = ("auto", TASK, "--scenario", str(sample_scenario), "--record", "run.yaml")
    recorded = run_andon(*words, cwd=sample_repository, seconds=240)
    replayed = run_andon("auto", "--replay", "run.yaml", "--record", "b.yaml", cwd=sample_repository, seconds=240)

    assert recorded.code == 0, recorded.stdout + recorded.stderr
    assert "Recorded in" in recorded.stdout and "andon auto --replay" in recorded.stdout
    assert replayed.code == 0 and SAME in replayed.stdout, replayed.stdout + replayed.stderr
    store = open_store({**outside(), "ANDON_HOME": str(andon_home)})
    second, first = (store.journal.entries(view.row.id) for view in list_runs(store, 2, None))
    store.engine.dispose()
    assert _told(second) == _told(first)
    once, twice = (load(sample_repository / name) for name in ("run.yaml", "b.yaml"))
    assert twice.rules == once.rules, "what is recorded of a replay is the recording"


def _told(journal: list[Entry]) -> list[tuple[str, str]]:
    """What happened to whom. Sorted: of those who work side by side either may be first. A play learns nothing."""
    keys = ("name", "outcome", "usage", "verdict", "detail")
    happened = [e for e in journal if e.kind not in ("recalled", "remembered")]
    return sorted((e.kind, json.dumps({key: e.data[key] for key in keys if key in e.data})) for e in happened)


def test_E_02_a_replay_needs_nothing_but_the_recording(person: Any, file: Path) -> None:
    person.play(WRITING)
    assert record(person, file).code == 0
    first = person.journal()

    replayed = person.andon("auto", "--replay", str(file))

    assert replayed.code == 0 and SAME in replayed.stdout, replayed.stdout + replayed.stderr
    assert work(person, "feat/greet-2") == work(person, "feat/greet") != work(person, "main")
    assert spent(person.journal()) == spent(first) and spent(first).money == 0.5
    assert load(file).recorded.status == "done"  # type: ignore[union-attr]


def test_E_02_a_recording_in_the_repository_is_no_uncommitted_change(person: Any) -> None:
    record(person, person.repository / "run.yaml")

    replayed = person.andon("auto", "--replay", "run.yaml")
    other = person.andon("auto", "something else")

    assert replayed.code == 0, replayed.stderr
    assert other.code == 3 and "uncommitted changes: run.yaml" in other.stderr


def test_E_02_a_run_that_failed_fails_again(person: Any, file: Path) -> None:
    person.play({"executor": {"do": [{"refuse": {"reason": "I would rather not"}}]}})
    recorded = record(person, file)

    replayed = person.andon("auto", "--replay", str(file))

    assert recorded.code == replayed.code != 0
    assert SAME in replayed.stdout and "I would rather not" in replayed.stdout


def test_A_156_a_crash_is_played_with_its_successor(person: Any, file: Path) -> None:
    crash = {"match": {"name": "executor", "attempt": 1}, "do": [{"crash": {"code": 7}}]}
    rules = json.loads(person.play(WRITING).read_text())
    person.scenario.write_text(json.dumps(rules | {"rules": [crash, *rules["rules"]]}))
    record(person, file)
    failed = [entry["data"]["detail"] for entry in person.journal() if entry["kind"] == "teammate_failed"]

    replayed = person.andon("auto", "--replay", str(file))

    assert replayed.code == 0 and SAME in replayed.stdout, replayed.stdout + replayed.stderr
    again = [entry["data"]["detail"] for entry in person.journal() if entry["kind"] == "teammate_failed"]
    assert failed == again and "exit code 7" in failed[0]


def test_E_25_a_question_is_answered_by_the_recording(person: Any, file: Path) -> None:
    asking = [
        {"ask": {"question": "Which?", "options": ["red", "blue"]}},
        {"write": {"path": "a.txt", "text": "blue\n"}},
    ]
    person.play({"executor": {"do": asking, "reply": "Done."}})
    running = person.start("auto", "greet", "--scenario", str(person.scenario), "--record", str(file))
    [hold] = person.until(person.questions, "a question")
    person.andon("answer", hold.id, "blue")
    assert running.wait(timeout=60) == 0

    replayed = person.andon("auto", "--replay", str(file))

    assert replayed.code == 0 and SAME in replayed.stdout, replayed.stdout + replayed.stderr
    assert [entry["data"]["answer"] for entry in person.journal() if entry["kind"] == "hold_answered"] == ["blue"]


@pytest.mark.parametrize("way", ["killed", "stopped"])
def test_E_02_a_run_that_was_interrupted_goes_on_recording(person: Any, file: Path, way: str) -> None:
    slow = {**WRITING["executor"], "do": [{"sleep": {"seconds": 3}}, *WRITING["executor"]["do"]]}
    person.play({"executor": slow})
    process = person.start("auto", "greet", "--scenario", str(person.scenario), "--record", str(file))
    person.until(lambda: [run for run in person.runs() if run["phase"] == "do"], "phase do")
    if way == "killed":
        process.kill()
        process.wait(timeout=20)
    else:
        assert person.andon("stop").code == 0
        process.wait(timeout=20)
    before = load(file)

    resumed = person.andon("resume")
    replayed = person.andon("auto", "--replay", str(file))

    assert resumed.code == 0, resumed.stdout + resumed.stderr
    assert replayed.code == 0 and SAME in replayed.stdout, replayed.stdout + replayed.stderr
    assert len(load(file).rules) > len(before.rules) > 0


def test_E_28_a_secret_of_the_environment_is_not_recorded_and_the_difference_is_told(person: Any, file: Path) -> None:
    secret = "plum-tart-and-cream"
    leaking = [{"emit": {"event": {"type": "text", "text": f"I know {secret}"}}}]
    leaking += [{"write": {"path": "a.txt", "text": f"good day {secret}\n"}}]
    person.play({"executor": {"do": leaking, "reply": f"Done with {secret}."}})
    recorded = record(person, file, env={"PUDDING_TOKEN": secret})

    replayed = person.andon("auto", "--replay", str(file))

    assert recorded.code == 0 and secret not in file.read_text() and str(person.folder) not in file.read_text()
    assert "[redacted]" in file.read_text()
    assert f"{DIFFERENT}: a.txt: something that looks like a secret" in replayed.stdout
    assert f"{DIFFERENT}: the replay ended in the same way, with other files" in replayed.stdout


def test_E_02_a_replay_on_another_tree_says_so_and_goes_on(person: Any, file: Path) -> None:
    record(person, file)
    (person.repository / "b.txt").write_text("more\n")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "more")

    replayed = person.andon("auto", "--replay", str(file))

    assert replayed.code == 0
    assert "The recording began with another tree" in replayed.stdout and DIFFERENT in replayed.stdout


def test_E_02_a_replay_where_something_cannot_be_served_says_what(person: Any, file: Path) -> None:
    record(person, file)
    text = file.read_text()
    file.write_text(text.replace("name: verifier", "name: nobody"))

    replayed = person.andon("auto", "--replay", str(file))

    assert replayed.code == 2 and "no rule of the scenario" in replayed.stdout
    assert f"{DIFFERENT}: the replay ended as needs_user (teammate_refused)" in replayed.stdout


def test_E_02_a_fork_records_nothing(person: Any, file: Path) -> None:
    person.play(WRITING)
    person.auto("--record", str(file))
    recorded = file.read_bytes()
    [run] = person.runs()

    forked = person.andon("fork", run["id"], "--from", "9")

    assert forked.code == 0, forked.stderr
    assert file.read_bytes() == recorded and "Recorded in" not in forked.stdout


def test_A_05_what_cannot_be_recorded_or_replayed_is_told_before_anything_starts(person: Any, file: Path) -> None:
    shutil.copy(person.scenario, file)
    broken = person.folder / "broken.yaml"
    broken.write_text("scenario: 1\nrecorded: {task: greet}\nrules: [{do: [{hop: {}}]}]\n")
    recording = person.folder / "recording.yaml"
    recording.write_text("scenario: 1\nrecorded: {task: sing}\nrules: [{reply: la}]\n")
    elsewhere = person.folder / "no" / "run.yaml"

    table = {
        (*_scripted(person), "greet", "--record", str(file)): "is there already",
        (*_scripted(person), "greet", "--record", str(elsewhere)): "There is no folder",
        ("greet", "--replay", str(elsewhere)): "cannot be read",
        ("greet", "--replay", str(file)): "was not recorded from a run",
        ("greet", "--replay", str(broken)): "broken.yaml:3: an action has no key `hop`",
        ("greet", "--replay", str(recording)): "The recording is of another task: sing",
        (*_scripted(person), "--replay", str(recording)): "--replay and --scenario exclude each other",
        ("--runtime", "claude", "--replay", str(recording)): "--replay and --runtime exclude each other",
    }

    for words, told in table.items():
        refused = person.andon("auto", *words)
        assert refused.code == 3 and told in refused.stderr, (words, refused.stderr)
        assert len(refused.stderr.strip().splitlines()) > 1 or "cannot be read" in told or "hop" in told
    assert person.runs() == []


def test_A_05_two_runs_that_begin_at_once_do_not_record_into_one_file(person: Any, file: Path) -> None:
    """Given a run of which no order has ended yet, when one on another repository names the same file."""
    person.play({name: {"do": [{"hang": {}}]} for name in ("doc-analyst", "issue-analyst")})
    person.start("auto", "greet", "--scenario", str(person.scenario), "--record", str(file))
    person.until(lambda: [run for run in person.runs() if run["status"] == "running"], "a run")
    person.make_repository(person.folder / "other")

    refused = person.auto("--record", str(file), at=person.folder / "other")

    assert refused.code == 3 and "is there already" in refused.stderr
    assert len(person.runs()) == 1


def test_A_05_a_run_of_which_nothing_can_be_played_leaves_no_file(person: Any, file: Path) -> None:
    person.play({name: {"do": [{"hang": {}}]} for name in ("doc-analyst", "issue-analyst")})
    process = person.start("auto", "greet", "--scenario", str(person.scenario), "--record", str(file))
    person.until(lambda: [run for run in person.runs() if run["status"] == "running"], "a run")
    assert person.andon("stop").code == 0
    process.wait(timeout=20)

    assert not file.exists()


def _scripted(person: Any) -> tuple[str, str]:
    return "--scenario", str(person.scenario)
