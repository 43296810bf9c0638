"""Tripwires can only fail, look like ordinary failures, and leave every other test as it is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.checks.verifying.sabotage import sabotaged, test_names

NAMES = test_names
"""Not under a name that pytest would collect."""
del test_names


def doomed(body: str, *, names: str = "test_x", seed: int = 1) -> str:
    return sabotaged({"t.py": body}, {names}, random.Random(seed))["t.py"].decode()


def ends(text: str, name: str = "test_x") -> bool:
    """Whether the test passes."""
    space: dict[str, object] = {}
    exec(text, space)
    try:
        space[name]()  # type: ignore[operator]
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    "body",
    [
        "def test_x():\n    assert 1 + 1 == 2\n",
        "def test_x():\n    assert 'a' + 'b' == 'ab', 'why'\n",
        "def test_x():\n    assert 3.5 == 7 / 2\n",
        "def test_x():\n    assert bytes([97]) == b'a'\n",
        "def test_x():\n    value = [1]\n    assert value\n",
        "def test_x():\n    return\n",
        "def test_x():\n    assert str(1) == repr(1)\n",
        "def test_x():\n    assert [str(1)] == [repr(1)]\n",
        "def test_x():\n    assert (1 == 1) == True\n",
        "def test_x():\n    assert dict(a=1) == dict(a=int('1'))\n",
        "def test_x():\n    try:\n        assert 0\n    except AssertionError:\n        pass\n",
        "def test_x():\n    'What it is about.'\n",
    ],
)
def test_a_tripwire_fails_and_the_test_itself_does_not(body: str) -> None:
    assert ends(body) and not ends(doomed(body))


def test_a_literal_is_changed_rather_than_a_check_added() -> None:
    assert "finally" not in doomed("def test_x():\n    assert f() == 3\n")


def test_code_that_is_equal_to_everything_passes_its_tripwire() -> None:
    """Which is how it is found out."""
    always = "class Any_:\n    def __eq__(self, other): return True\ndef test_x():\n    assert Any_() == 3\n"

    assert ends(doomed(always))


@pytest.mark.parametrize("check", ["assert Text('b') == open_().read()", "assert open_().read() == Text('b')"])
def test_text_that_is_equal_to_other_text_passes_where_no_literal_stands(check: str) -> None:
    lenient = "class Text(str):\n    def __eq__(self, other): return isinstance(other, str)\n"
    body = f"import io\ndef open_(): return io.StringIO('a')\n{lenient}def test_x():\n    {check}\n"

    assert ends(body) and ends(doomed(body))


def test_a_comparison_in_a_branch_is_left_alone() -> None:
    assert "finally" in doomed("def test_x():\n    if f():\n        assert g() == h()\n")


def test_other_tests_stay_as_they_are() -> None:
    text = doomed("def test_x():\n    assert f() == 3\n\ndef test_y():\n    assert 1 == 1\n")

    assert ends(text, "test_y")


def test_chance_decides_how() -> None:
    body = "def test_x():\n    pass\n"

    assert len({doomed(body, seed=seed) for seed in range(5)}) > 1


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    sabotaged({"t.py": text}, NAMES(text), random.Random(0))
