"""What a newcomer does first: the demo, the doctor, a settings file that has to be trusted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_the_demo_works_anywhere_and_leaves_one_folder(person: Any, tmp_path: Path) -> None:
    temporary, nowhere = tmp_path / "tmp", tmp_path / "nowhere"
    temporary.mkdir()
    nowhere.mkdir()

    ran = subprocess.run(
        [sys.executable, "-m", "andon", "demo"],
        cwd=nowhere,
        env=person.environment({"TMPDIR": str(temporary)}),
        capture_output=True,
        text=True,
        timeout=110,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    [left] = temporary.iterdir()
    assert f"cd {left / 'tally'}" in ran.stdout
    assert "✗ impl-manager claims to be done" in ran.stdout and "✓ verifier: APPROVE" in ran.stdout
    assert "def top(" in ran.stdout and "signatures and chain hold" in ran.stdout
    assert re.search(r"^  test +passed +pytest tests/ -v +\[(bwrap|landlock)", ran.stdout, re.MULTILINE)
    assert list(nowhere.iterdir()) == []


def test_a_demo_that_cannot_begin_leaves_nothing(person: Any, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (person.home / "andon.db").write_bytes(b"no database" * 1000)

    ran = person.andon("demo", env={"TMPDIR": str(temporary)}, at=tmp_path)

    assert ran.code == 4
    assert list(temporary.iterdir()) == []


def test_without_a_temporary_folder_the_demo_says_which_variable_helps(person: Any) -> None:
    """Given a machine on which no temporary folder can be made."""
    broken = "import tempfile\ndef mkdtemp(**given): raise OSError(30, 'Read-only')\ntempfile.mkdtemp = mkdtemp\n"

    ran = subprocess.run(
        [sys.executable, "-c", f"{broken}import andon.cli.main as m; m.main()", "demo"],
        cwd=person.folder,
        env=person.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.returncode == 4 and "TMPDIR" in ran.stderr and "Traceback" not in ran.stderr


def test_doctor_ends_with_0_when_everything_needed_is_there(person: Any) -> None:
    ran = person.andon("doctor", "--json", at=person.folder)

    found = {finding["name"]: finding["state"] for finding in json.loads(ran.stdout)}
    assert ran.code == 0
    assert found["git"] == found["data folder"] == "ok"
    assert found["repository here"] == "degraded"  # none here, which hinders nobody


def test_doctor_ends_with_4_when_git_is_missing(person: Any, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()

    ran = person.andon("doctor", env={"PATH": str(tmp_path / "bin")})

    assert ran.code == 4
    assert re.search(r"^✗ git +not found: every run needs it$", ran.stdout, re.MULTILINE)
    assert "Install git" in ran.stdout


def test_doctor_ends_with_4_when_the_data_folder_cannot_be_written(person: Any) -> None:
    ran = person.andon("doctor", env={"ANDON_HOME": "/proc/nothing"})

    assert ran.code == 4
    assert re.search(r"^✗ data folder ", ran.stdout, re.MULTILINE) and "ANDON_HOME" in ran.stdout


def test_a_program_that_cannot_be_started_is_a_finding(person: Any, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "node").write_text("#!/nonexistent\n")
    (folder / "node").chmod(0o755)

    ran = person.andon("doctor", "--json", env={"PATH": f"{folder}:{os.environ['PATH']}"})

    [node] = [finding for finding in json.loads(ran.stdout) if finding["name"] == "node"]
    assert ran.code == 0 and node["state"] == "degraded"


def test_settings_of_a_repository_count_once_they_are_trusted(person: Any) -> None:
    (person.repository / "andon.toml").write_text(f'scenario = "{person.scenario}"\nlanguage = "en"\n')
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "settings")

    before = person.andon("auto", "greet")
    trusted = person.andon("trust")
    after = person.andon("auto", "greet")

    assert before.code == 3 and "No agent runtime is set up" in before.stderr
    assert trusted.code == 0 and f"scenario = {person.scenario}" in trusted.stdout
    assert after.code == 0, after.stdout + after.stderr


def test_what_an_untrusted_file_asked_for_is_told_in_the_run(person: Any) -> None:
    (person.repository / "andon.toml").write_text("trust_host = true\n[budget]\ntokens = 1\n")
    person.git("add", "--all")
    person.git("commit", "--quiet", "--message", "settings")

    ran = person.auto()

    assert ran.code == 0, ran.stdout + ran.stderr
    assert (
        "! andon.toml: trust_host, budget not used, because the file is not trusted; see `andon trust`." in ran.stdout
    )


def test_a_broken_settings_file_is_told_before_anything_starts(person: Any) -> None:
    (person.home / "settings.toml").write_text("language = 'en'\nbudget = {tokens = }\n")
    before = person.fingerprint()

    ran = person.auto()

    assert ran.code == 3 and f"{person.home / 'settings.toml'}:2: not TOML" in ran.stderr
    assert person.fingerprint() == before and person.runs() == []


def test_D_75_in_the_demo_of_tasks_a_person_decides_every_phase_where_it_is_shown(
    person: Any, terminal: Callable[..., Any], tmp_path: Path
) -> None:
    pane = terminal(120, 60)

    pane.type(f"TMPDIR={tmp_path} {sys.executable} -m andon demo --task")
    for number in (1, 2, 3, 4):
        pane.wait(f"Phase {number} (")
        pane.wait("answer>")
        pane.type("1")
        pane.wait(f"phase {number}: approved by")
    shown = pane.wait("Have a look")

    assert "signatures and chain hold" in shown
    decided = [each["data"]["status"] for each in person.journal() if each["kind"] == "review_decided"]
    assert decided == ["approved"] * 4
    verified = [each["data"] for each in person.journal() if each["kind"] == "phase_verified"]
    assert [(each["number"], each["passed"]) for each in verified if not each["passed"]] == [(1, False), (3, False)]
    assert "--task --yes" in person.andon("demo", "--yes").stderr
