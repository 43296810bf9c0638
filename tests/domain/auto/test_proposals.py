"""A-152, Tier 5: proposals by rules, each with a place and a number."""

from __future__ import annotations

from andon.domain.auto.proposals import LONG_FILE, LONG_FUNCTION, OF_A_KIND, Source, proposals

LONG = "def long():\n" + "    x = 1\n" * LONG_FUNCTION


def test_A_152_a_long_function_a_long_file_and_an_untested_module_are_named_with_their_place() -> None:
    found = proposals(
        [
            Source("src/a.py", "\n" + LONG),
            Source("src/b.py", "x = 1\n" * (LONG_FILE + 1)),
            Source("src/c.py", "def c(): ...\n"),
            Source("tests/test_a.py", "from src import a, b\n"),
        ]
    )

    assert found == (
        f"src/a.py:2: long() has {LONG_FUNCTION + 1} lines; split it into steps with names",
        f"src/b.py:1: {LONG_FILE + 1} lines; split the file by subject",
        "src/c.py:1: no test mentions this module; add one",
    )


def test_A_152_without_any_test_there_is_one_proposal_and_not_one_per_file() -> None:
    assert proposals([Source("a.py", "def a(): ...\n"), Source("b.py", "def b(): ...\n")]) == (
        "a.py:1: there are no tests; begin with this file",
    )


def test_A_152_nothing_is_proposed_for_short_tested_code_tests_and_texts() -> None:
    assert proposals([Source("tests/test_x.py", LONG), Source("README.md", "x\n" * 5000)]) == ()
    assert proposals([Source("x.py", "def x(): ...\n"), Source("tests/test_x.py", "import x\n")]) == ()


def test_A_152_code_that_does_not_parse_is_passed_over() -> None:
    assert proposals([Source("x.py", "def (:\n"), Source("tests/test_x.py", "import x\n")]) == ()


def test_A_152_only_the_worst_of_a_kind_are_proposed() -> None:
    many = [Source(f"m{number}.py", "x = 1\n" * (LONG_FILE + number)) for number in range(1, 20)]

    found = proposals([*many, Source("test_all.py", "")])

    assert len(found) == OF_A_KIND and found[0].startswith("m19.py:1:")
