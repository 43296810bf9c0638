"""Standard output is data, standard error is talk, colours are for terminals, and a reader may leave early."""

from __future__ import annotations

import json
import os
import pty
import select
import sqlite3
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from andon.app.standing import failed_record
from andon.domain.verdict import CheckResult, Verdict


@pytest.mark.parametrize(
    "words",
    [
        ("runs",),
        ("runs", "--all"),
        ("status",),
        ("answer",),
        ("evidence", "list"),
        ("evidence", "verify"),
        ("evidence", "show", "", "1"),
        ("doctor",),
        ("stop",),
    ],
    ids=" ".join,
)
def test_E_30_every_look_can_be_had_as_json(done: Any, words: tuple[str, ...]) -> None:
    [run] = done.runs()
    filled = [word or run["id"] for word in words]

    ran = done.andon(*filled, "--json")

    assert ran.code == 0 and ran.stderr == ""
    json.loads(ran.stdout)


def test_A_28_status_tells_use_by_role_and_by_phase(done: Any) -> None:
    told = json.loads(done.andon("status", "--json").stdout)
    shown = done.andon("status").stdout

    use = told["use"]
    assert {each["name"] for each in use["roles"]} >= {"planner", "executor", "writer"}
    assert [each["name"] for each in use["phases"]] == ["plan", "do", "check", "act"]
    for part in ("roles", "phases"):
        assert sum(each["input_tokens"] + each["output_tokens"] for each in use[part]) == told["tokens"] > 0
    assert use["total"]["unpriced"] == 0 and use["prices_dated"]
    assert f"  used      {told['tokens']:,} tokens" in shown and "$" not in shown  # nobody pays for a scenario
    for each in (*use["roles"], *use["phases"]):
        tokens = each["input_tokens"] + each["output_tokens"]
        assert any(
            line.split() == [each["name"], str(each["orders"]), f"{tokens:,}", "0", "-"] for line in shown.splitlines()
        )


def test_A_79_what_was_measured_on_the_base_is_no_result_of_the_work(done: Any) -> None:
    # given: the work failed, the base did not, and of another goal a failure that the base has too
    [run] = done.runs()
    work, base = done.git("rev-parse", f"{run['branch']}^{{tree}}", "HEAD^{tree}").split()
    failed = CheckResult("lint", Verdict.FAILED, command=("ruff", "check"), tree=work)
    known = replace(failed, goal="typecheck", command=("mypy",))
    with done.store() as store:
        first = store.ledger.append(run["id"], "8.1", failed)
        store.ledger.append(run["id"], "8.2", replace(failed, verdict=Verdict.PASSED, tree=base), at_base=True)
        store.ledger.append(run["id"], "8.3", known)
        store.ledger.append(run["id"], "8.4", replace(known, tree=base), at_base=True)
        store.ledger.append(run["id"], "8.5", replace(known, verdict=Verdict.PASSED))
        records = store.ledger.records(run["id"])

    # when
    status, listed = done.andon("status").stdout, done.andon("evidence", "list").stdout

    # then
    assert "✗ lint " in status and "✓ lint " not in status and "✓ typecheck " in status
    assert [line.split()[2:4] for line in listed.splitlines() if "on the base: " in line] == [
        ["lint", "passed"],
        ["typecheck", "failed"],
    ]
    assert failed_record(records) == first.seq
    assert done.andon("evidence", "verify").code == 0


@pytest.mark.parametrize("words", [("logs",), ("watch",)], ids=" ".join)
def test_E_24_stories_are_one_json_object_per_line(done: Any, words: tuple[str, ...]) -> None:
    ran = done.andon(*words, "--json")

    entries = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.code == 0 and ran.stderr == ""
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert entries[-1]["kind"] == "run_ended"


def test_E_24_a_run_tells_itself_in_json_in_the_order_of_its_journal(person: Any) -> None:
    ran = person.auto("--json")

    entries = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.code == 0 and ran.stderr == ""
    assert entries == person.journal()


def test_trust_tells_a_program_what_it_did(person: Any) -> None:
    (person.repository / "andon.toml").write_text('runtime = "scripted"\nlanguage = "ko"\n')

    ran = person.andon("trust", "--json")

    told = json.loads(ran.stdout)
    assert told["file"] == str(person.repository / "andon.toml") and told["keys"] == {"runtime": "scripted"}


def test_a_reader_that_leaves_early_is_no_failure(done: Any) -> None:
    script = f"{sys.executable} -m andon logs | head -1; echo ${{PIPESTATUS[0]}}"

    ran = subprocess.run(
        ["bash", "-c", script], cwd=done.repository, env=done.environment(), capture_output=True, text=True, timeout=60
    )

    first, code = ran.stdout.splitlines()
    assert "Run " in first and code == "0" and ran.stderr == ""


def test_a_run_whose_reader_leaves_early_goes_on_to_its_end(person: Any) -> None:
    command = f"{sys.executable} -m andon auto greet --scenario {person.scenario}"

    ran = subprocess.run(
        ["bash", "-c", f"{command} | head -1; echo ${{PIPESTATUS[0]}}"],
        cwd=person.repository,
        env=person.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.stdout.splitlines()[-1] == "0" and ran.stderr == ""
    assert person.runs()[0]["status"] == "done"


def on_a_terminal(person: Any, *words: str, env: dict[str, str]) -> str:
    """What a command writes to a terminal, escape sequences included."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "andon", *words],
        cwd=person.repository,
        env=person.environment(env),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    try:
        while select.select([ours], [], [], 60)[0]:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            written += more
        process.wait(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    return written.decode("utf-8", "replace")


@pytest.mark.parametrize("words", [("doctor",), ("status", "zzz")], ids=" ".join)
def test_colours_are_for_terminals_and_NO_COLOR_turns_them_off(person: Any, words: tuple[str, ...]) -> None:
    coloured = on_a_terminal(person, *words, env={"TERM": "xterm-256color"})
    without = on_a_terminal(person, *words, env={"TERM": "xterm-256color", "NO_COLOR": "1"})
    dumb = on_a_terminal(person, *words, env={"TERM": "dumb"})
    piped = person.andon(*words)

    assert "\x1b[3" in coloured
    assert "\x1b" not in without + dumb + piped.stdout + piped.stderr


def test_NO_COLOR_turns_the_live_screen_grey(person: Any) -> None:
    words = ("auto", "greet", "--scenario", str(person.scenario))

    shown = on_a_terminal(person, *words, env={"TERM": "xterm-256color", "NO_COLOR": "1"})

    assert "DONE" in shown
    assert not [code for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1;32m") if code in shown]


def test_a_failure_of_andon_itself_is_kept_in_a_file_and_not_shown(person: Any) -> None:
    """Given a journal entry nobody could have written, when it is shown, the traceback goes to a file."""
    assert person.auto().code == 0
    with sqlite3.connect(person.home / "andon.db") as database:
        database.execute(
            "INSERT INTO andon_journal (run, seq, key, at, kind, phase, data) "
            "SELECT run, 1000, 'strange', at, 'spawn', phase, '[]' FROM andon_journal WHERE seq = 1"
        )
    database.close()

    ran = person.andon("logs")

    assert ran.code == 1
    assert "andon itself failed" in ran.stderr and "Please report it" in ran.stderr
    [kept] = (person.home / "log").glob("failure-*.txt")
    assert str(kept) in ran.stderr and "Traceback" in kept.read_text()
