"""What differs between runners, without running any."""

from __future__ import annotations

from andon.checks.verifying.runners import RUNNERS
from andon.domain.changeset import ChangeSet

BEFORE = frozenset({"src/a.py", "tests/test_a.py", "tests/conftest.py"})


def blanks(runner: str, *added: str) -> list[str]:
    return RUNNERS[runner].blanks(ChangeSet((), BEFORE, BEFORE | {*added}))


def test_added_files_of_tests_are_there_but_empty() -> None:
    assert blanks("pytest", "src/b.py", "tests/test_b.py", "tests/unit/test_c.py") == [
        "tests/test_b.py",
        "tests/unit/test_c.py",
    ]


def test_code_around_tests_is_not() -> None:
    assert blanks("pytest", "tests/unit/conftest.py", "tests/helpers/shop.py", "tests/data/b.txt") == []


def test_nor_is_one_that_would_keep_another_from_being_collected() -> None:
    assert blanks("pytest", "tests/unit/test_a.py", "tests/x/test_d.py", "tests/y/test_d.py") == []


def test_runners_that_refuse_empty_files_get_none() -> None:
    assert blanks("vitest", "tests/b.test.ts") == []
