"""A-47: which of the paths, folders and globs that a document names have something in a list of files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.patterns import matching

FILES = ("README.md", "src/api/routes.py", "src/api/deep/x.py", "src/[id]/page.tsx")


@pytest.mark.parametrize(
    "pattern",
    [
        *("README.md", "src", "src/", "src/api", "src/api/deep/", "src/*.py", "src/**/x.py", "*.md"),
        *("src/api/?outes.py", "src/[id]/page.tsx", "src/[id]/"),
    ],
)
def test_A_47_what_is_there_is_found(pattern: str) -> None:
    assert matching(FILES, [pattern]) == {pattern}


@pytest.mark.parametrize(
    "pattern", ["readme.md", "src/app", "api", "routes.py", "*.ts", "src/api/routes.py/x", "src/?"]
)
def test_A_47_what_is_not_there_is_not(pattern: str) -> None:
    assert matching(FILES, [pattern]) == set()


def test_patterns_come_back_as_they_were_given() -> None:
    assert matching(FILES, ["src/", "gone/", "*.md"]) == {"src/", "*.md"}


@given(st.lists(st.text(min_size=1, max_size=8), max_size=3), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_a_file_always_answers_to_its_own_name(files: list[str], others: list[str]) -> None:
    named = [each for each in files if not each.endswith("/")]

    assert matching([*files, *others], named) == set(named)
