"""Bare `andon auto` at the command line: what it says, when it starts something, and when it does not."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon import processes
from andon.app.queries import open_store
from andon.app.store import Store
from andon.domain.feature import feature_name

TASK = "Do this open to-do, and tick it off or remove it where it stands: TODO.md:1: Greet people"


def with_todo(person: Any) -> None:
    (person.repository / "TODO.md").write_text("- [ ] Greet people\n")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "a to-do")
    person.play(task=feature_name(TASK))


def test_A_03_A_150_without_a_person_it_says_tier_and_reason_and_starts_nothing(person: Any) -> None:
    with_todo(person)
    before = person.fingerprint()

    ran = person.andon("auto", "--scenario", str(person.scenario))

    assert ran.code == 2, ran.stdout + ran.stderr
    assert "Tier 3 WORK: there is an open to-do or issue." in ran.stdout
    assert "  TODO.md:1: Greet people\n" in ran.stdout and f"Task: {TASK}\n" in ran.stdout
    assert f"andon auto '{TASK}'" in ran.stdout and "Nothing was started" in ran.stderr
    assert person.runs() == [] and person.fingerprint() == before


def test_A_03_A_150_yes_starts_the_run_that_was_proposed(person: Any) -> None:
    with_todo(person)

    ran = person.andon("auto", "--yes", "--json", "--scenario", str(person.scenario))

    assert ran.code == 0, ran.stdout + ran.stderr
    first, *events = map(json.loads, ran.stdout.splitlines())
    assert (first["kind"], first["tier"], first["task"]) == ("discovery", 3, TASK)
    assert events[-1]["kind"] == "run_ended" and events[-1]["data"]["status"] == "done"
    assert [run["task"] for run in person.runs()] == [TASK]


def test_A_150_a_dry_run_only_shows(person: Any) -> None:
    with_todo(person)

    ran = person.andon("auto", "--dry-run", "--json")

    assert ran.code == 0 and len(ran.stdout.splitlines()) == 1
    shown = json.loads(ran.stdout)
    assert shown["findings"] == ["TODO.md:1: Greet people"] and "No agent runtime" in shown["obstacle"]["message"]
    assert person.runs() == []


@pytest.mark.parametrize(("words", "code"), [((), 2), (("--yes",), 3)], ids=["asked", "told to"])
def test_A_150_what_stands_in_the_way_is_told(person: Any, words: tuple[str, ...], code: int) -> None:
    with_todo(person)
    (person.repository / "mine.txt").write_text("mine\n")

    ran = person.andon("auto", "--scenario", str(person.scenario), *words)

    assert ran.code == code and "uncommitted changes: mine.txt" in ran.stderr and "--allow-dirty" in ran.stderr
    assert person.runs() == []


def test_A_150_staged_files_are_told_with_the_commands_and_nothing_is_committed(person: Any) -> None:
    (person.repository / "b.txt").write_text("new\n")
    person.git("add", "b.txt")

    ran = person.andon("auto", "--yes")

    assert ran.code == 2 and "Tier 4 SUPPORT" in ran.stdout
    assert "  b.txt\n" in ran.stdout and "  git commit\n" in ran.stdout
    assert person.git("diff", "--cached", "--name-only") == "b.txt\n" and person.runs() == []


def test_A_152_with_nothing_to_do_it_proposes_and_spawns_nobody(person: Any) -> None:
    (person.repository / "long.js").write_text("f();\n" * 502)
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "long")

    ran = person.andon("auto", "--yes", "--scenario", str(person.scenario))

    assert ran.code == 0 and "Tier 5 AUTONOMOUS" in ran.stdout, ran.stdout + ran.stderr
    assert "  long.js:1: 502 lines; split the file by subject\n" in ran.stdout
    assert person.runs() == []


def test_A_27_A_151_a_full_session_comes_before_a_task(person: Any) -> None:
    full = {"ANDON_CONTEXT_LEFT": "3"}

    ran = person.auto(env=full)
    told = person.auto("--json", env=full)

    assert ran.code == told.code == 2 and "/clear" in ran.stdout and "/auto resume" in ran.stdout
    assert json.loads(told.stdout)["tier"] == 0 and person.runs() == []


def test_A_151_a_task_comes_before_whatever_could_be_found(person: Any) -> None:
    with_todo(person)
    person.play()

    assert person.auto("--dry-run").code == 0
    assert [run["task"] for run in person.runs()] == ["greet"]


def test_A_150_at_a_terminal_a_person_is_asked_and_no_is_the_default(person: Any, terminal: Callable[..., Any]) -> None:
    with_todo(person)
    shell = terminal(columns=120)

    shell.type(f"{sys.executable} -m andon auto --scenario {person.scenario}")
    shell.wait("Start this run? [y/N]:")
    shell.type("")
    shell.wait("Nothing was started.")
    assert person.runs() == []

    shell.type(f"{sys.executable} -m andon auto --scenario {person.scenario} | cat")  # nobody to ask
    shell.wait("that needs --yes")
    assert person.runs() == []


def test_A_150_a_signal_while_it_measures_leaves_no_process_and_no_copy(person: Any) -> None:
    (person.repository / "package.json").write_text('{"name": "x", "scripts": {"test": "sleep 600"}}\n')
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "slow tests")
    running = person.start("auto")

    def at_work() -> list[Path]:
        return [path for path in (person.home / "discovery").glob("*/test/*/1") if processes.alive(path)]

    [work] = person.until(at_work, "the tests run")
    running.send_signal(signal.SIGTERM)  # SIGINT may be ignored, where a shell started us in the background

    assert running.wait(timeout=60) == 130
    assert not work.exists() and [path for path in (person.home / "discovery").iterdir() if path.is_dir()] == []


def test_A_04_G_01_a_dry_run_of_a_task_changes_no_byte_of_the_repository(person: Any) -> None:
    before = person.fingerprint()

    ran = person.auto("--dry-run")

    assert ran.code == 0 and "would spawn reporter (writer, haiku, act)" in ran.stdout
    assert "estimate: " in ran.stdout and "a rough guess: no LIGHT run has finished here yet" in ran.stdout
    assert person.fingerprint() == before
    assert not list((person.home / "runs").glob("*/worktree"))
    assert person.andon("runs").stdout.splitlines()[1].split()[1:3] == ["dry", "run"]


def finished(store: Store, id: str, tokens: int, *, runtime: str = "scripted", reason: str = "goal_met") -> None:
    """A run of LIGHT in the records, whose planner used so many tokens."""
    row = {"pipeline": "auto", "task": id, "feature": id, "repository": "/elsewhere", "branch": f"feat/{id}"}
    store.runs.create(id, row | {"spec": {"runtime": runtime}})
    store.runs.update(id, status="done", mode="LIGHT", reason=reason)
    usage = {"input_tokens": tokens, "output_tokens": 0}
    store.journal.append(id, "1.1/result", "result", "plan", {"name": "planner", "usage": usage})


def test_A_04_the_estimate_learns_from_finished_runs_of_this_machine(person: Any) -> None:
    store = open_store(person.environment())
    for number in (1, 2, 3):
        finished(store, f"run{number}", number * 1_000_000)
    finished(store, "other", 10**9, runtime="another")
    finished(store, "dry", 10**9, reason="dry_run")
    store.engine.dispose()

    ran = person.auto("--dry-run", "--json")

    [told] = [event["data"] for event in map(json.loads, ran.stdout.splitlines()) if event["kind"] == "forecast"]
    assert told["estimate"] == {"tokens": [1_000_000, 3_000_000], "money": [0.1, 0.3], "runs": 3}  # haiku plans LIGHT


def test_A_04_one_finished_run_is_not_told_in_the_plural(person: Any) -> None:
    store = open_store(person.environment())
    finished(store, "run1", 1_000_000)
    store.engine.dispose()

    assert "from one finished LIGHT run of this machine" in person.auto("--dry-run").stdout


def test_A_148_help_says_what_replaced_the_old_commands(person: Any) -> None:
    ran, told = person.andon("help", "replaced"), person.andon("help", "replaced", "--json")

    rows = [line.split(maxsplit=1) for line in ran.stdout.splitlines()[1:]]
    assert rows == [
        ["ralplan", "Planner-Critic loop (Phase 1, HEAVY)"],
        ["ralph", "impl-manager loop (Phase 3, STANDARD and HEAVY)"],
        ["ultraqa", "QA cycle (Phase 4)"],
    ]
    assert ran.code == 0 and [list(row) for row in json.loads(told.stdout).items()] == rows


def test_A_150_help_lists_the_tiers_and_knows_commands(person: Any) -> None:
    tiers, command, wrong = (person.andon("help", topic) for topic in ("tiers", "resume", "teirs"))

    assert [line.split()[1] for line in tiers.stdout.splitlines()[1:]] == [
        *("CONTEXT", "EXPLICIT", "URGENT", "WORK", "SUPPORT", "AUTONOMOUS"),
    ]
    assert "andon resume [OPTIONS] [RUN]" in command.stdout and "Examples:" in command.stdout
    assert wrong.code == 3 and "Did you mean `tiers`?" in wrong.stderr
