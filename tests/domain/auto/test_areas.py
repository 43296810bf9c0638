"""A-75, G-27: how a design splits the work among parallel implementers, and when a split is not used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.areas import MOST_AREAS, Area, split_of, within

DESIGN = """# Design

## Target files
- `src/api/routes.py` (new)
- `src/ui/page.tsx` (new)

## Work items
{items}
"""


def split(*items: str) -> tuple[tuple[Area, ...], str]:
    found = split_of(DESIGN.format(items="\n".join(items)))
    return found.areas, found.problem


def test_A_75_G_27_two_independent_items_are_two_areas() -> None:
    areas, problem = split("- api: `src/api/`, tests/api/", "- **UI**: src/ui/page.tsx, `src/ui/style.css`.")

    assert problem == ""
    assert areas == (
        Area("api", ("src/api/", "tests/api/")),
        Area("ui", ("src/ui/page.tsx", "src/ui/style.css")),
    )
    assert [area.teammate for area in areas] == ["impl-api", "impl-ui"]


def test_A_75_the_korean_heading_is_the_same_section() -> None:
    design = "## 작업 분할\n1. impl-api: `src/api/`\n2. ui: `src/ui/`\n"

    assert [area.name for area in split_of(design).areas] == ["api", "ui"]


@pytest.mark.parametrize("items", [(), ("- api: `src/api/`, `src/ui/`",), ("Nothing can be done apart.",)])
def test_A_74_less_than_two_items_are_one_implementers(items: tuple[str, ...]) -> None:
    assert split(*items) == ((), "")


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        (("- api: src/api/", "- api: src/ui/"), "the same name"),
        (("- api: src/", "- ui: src/ui/"), "more than one work item may change src/ui/"),
        (("- api: src/api/, src/ui/page.tsx", "- ui: src/ui/"), "more than one work item may change src/ui/page.tsx"),
        (("- api: src/api/", "- ui: src/ui/", "- docs: the rest"), "docs names no files"),
        (("- api: src/api/", "- docs: README.md"), "no work item may change src/ui/page.tsx"),
        (tuple(f"- part{n}: src/{n}/" for n in "abcde"), f"at most {MOST_AREAS}"),
    ],
)
def test_G_27_a_split_that_does_not_hold_is_not_used_and_says_why(items: tuple[str, ...], problem: str) -> None:
    areas, told = split(*items)

    assert areas == () and problem in told


@pytest.mark.parametrize("scope", ["/etc/", "../other/", "src/../../x/"])
def test_G_27_nobody_gets_files_outside_the_project(scope: str) -> None:
    areas, problem = split(f"- api: {scope}", "- ui: src/ui/")

    assert areas == () and problem


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("src/api/a.py", True),
        ("src/api", True),
        ("src/apis/a.py", False),
        ("README.md", True),
        ("README.md.bak", False),
    ],
)
def test_within_a_scope(path: str, inside: bool) -> None:
    assert within(path, ("src/api/", "README.md")) is inside


@given(st.text())
def test_no_design_raises(text: str) -> None:
    assert len(split_of(f"## Work items\n{text}").areas) != 1
