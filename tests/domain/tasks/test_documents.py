"""Documents against what is asked of them: there, long enough, filled, without placeholders, true to the tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from andon.domain.language import Wording
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.documents import (
    code_untouched,
    documents_of,
    existing,
    long_enough,
    missing_sections,
    unknown_paths,
    with_sections,
    without_placeholders,
)
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.placeholders import placeholders
from andon.domain.tasks.workflows import workflow_of
from andon.roles.guides import NAMES, guide

A, B, C = TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW
PLANNING = workflow_of(A).phase(1).documents
DESIGN = workflow_of(A).phase(2).documents


@pytest.mark.parametrize(
    ("documents", "omitted"), [(PLANNING, "docs/planning/05_business_model.md"), (DESIGN, "docs/design/04_api.md")]
)
def test_D_08_D_13_exactly_the_document_that_is_missing_is_reported(
    documents: tuple[object, ...], omitted: str
) -> None:
    chosen = PLANNING if documents is PLANNING else DESIGN
    texts = {each.path: "text" for each in chosen if each.path != omitted}

    assert existing(chosen, texts) == Criterion("documents_exist", False, f"{omitted} is missing")
    assert existing(chosen, {**texts, omitted: ""}).passed


@pytest.mark.parametrize(
    ("type", "phase", "least"),
    [
        pytest.param(A, 1, 500, id="D-09"),
        pytest.param(A, 2, 500, id="D-13 X-42"),
        pytest.param(B, 1, 1000, id="D-29"),
        pytest.param(B, 2, 800, id="D-32"),
        pytest.param(C, 1, 800, id="D-42"),
        pytest.param(C, 2, 1000, id="D-46"),
    ],
)
@pytest.mark.parametrize("letter", ["a", "가"])
def test_D_09_D_13_D_29_D_32_D_42_D_46_X_42_one_character_too_few_fails(
    type: TaskType, phase: int, least: int, letter: str
) -> None:
    documents = workflow_of(type).phase(phase).documents
    enough = {each.path: letter * least for each in documents}
    first = documents[0].path

    assert long_enough(documents, enough).passed
    short = long_enough(documents, {**enough, first: letter * (least - 1) + "\n\n"})
    assert short == Criterion("length", False, f"{first} has {least - 1} characters, {least} are needed")


PLACEHOLDERS = [
    ("[TODO]", "[TODO]"),
    ("text [TBD] text", "[TBD]"),
    ("[TODO: write this]", "[TODO: write this]"),
    ("Name: [Insert name]", "[Insert name]"),
    ("[insert the price here]", "[insert the price here]"),
    ("Coming soon", "Coming soon"),
    ("The price is coming soon.", "coming soon"),
    ("To be defined", "To be defined"),
    ("TODO: ask the customer", "TODO"),
    ("Ask the customer (TODO: when?)", "TODO"),
    ("- TODO write this", "TODO"),
    ("## TBD", "TBD"),
    ("| TBD | later |", "TBD"),
    ("1. TODO", "TODO"),
    ("```json\n{\"name\": \"[TBD]\"}\n```", "[TBD]"),
]  # fmt: skip
FINE = [
    "A todo app for families",
    "Our Todo list beats other TODO lists",
    "# TODO App",
    "TODO list with sharing",
    "- TODO items can be shared",
    "TODO 앱을 만든다",
    "The state is one of `TODO`, `DOING`, `DONE`",
    "Write no `[TODO]` in documents",
    "todo: lower case is a word",
    "[Insert Coin](https://example.org) is a game",
    "Screens are defined below",
    "```\nComing soon\n```",
    "AUTODOC and TODOS are words",
]


@pytest.mark.parametrize(("text", "found"), PLACEHOLDERS)
def test_D_10_X_41_a_placeholder_is_reported_with_its_line(text: str, found: str) -> None:
    (hit,) = placeholders(f"# Title\n\n{text}\n")

    assert hit.text == found
    assert hit.line == 3 + text.count("\n", 0, text.index(found))


@pytest.mark.parametrize("text", FINE)
def test_D_10_X_41_only_the_form_of_a_marker_counts(text: str) -> None:
    assert placeholders(f"# Title\n\n{text}\n") == ()


def test_D_10_file_and_line_are_named() -> None:
    found = without_placeholders(PLANNING, {PLANNING[0].path: "# Idea\n[Insert name]\nComing soon"})

    assert not found.passed
    assert found.detail.splitlines() == [
        'docs/planning/01_idea.md:2: "[Insert name]"',
        'docs/planning/01_idea.md:3: "Coming soon"',
    ]


@given(some.text(alphabet="todbTODB[]: \n`#-", max_size=200))
def test_D_10_lines_are_those_of_the_text_and_lower_case_is_never_found(text: str) -> None:
    lines = text.splitlines()
    assert all(found.text in lines[found.line - 1] for found in placeholders(text))
    assert placeholders(text.lower()) == ()


GUIDE = (Wording("문제", "Problem"), Wording("해결책", "Solution"), Wording("가치", "Value"), Wording("위험", "Risks"))
WHOLE = "# Idea\n\n## Problem\nA\n## Solution\nB\n## 3. Value and price\nC\n## Risks\nD\n"


@pytest.mark.parametrize(
    ("document", "missing"),
    [
        (WHOLE, ()),
        (WHOLE.replace("## Problem", "## 2. 문제"), ()),
        (WHOLE.replace("## Risks\nD\n", ""), ("Risks / 위험",)),
        (WHOLE.replace("## Risks\nD\n", "## Risks\n\n- \n"), ("Risks / 위험",)),
        (WHOLE.replace("## Risks\nD\n", "## Risks\n### For us\nD\n"), ()),
        (WHOLE.replace("## Solution", "Solution"), ("Solution / 해결책",)),
        (WHOLE.replace("## Solution", "```\n## Solution\n```"), ("Solution / 해결책",)),
        ("", ("Problem / 문제", "Solution / 해결책", "Value / 가치", "Risks / 위험")),
    ],
)
def test_D_11_a_heading_of_the_guide_that_the_document_lacks_or_leaves_empty(
    document: str, missing: tuple[str, ...]
) -> None:
    assert missing_sections(GUIDE, document) == missing


def test_D_11_sections_are_looked_for_in_the_guide_of_the_same_name() -> None:
    texts = {PLANNING[0].path: WHOLE.replace("## Risks\nD\n", ""), PLANNING[1].path: "no heading"}

    found = with_sections(PLANNING, texts, {"/guide/planning/01_idea.md": GUIDE})

    assert found == Criterion("sections", False, "docs/planning/01_idea.md has no section Risks / 위험")


CURRENT_STATE = """# Current state
## Project structure
src and tests
## Main components
Cart, Checkout
## Data model
Order
## API endpoints
none
## External dependencies
Stripe
## Current patterns
Repositories
## Areas to change
src/cart.py
## Impact on other components
Checkout reads the cart
"""
상태 = """# 현재 상태
## 1. 프로젝트 구조 개요
src
## 2. 주요 컴포넌트 및 책임
장바구니
## 3. 데이터 모델 및 스키마
주문
## 4. API 엔드포인트
없음
## 5. 외부 의존성 및 서비스
Stripe
## 6. 현재 구현 패턴
저장소
## 7. 수정할 영역
src/cart.py
## 8. 다른 컴포넌트에 대한 잠재적 영향
결제
"""
PLAN = """# Modification plan
## Requirements
Totals are rounded.
## Files to create
- none
## Files to modify
- src/cart.py: rounds
## Files to delete
- none
## Approach
1. Change it.
## Risks
- breaking: none
## Tests
- existing
"""
REQUIREMENTS = """# Backup
## Overview
Backs up.
## Trigger definition
schedule
## Steps
1. dump
## External integrations
S3
## Data requirements
a dump
## Error handling
retry
## Success criteria
a file in S3
"""
DESIGN_TEXT = """# Design
## Diagram
a → b → c
## Step definitions
Step 1
## Condition logic
none
## Loop logic
none
## Data flow
dump to upload
## Integration specifications
S3
## State management
none
"""


@pytest.mark.parametrize(
    ("type", "phase", "text", "heading", "part"),
    [
        pytest.param(B, 1, CURRENT_STATE, "## Impact on other components", "impact", id="D-28"),
        pytest.param(B, 1, CURRENT_STATE, "## External dependencies", "external dependencies", id="D-29"),
        pytest.param(B, 1, 상태, "## 8. 다른 컴포넌트에 대한 잠재적 영향", "impact", id="D-28 ko"),
        pytest.param(B, 2, PLAN, "## Files to delete", "files to delete", id="D-31 deletion"),
        pytest.param(B, 2, PLAN, "## Risks", "risks", id="D-31 risks"),
        pytest.param(C, 1, REQUIREMENTS, "## Success criteria", "success criteria", id="D-40"),
        pytest.param(C, 2, DESIGN_TEXT, "## Diagram", "diagram", id="D-43"),
    ],
)
def test_D_28_D_29_D_31_D_40_D_43_a_part_that_is_missing_is_named(
    type: TaskType, phase: int, text: str, heading: str, part: str
) -> None:
    (document,) = workflow_of(type).phase(phase).documents

    assert with_sections((document,), {document.path: text}, {}).passed
    cut = text.replace(heading, "")
    assert with_sections((document,), {document.path: cut}, {}).detail == f"{document.path} has no part {part}"


def test_D_28_a_labelled_line_is_a_part_too() -> None:
    (document,) = workflow_of(C).phase(1).documents
    text = REQUIREMENTS.replace("## Success criteria\na file in S3", "- **Success criteria**: a file in S3")

    assert with_sections((document,), {document.path: text}, {}).passed
    empty = text.replace("**Success criteria**: a file in S3", "**Success criteria**:")
    assert not with_sections((document,), {document.path: empty}, {}).passed


def test_D_29_a_path_that_does_not_exist_is_reported() -> None:
    text = "The cart is in `src/cart.py`, taxes in `src/tax.py`.\nWritten to docs/analysis/current_state.md."

    found = unknown_paths(text, {"src/cart.py"}.__contains__)

    assert found == Criterion("paths_exist", False, "line 1: src/tax.py does not exist")
    assert unknown_paths(text, lambda path: True).passed


@pytest.mark.parametrize(("phase", "passed"), [(1, False), (2, False), (3, True), (4, True)])
def test_D_30_D_32_code_changes_only_where_a_phase_may(phase: int, passed: bool) -> None:
    found = code_untouched(workflow_of(B).phase(phase), ["docs/analysis/current_state.md", "src/cart.py"])

    assert found.passed is passed
    if phase == 1:
        assert found.detail == "code changed in analysis: src/cart.py"


def test_D_78_every_document_is_asked_four_things() -> None:
    found = documents_of(workflow_of(A).phase(1), {}, {})

    assert [each.id for each in found] == ["documents_exist", "length", "placeholders", "sections"]
    assert [each.passed for each in found] == [False, True, True, True]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("name", [*NAMES["planning"], *NAMES["design"]])
def test_D_11_a_document_with_the_very_headings_of_its_guide_lacks_none(name: str, language: str) -> None:
    sections = guide(name).sections
    text = "".join(f"## {getattr(each, language)}\nSomething is said here.\n\n" for each in sections)

    assert missing_sections(sections, text) == ()
