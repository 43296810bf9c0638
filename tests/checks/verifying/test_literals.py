"""Sets of parameters become others, and the tests keep the ids they had."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest

from andon.checks.verifying.sabotage import sabotaged

HEAD = "import pytest\n\ndef same(value):\n    return value\n\n"
CHANGED = {
    "a tuple of names": "@pytest.mark.parametrize(('a', 'b'), [(1, 1), ('€ 3', '€ 3'), (-2, -2)])",
    "names in one text": "@pytest.mark.parametrize('a, b', [(1, 1), (2.5, 2.5)])",
    "sets with names": "@pytest.mark.parametrize('a, b', [pytest.param(1, 1, id='one'), pytest.param('x', 'x')])",
    "collections": "@pytest.mark.parametrize('a, b', [([1], [1]), ({}, {}), ({1: 2}, {1: 2})])",
    "the same twice": "@pytest.mark.parametrize('a, b', [(1, 1), (1, 1)])",
}
LEFT = {
    "sets from elsewhere": "@pytest.mark.parametrize('a, b', SETS)",
    "ids from elsewhere": "@pytest.mark.parametrize('a, b', [(1, 1)], ids=repr)",
    "a value from elsewhere": "@pytest.mark.parametrize('a, b', [(1, 1), (2, int('2'))])",
}
CHECK = "def test_x(a, b):\n    assert same(a) == b\n"


def outcomes(folder: Path, text: str) -> dict[str, str]:
    (folder / "test_it.py").write_text(text)
    words = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:randomly", "test_it.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    lines = [line.split(" - ")[0].split(" ", 1) for line in done.stdout.splitlines()]
    return {line[1]: line[0] for line in lines if line[0] in ("PASSED", "FAILED")}


def doomed(text: str) -> str:
    return sabotaged({"t.py": text}, {"test_x"}, random.Random(1))["t.py"].decode()


@pytest.mark.parametrize("decorator", CHANGED.values(), ids=CHANGED)
def test_every_set_fails_under_the_id_it_had(tmp_path: Path, decorator: str) -> None:
    text = HEAD + decorator + "\n" + CHECK

    before, after = outcomes(tmp_path, text), outcomes(tmp_path, doomed(text))

    assert set(before.values()) == {"PASSED"} and set(after.values()) == {"FAILED"}
    assert before.keys() == after.keys() and "finally" not in doomed(text)


@pytest.mark.parametrize("decorator", LEFT.values(), ids=LEFT)
def test_what_cannot_be_changed_is_compared_with_something_else(tmp_path: Path, decorator: str) -> None:
    text = HEAD + "SETS = [(1, 1)]\n" + decorator + "\n" + CHECK

    before, after = outcomes(tmp_path, text), outcomes(tmp_path, doomed(text))

    assert before.keys() == after.keys() and set(after.values()) == {"FAILED"}
    assert decorator in ast.unparse(ast.parse(doomed(text)))


def test_a_parameter_that_is_fed_in_is_not_the_one_to_change() -> None:
    text = "@pytest.mark.parametrize('a', [1, 2])\ndef test_x(a):\n    assert same(a) == a\n"

    assert "[1, 2]" in doomed(HEAD + text)


@pytest.mark.parametrize(
    "check",
    ["f() == [1, 2]", "(1, 'a') == f()", "f() == {1}", "f() == {'a': [1]}", "f() == -1", "f() == [g(), 1]"],
)
def test_collections_and_negative_numbers_are_literals_too(check: str) -> None:
    changed = doomed(f"def test_x():\n    assert {check}\n")

    assert "finally" not in changed and check not in changed


@pytest.mark.parametrize("check", ["f() is True", "f() is None", "f()", "f() == pytest.approx(3)", "f() == ANY"])
def test_what_is_no_literal_gets_a_check_at_its_end(check: str) -> None:
    assert "finally" in doomed(f"def test_x():\n    assert {check}\n")


@pytest.mark.parametrize("value", ["899", "-3", "2.5", "'MCM'", "b'ab'", "[1, 2]", "{'a': 1}", "1e300", "''"])
def test_a_literal_becomes_one_that_is_near_it(value: str) -> None:
    """So that who takes what is near for the same passes a tripwire."""
    near: set[str] = set()
    for seed in range(20):
        changed = sabotaged({"t.py": f"def test_x():\n    assert f() == {value}\n"}, {"test_x"}, random.Random(seed))
        check = ast.parse(changed["t.py"]).body[0].body[0].test  # type: ignore[attr-defined]
        near.add(ast.unparse(check.comparators[0]))

    before = ast.literal_eval(value)
    after = [ast.literal_eval(each) for each in near]
    assert before not in after
    if isinstance(before, int | float) and abs(before) < 1000:
        assert {abs(each - before) for each in after} == {1}
    if isinstance(before, str | bytes) and before:
        assert {*map(frozenset, after)} == {frozenset(before)}
    if isinstance(before, list):
        assert {len(each) for each in after} == {2, 3}
