"""Which headings of a document are work."""

from __future__ import annotations

import pytest

from andon.domain.teams.graph import number_of
from andon.domain.teams.selecting import remarks, selected
from andon.domain.teams.units import Unit, described, slug


def units(*rows: str) -> list[Unit]:
    """`Title`, or `> Title` for a part of the one before; after a bar its body."""
    made, parent = list[Unit](), ""
    for row in rows:
        title, _, body = row.partition("|")
        inside = title.startswith(">")
        title = title.lstrip("> ")
        made.append(described(Unit(slug(title), title, 3 if inside else 2, 1, body, parent if inside else "")))
        parent = parent if inside else slug(title)
    return made


def kept(*rows: str) -> list[str]:
    return [unit.title for unit in selected(units(*rows))[0]]


def test_B_17_what_tells_about_the_document_is_no_work() -> None:
    work, about = selected(
        units("Overview|x", "Search|x", "Write the report|x", "Examples|x", "> Good one|x", "참고 문서|x")
    )

    assert [unit.title for unit in work] == ["Search", "Write the report"]
    assert [unit.title for unit in about] == ["Overview", "Examples", "Good one", "참고 문서"]
    assert remarks(work, about) == [
        "headings about the document, which are no work: Overview, Examples, Good one, 참고 문서"
    ]


def test_B_17_where_steps_are_numbered_they_are_the_work_with_their_parts() -> None:
    rows = (
        "Architecture|x",
        "Workflow|x",
        "> Phase 1: Look|x",
        "> Phase 2: Do|x",
        "STEP 3|",
        "> reader|x",
        "Recovery|x",
    )

    assert kept(*rows) == ["Phase 1: Look", "Phase 2: Do", "STEP 3", "reader"]


@pytest.mark.parametrize("body", ["outputs: `a.md`", "입력: 질문", "AskUserQuestion(x)", "blockedBy: [one]"])
def test_B_17_what_says_what_it_takes_makes_or_asks_is_work_whatever_it_is_called(body: str) -> None:
    assert kept("Step 1|x", "Step 2|x", f"Notes|{body}", "Else|x") == ["Step 1", "Step 2", "Notes"]


def test_B_17_a_part_of_a_frame_that_goes_stands_for_itself() -> None:
    work, _ = selected(units("Phases|", "> Look|x", "> Do|x"))

    assert [(unit.title, unit.parent) for unit in work] == [("Look", ""), ("Do", "")]


def test_B_17_a_document_with_nothing_else_is_all_work() -> None:
    assert kept("Overview|x", "Usage|x") == ["Overview", "Usage"]


def test_B_17_many_parts_without_any_order_are_rather_something_to_look_up() -> None:
    work, about = selected(units(*(f"Pattern {word}|x" for word in "abcdefghijklmn")))

    assert "something to look up" in remarks(work, about)[0]
    assert not remarks(work[:5], about)


def test_B_20_steps_are_numbered_in_the_korean_way_too() -> None:
    assert kept("1단계: 자료|x", "2단계: 작성|x", "배포 방식|x") == ["1단계: 자료", "2단계: 작성"]
    assert [number_of(title) for title in ("3단계: 통합", "10단계", "단계 2", "3개 파일")] == ["3", "10", "2", None]
