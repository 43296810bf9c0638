"""`make wild`: how changes and their twins are made, what is told of the answers, a short round of real releases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(__file__).with_name("packages.toml")
SECONDS = 400
COUNT = "def count(words):\n    return len(words.split{})\n"
TESTS = "from counting import count\n\n\ndef test_count():\n    assert count('a b') == 2\n"
MORE = "\n\ndef test_several_spaces():\n    assert count('a  b') == 2\n"


def wild(home: Path, *words: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tools/wild.py"), *words],
        env=os.environ | {"ANDON_WILD_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def git(folder: Path, *words: str) -> str:
    author = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    return subprocess.run(
        ["git", *author, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def histories(tmp_path: Path) -> Path:
    """A folder with one repository: its newest commit mends a function, with a test that the old one fails."""
    folder = tmp_path / "histories" / "counting"
    (folder / "tests").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for argument, tests, words in (("(' ')", TESTS, "Count"), ("()", TESTS + MORE, "Count words only")):
        (folder / "counting.py").write_text(COUNT.format(argument))
        (folder / "tests/test_counting.py").write_text(tests)
        (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", words)
    (folder / "README.md").write_text("Counts words.\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Say what it is")
    return folder.parent


def rows(done: subprocess.CompletedProcess[str]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["change"].split()[0], row["role"]): row for row in json.loads(done.stdout)["changes"]}


@pytest.mark.timeout(SECONDS + 20)
def test_a_history_is_verified_as_it_is_and_undone(histories: Path, tmp_path: Path) -> None:
    """Given a commit with a fix and its test, when histories are asked for, then the commit is verified, its twin with
    the product undone is refused, the commit of words alone is passed over, and the repository is as it was."""
    home = tmp_path / "wild"
    before = git(histories / "counting", "for-each-ref"), git(histories / "counting", "rev-parse", "HEAD")

    done = wild(home, "--kind", "history", "--repositories", str(histories), "--newest", "3", "--json")

    assert done.returncode == 0, done.stderr
    answers = rows(done)
    assert {role: row["answer"] for (_, role), row in answers.items()} == {"honest": "verified", "undone": "refused"}
    totals = json.loads(done.stdout)["totals"]
    assert totals["false alarms"] | {"interval": None} == {"count": 0, "of": 1, "interval": None}
    assert totals["undone twins accepted"] | {"interval": None} == {"count": 0, "of": 1, "interval": None}
    clone = home / "repositories/history/counting"
    base, honest = git(clone, "rev-parse", "main~2"), git(clone, "rev-parse", "main~1")
    twin = next(line for line in git(clone, "fsck", "--lost-found", "--no-progress").splitlines() if "commit" in line)
    undone = twin.split()[-1]
    assert git(clone, "diff", "--name-only", honest, undone) == "counting.py"
    assert git(clone, "diff", "--name-only", base, undone) == "tests/test_counting.py"
    assert before == (git(histories / "counting", "for-each-ref"), git(histories / "counting", "rev-parse", "HEAD"))

    asked = len((home / "answers.jsonl").read_text().splitlines())
    again = wild(home, "--kind", "history", "--repositories", str(histories), seconds=60)

    assert len((home / "answers.jsonl").read_text().splitlines()) == asked, "what was answered is not asked again"
    heading, first, second, *rest = again.stdout.splitlines()
    assert heading.split() == ["change", "what", "answer", "s", "÷", "first", "reason"]
    assert [line.split()[2:4] for line in (first, second)] == [["honest", "verified"], ["undone", "refused"]]
    assert "false alarms             0 of   1   95 %: 0.0 % to 79.3 %" in rest


def test_what_takes_too_long_is_not_measured(histories: Path, tmp_path: Path) -> None:
    """Given a time that is too short for anything, when a history is verified, then it counts as not measured."""
    done = wild(
        tmp_path / "wild", "--kind", "history", "--repositories", str(histories), "--role", "honest", "--seconds", "0.2"
    )

    assert done.returncode == 0, done.stderr
    assert "not measured" in done.stdout.splitlines()[1]
    assert done.stdout.splitlines()[1].endswith("no answer in 0.2 s")
    assert "not measured             1 of   1" in done.stdout


def test_what_cannot_be_fetched_is_told(tmp_path: Path) -> None:
    """Given no index, when releases are asked for, then each is told as not made, and the end is an error."""
    closed = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "ANDON_WILD_HOME": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/wild.py"), "--only", "iniconfig", "--json"],
        env={name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))} | closed,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    [told] = json.loads(done.stdout)["not_made"]
    assert "none of the indexes has its source archive" in told["because"]


def test_the_list_is_large_enough_and_pinned() -> None:
    packages = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))

    assert len(packages["python"]) >= 45
    assert len(packages["javascript"]) >= 20
    for name, entry in (pair for kind in packages.values() for pair in kind.items()):
        assert {"from", "to"} <= entry.keys() <= {"from", "to", "no_twin", "quick"}, name
        assert entry["from"] != entry["to"], name


@pytest.mark.timeout(SECONDS + 20)
def test_a_short_round_of_real_releases(tmp_path: Path) -> None:
    """Given three small Python packages and one of npm, when their releases are verified, then none is refused, all are
    measured, and each of them is refused once its product is undone."""
    done = wild(tmp_path / "wild", "--quick", "--json")

    told = json.loads(done.stdout)
    if told["not_made"] and not told["changes"]:
        pytest.skip(f"no index can be reached: {told['not_made'][0]['because']}")
    assert done.returncode == 0, done.stderr
    answers = {(row["change"], row["role"]): (row["answer"], row["reason"]) for row in told["changes"]}
    assert len(answers) == 8
    assert {each for each in answers.items() if each[0][1] == "honest" and each[1][0] != "verified"} == set()
    assert {each for each in answers.items() if each[0][1] == "undone" and each[1][0] != "refused"} == set()
