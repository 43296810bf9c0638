"""`andon verify` against the plain test run: the whole command, less two seconds, over the same suite run by pytest.

The suite takes about two seconds of a processor, in many small tests. The change adds a function and its test. The
environment of the checks is in the cache; the plain run uses that very environment.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from statistics import median

from commands import ANDON
from ground import Ground
from rows import Row
from timing import seconds

ALLOWED = 2.0
"""Seconds that the command may take besides the multiple of the plain run."""
FILES, TESTS, TURNS = 8, 5, 330_000
_MODULE = """\
def total(turns):
    return sum(number * number % 7 for number in range(turns))
"""
_TEST = """\
def test_{name}():
    assert total({turns}) == {expected}
"""
_ADDED = """\


def half(turns):
    return total(turns) // 2
"""


def verify(ground: Ground, rounds: int) -> list[Row]:
    repository = _project(ground.scratch / "measured")
    command = (str(ANDON), "verify", "--base", "main", "--head", "change")
    _start(ground, repository, *command)  # builds the environment
    [python] = [*(ground.home / "environments").glob("*/made/venv/bin/python")][-1:]
    plain, whole = [], []
    for _ in range(rounds):
        plain.append(
            seconds(lambda: _start(ground, repository, str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"))
        )
        whole.append(seconds(lambda: _start(ground, repository, *command)))
    ratio = median((taken - ALLOWED) / alone for taken, alone in zip(whole, plain, strict=True))
    detail = f"{median(whole):.2f} s over {median(plain):.2f} s"
    return [Row("verify", "andon verify, less 2 s ÷ plain pytest", ratio, "×", detail)]


def _project(folder: Path) -> Path:
    (folder / "tests").mkdir(parents=True)
    (folder / "measured.py").write_text(_MODULE)
    expected = sum(number * number % 7 for number in range(TURNS))
    for file in range(FILES):
        tests = [_TEST.format(name=f"{file}_{test}", turns=TURNS, expected=expected) for test in range(TESTS)]
        (folder / f"tests/test_{file}.py").write_text("from measured import total\n\n\n" + "\n\n".join(tests))
    _git(folder, "init", "-q", "-b", "main")
    _commit(folder)
    _git(folder, "checkout", "-q", "-b", "change")
    (folder / "measured.py").write_text(_MODULE + _ADDED)
    (folder / "tests/test_half.py").write_text(
        f"from measured import half\n\n\ndef test_half():\n    assert half({TURNS}) == {expected // 2}\n"
    )
    _commit(folder)
    return folder


def _commit(folder: Path) -> None:
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.name=someone", "-c", "user.email=someone@example.org", "commit", "-q", "-m", "x")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def _start(ground: Ground, folder: Path, *words: str) -> None:
    environment = ground.environment | {"PYTHONPATH": str(folder)}
    subprocess.run(words, env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL)
