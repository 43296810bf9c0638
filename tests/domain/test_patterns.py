"""A-47: which of the paths, folders and globs that a document names have something in a list of files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.patterns import ignored, matching

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


IGNORED = (
    *("src/", "src", "/src", "a.py", "*.py", "/*.py", "src/*.py", "src/**", "**/a.py", "src/**/a.py", "**/api/**", "*"),
    *(
        "s?c",
        "[^t]rc",
        "[!s]rc",
        "src/*/a.py",
        "a.py/",
        "# src",
        "src/api/",
        "api/",
        "api/a.py",
        "**",
        r"\*.py",
        "a.py  ",
    ),
    *(r"\!odd.py", "SRC", "[a-c].py", "src/api", "/api"),
)


def test_a_line_of_a_gitignore_means_what_git_takes_it_for(tmp_path: Path) -> None:
    files = ("a.py", "src/a.py", "src/api/a.py", "src/api/deep/b.py", "test/x.ts", "!odd.py")
    wanted = [f"{number}/{file}" for number in range(len(IGNORED)) for file in files]
    for number, pattern in enumerate(IGNORED):
        for file in files:
            (tmp_path / str(number) / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / str(number) / file).touch()
        (tmp_path / str(number) / ".gitignore").write_text(pattern + "\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, timeout=20)
    words = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    asked = "\0".join(wanted) + "\0"
    told = subprocess.run(words, cwd=tmp_path, input=asked, capture_output=True, text=True, timeout=20).stdout

    found = [file for file in wanted if ignored(file, IGNORED[int(file.split("/")[0])], file.split("/")[0])]

    assert found == [each for each in told.split("\0") if each]
