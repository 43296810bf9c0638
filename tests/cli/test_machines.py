"""Machines that lack something: bubblewrap, any sandbox, a clock that goes forward."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from andon.app.demo import TASK

NO_LANDLOCK = str(Path(__file__).with_name("no_landlock.py"))
CLOCK = """
import time, pathlib
_time, _offset = time.time, pathlib.Path({offset!r})
def shifted():
    return _time() + (float(_offset.read_text()) if _offset.exists() else 0.0)
time.time = shifted
"""


def programs_without(person: Any, *missing: str) -> str:
    """A folder with every program on the PATH but these."""
    folder = person.folder / "programs"
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for program in Path(place).glob("*"):
            if program.name not in missing and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


def test_without_bubblewrap_landlock_is_used_or_the_run_is_refused(person: Any) -> None:
    path = programs_without(person, "bwrap")

    ran = person.auto(env={"PATH": path})
    looked = json.loads(person.andon("doctor", "--json", env={"PATH": path}).stdout)

    found = {finding["name"]: finding for finding in looked}
    assert found["sandbox bwrap+limits"]["state"] == "degraded" and "bubblewrap" in found["sandbox bwrap+limits"]["fix"]
    if found["sandbox landlock"]["state"] == "ok":
        assert ran.code == 0, ran.stdout + ran.stderr
    else:
        assert ran.code == 4 and "no working sandbox" in ran.stderr


def test_without_any_sandbox_a_run_is_refused_before_it_exists(person: Any) -> None:
    path = programs_without(person, "bwrap")

    done = subprocess.run(
        [sys.executable, NO_LANDLOCK, "auto", "greet", "--scenario", str(person.scenario)],
        cwd=person.repository,
        env=person.environment({"PATH": path}),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 4, done.stdout + done.stderr
    assert "no working sandbox" in done.stderr
    assert "andon doctor" in done.stderr and "--trust-host" in done.stderr
    assert person.runs() == []


def test_A_05_a_run_whose_sandbox_went_away_after_a_crash_can_be_stopped(person: Any) -> None:
    person.play({"executor": {"do": [{"sleep": {"seconds": 50}}], "reply": "Done."}})
    running = person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until(lambda: [run for run in person.runs() if run["phase"] == "do"], "phase do")
    running.kill()
    running.wait(timeout=20)

    done = subprocess.run(
        [sys.executable, NO_LANDLOCK, "stop", "--json"],
        cwd=person.repository,
        env=person.environment({"PATH": programs_without(person, "bwrap")}),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["status"] == person.runs()[0]["status"] == "stopped"


def test_trust_host_does_without_and_the_evidence_says_so(
    person: Any, sample_repository: Path, sample_scenario: Path
) -> None:
    path = programs_without(person, "bwrap")
    words = ("auto", TASK, "--scenario", str(sample_scenario), "--trust-host")

    done = subprocess.run(
        [sys.executable, NO_LANDLOCK, *words],
        cwd=sample_repository,
        env=person.environment({"PATH": path}),
        capture_output=True,
        text=True,
        timeout=110,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    listed = json.loads(person.andon("evidence", "list", "--json", at=sample_repository).stdout)
    ran = [each["predicate"] for each in listed if each["predicate"]["command"]]
    assert ran and {each["sandbox"] for each in ran} == {"none"}


def test_a_clock_that_goes_backwards_neither_loses_nor_hangs_a_run(person: Any) -> None:
    """Given a run that waits for an answer for 30 s, when the clock is set back by a day, the answer still counts."""
    ask = {"question": "Which?", "options": ["good day", "good night"], "default": "good day", "timeout": 30}
    person.play(
        {"executor": {"do": [{"ask": ask}, {"write": {"path": "a.txt", "text": "good day\n"}}], "reply": "Done."}}
    )
    offset = person.folder / "offset"
    (person.folder / "clock").mkdir()
    (person.folder / "clock/sitecustomize.py").write_text(CLOCK.format(offset=str(offset)))
    words = [sys.executable, "-m", "andon", "auto", "greet", "--scenario", str(person.scenario)]
    clock = person.environment({"PYTHONPATH": str(person.folder / "clock")})
    running = subprocess.Popen(words, cwd=person.repository, env=clock, stdout=subprocess.PIPE)
    [asked] = person.until(person.questions, "a question")

    offset.write_text("-86400")
    answered = person.andon("answer", asked.id, "2")
    shown, _ = running.communicate(timeout=60)

    assert answered.code == 0 and running.returncode == 0, shown
    entries = person.journal()
    assert [e["seq"] for e in entries] == list(range(1, len(entries) + 1))
    assert entries[0]["at"] > entries[-1]["at"]  # the clock did go back
    [told] = [e["data"]["answer"] for e in entries if e["kind"] == "hold_answered"]
    assert told == "good night"
    assert person.andon("status").code == person.andon("runs").code == person.andon("logs").code == 0
