"""Where a failed check points, in what real tools print."""

from __future__ import annotations

import pytest

from andon.checks.places import places

PYTEST = """\
tests/test_a.py::test_one FAILED                                         [ 50%]
=================================== FAILURES ===================================
___________________________________ test_one ___________________________________

    def test_one():
>       assert add(1) == 2
E       assert 1 == 2

tests/test_a.py:7: AssertionError
_________________________________ TestB.test_two _________________________________

tests/test_a.py:12:
_ _ _ _ _ _ _ _ _ _
src/b.py:3: ZeroDivisionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_one - assert 1 == 2
FAILED tests/test_a.py::TestB::test_two - ZeroDivisionError: division by zero
ERROR tests/test_c.py - ImportError: no
"""


def test_pytest_says_test_place_and_reason() -> None:
    assert places("test", PYTEST, ()) == (
        "tests/test_a.py:7: test_one FAILED (assert 1 == 2)",
        "src/b.py:3: TestB.test_two FAILED (ZeroDivisionError: division by zero)",
        "tests/test_c.py: ERROR (ImportError: no)",
    )


@pytest.mark.parametrize(
    ("goal", "output", "expected"),
    [
        ("lint", "src/a.py:1:8: F401 [*] `os` imported but unused\n", "src/a.py:1: F401 [*] `os` imported but unused"),
        ("lint", "/tree/a.js\n  3:5  error  'x' is not defined  no-undef\n", "a.js:3: 'x' is not defined  no-undef"),
        ("build", "src/a.ts(3,5): error TS2322: no\n", "src/a.ts:3: TS2322: no"),
        ("build", "src/a.py:9: error: Missing return\n", "src/a.py:9: Missing return"),
    ],
)
def test_other_tools(goal: str, output: str, expected: str) -> None:
    assert places(goal, output, (), root="/tree") == (expected,)


def test_what_names_no_place_keeps_the_name_of_its_failure() -> None:
    assert places("build", "boom\n", ("build:boom",)) == ("boom",)
