"""The catalogue of agents: what the table says, who joins, who implements, on which tier."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.order import Tier
from andon.domain.uam import agents
from andon.domain.uam.agents import CATALOGUE, DESIGNER, FRONTEND, MANDATORY, OPUS, RESEARCHER, WORKER, tier_of
from andon.roles.library import role

SPEC = (Path(__file__).resolve().parents[3] / "docs/spec/uam.md").read_text(encoding="utf-8")


def rows() -> list[list[str]]:
    """The table of the requirement."""
    lines = [line for line in SPEC.splitlines() if re.match(r"\| \d+ \| uam-", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_C_69_the_catalogue_is_the_table() -> None:
    told = [(each.name, each.tier, ", ".join(each.forbidden), ", ".join(map(str, each.phases))) for each in CATALOGUE]

    assert told == [tuple(row[1:5]) for row in rows()]
    assert len(told) == 12


@pytest.mark.parametrize("name", agents.NAMES)
def test_C_69_each_agent_has_a_role_file_that_agrees(name: str) -> None:
    listed, written = agents.agent(name), role(name)

    assert (written.name, written.tier, written.writes) == (name, Tier(listed.tier), listed.writes)
    assert written.description == listed.role
    assert 600 < len(written.text) < 3500


def test_C_69_an_agent_is_found_by_the_name_the_plugin_gives_it() -> None:
    assert agents.agent("uam:uam-worker") is agents.agent("uam-worker")
    with pytest.raises(ValueError, match="no agent uam-judge"):
        agents.agent("uam-judge")


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("uam-gap-analyzer", ["Missing Requirements", "AI Pitfalls", "Must NOT Do", "Recommended Questions"]),
        (
            "uam-verification-planner",
            ["Test Infrastructure", "A-items", "S-items", "H-items", "Verification Gaps", "External Dependencies"],
        ),
        ("uam-worker", ["JSON: worker"]),
        ("uam-frontend", ["JSON: worker"]),
        ("uam-code-reviewer", [*agents.REVIEW_CATEGORIES, "Verdict"]),
    ],
)
def test_C_76_what_a_reply_must_have_is_part_of_the_catalogue(name: str, required: list[str]) -> None:
    assert [*agents.agent(name).required] == required


def test_C_45_there_are_eight_categories_of_review() -> None:
    assert ", ".join(agents.REVIEW_CATEGORIES) in SPEC
    assert len(agents.REVIEW_CATEGORIES) == 8


@pytest.mark.parametrize(
    ("task", "joining"),
    [
        ("add a flag to the export", ()),
        ("add migration for the orders table", ()),
        ("build a quick guide", ()),
        ("리뷰 목록에 페이지네이션을 추가해 줘", ()),
        ("a login page with a dark theme", (DESIGNER,)),
        ("로그인 화면을 만들어 줘", (DESIGNER,)),
        ("css를 정리해 줘", (DESIGNER,)),
        ("switch to another HTTP library", (RESEARCHER,)),
        ("웹소켓 라이브러리를 도입해 줘", (RESEARCHER,)),
        ("introduce React and build the settings page", (RESEARCHER, DESIGNER)),
        ("리액트를 도입하고 설정 화면을 만든다", (RESEARCHER, DESIGNER)),
    ],
)
def test_C_23_new_technology_and_screens_bring_in_who_knows_about_them(task: str, joining: tuple[str, ...]) -> None:
    assert agents.explorers(task) == (*MANDATORY, *joining)
    assert len(agents.explorers(task)) == 4 + len(joining)


def test_C_70_four_are_mandatory_two_are_optional_and_one_follows() -> None:
    first = [each.name for each in CATALOGUE if each.phases == (1,)]

    assert sorted(first) == sorted((*MANDATORY, RESEARCHER, DESIGNER, agents.ANALYSIS))


@pytest.mark.parametrize(
    ("todo", "chosen"),
    [
        ("style the login component", FRONTEND),
        ("add migration", WORKER),
        *((f"change the {word}", FRONTEND) for word in ("UI", "CSS", "layout", "page", "accessibility")),
        *((f"write it in {word}", FRONTEND) for word in ("React", "Vue", "HTML")),
        ("two components and their styles", FRONTEND),
        ("build the guide to paging and restyled pager", WORKER),
        ("guid_ui_x", WORKER),
        ("UI를 고친다", FRONTEND),
        ("접근성을 높인다", FRONTEND),
        ("컴포넌트 분리", FRONTEND),
        ("코드 리뷰 반영", WORKER),
        ("", WORKER),
    ],
)
def test_C_32_the_words_of_a_todo_choose_who_implements_it(todo: str, chosen: str) -> None:
    assert agents.worker_for(todo) == chosen


LETTERS = some.text("abcdefghijklmnopqrstuvwxyz0123456789_", min_size=1, max_size=5)


@given(some.sampled_from(["ui", "css", "react", "vue", "html", "page", "layout"]), LETTERS, LETTERS)
def test_G_15_a_keyword_within_a_longer_word_is_none(word: str, before: str, after: str) -> None:
    assert agents.worker_for(f"the {before}{word}{after}q") == WORKER


@pytest.mark.parametrize(
    ("condition", "raised"),
    [
        ({}, set[str]()),
        ({"ambiguous": True}, {"uam-tradeoff-analyzer"}),
        ({"system_wide": True}, {"uam-tradeoff-analyzer"}),
        ({"complexity": "L", "architecture": True}, {"uam-worker"}),
        ({"complexity": "L"}, set[str]()),
        ({"complexity": "M", "architecture": True}, set[str]()),
        ({"sensitive": True}, {"uam-code-reviewer"}),
        ({"same_error": 3}, {"uam-debugger"}),
        ({"same_error": 2}, set[str]()),
        ({"stagnating": True}, {"uam-debugger"}),
    ],
)
def test_C_72_each_condition_raises_exactly_the_agents_it_is_about(condition: dict[str, Any], raised: set[str]) -> None:
    """The pm is on opus whatever happens."""
    assert {name for name in agents.NAMES if tier_of(name, **condition) == OPUS} == {"uam-pm", *raised}


@pytest.mark.parametrize("name", agents.NAMES)
def test_C_71_without_a_choice_the_table_holds_and_a_choice_counts_before_all(name: str) -> None:
    assert tier_of(name) == agents.agent(name).tier
    assert tier_of(f"uam:{name}", stagnating=True, ambiguous=True, chosen="haiku") == "haiku"
    with pytest.raises(ValueError, match="gpt is none of"):
        tier_of(name, chosen="gpt")
