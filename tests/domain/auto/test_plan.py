"""A-43, A-44, A-47, A-58, A-71, G-04: gates of plan and design."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto import design
from andon.domain.auto.plan import light_gate, missing_sections, names_of
from andon.domain.auto.quality_gates import feedback, quality_gates
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.verdict import Verdict

LIMITS = AutoLimits()


def _sized(length: int) -> str:
    return "src/a.py".ljust(length, "x")[: length - 9] + " src/a.py"


@pytest.mark.parametrize(
    ("plan", "lacks"),
    [
        (None, "plan.too_short"),
        ("", "plan.too_short"),
        (" \n" * 100, "plan.too_short"),
        (f"  {_sized(49)}  ", "plan.too_short"),
        (_sized(50), ""),
        ("x" * 200, "plan.no_path"),
        ("We change things under src/ and that is all there is to be said.", ""),
    ],
)
def test_A_43_A_44_lead_quality_gate(plan: str | None, lacks: str) -> None:
    assert light_gate(plan, LIMITS) == lacks


KOREAN = "## 배경\nx\n## 구현 범위\ny\n## 예상 영향 파일\n- src/a.py\n## 위험\nz\n"
ENGLISH = "## Background\nx\n## Scope\ny\n## Affected files\n- src/a.py\n## Risks\nz\n"


@pytest.mark.parametrize(
    ("plan", "numbers"),
    [
        (KOREAN, []),
        (ENGLISH, []),
        (
            KOREAN.replace("## 배경", "## 문제 정의")
            .replace("구현 범위", "범위")
            .replace("## 위험", "### 예상 위험 요소"),
            [],
        ),
        (KOREAN.replace("## 위험", "## 기타"), [4]),
        (ENGLISH.replace("## Background", "Background"), [1]),
        (ENGLISH.replace("## Scope", "```\n## Scope\n```"), [2]),
        (ENGLISH.replace("- src/a.py", "to be decided"), [3]),
        ("## Background\nsee src/a.py\n## Scope\ny\n## Risks\nz", [3]),
        ("## Files\nNone yet", [1, 2, 3, 4]),
        ("", [1, 2, 3, 4]),
    ],
)
def test_A_58_mandatory_sections(plan: str, numbers: list[int]) -> None:
    assert [each.number for each in missing_sections(plan)] == numbers


def test_A_58_missing_parts_are_named_in_the_tasks_language() -> None:
    missing = missing_sections(KOREAN.replace("## 위험", "## 기타"))

    assert (names_of(missing, Language.KO), names_of(missing, Language.EN)) == ("위험 요소", "risks")


GOOD = (
    ENGLISH
    + "## Acceptance criteria\n- `pytest tests/` exits 0\n## Edge cases\n- empty list\n- file of 2 GB\n"
    + "- `src/new.py` (new)\n"
)


def test_A_47_a_good_plan_fails_no_gate() -> None:
    results = quality_gates(GOOD, {"src/a.py", "tests/"}.__contains__)

    assert [each.gate for each in results] == ["QG1", "QG2", "QG3", "QG4"]
    assert not any(each.failed for each in results)
    assert results[1].verdict is Verdict.NOT_MEASURED
    assert feedback(results) == ""


def test_A_47_G_04_missing_path_vague_word_and_one_edge_case() -> None:
    plan = "# Plan\n- src/gone.py\n적절히 처리한다\n## 엣지 케이스\n- 빈 입력\n"

    files, _, vague, edges = quality_gates(plan, lambda path: False)

    assert files.failed and (files.findings[0].path, files.findings[0].line) == ("src/gone.py", 2)
    assert vague.failed and vague.findings[0].line == 3
    assert edges.failed and "1 explicit" in edges.findings[0].message and "for example" in edges.findings[0].message
    assert "QG1 FAIL, line 2: src/gone.py" in feedback((files, vague, edges))


@pytest.mark.parametrize(("named", "failed"), [("src/teams/team.py", False), ("src/teams/other.py", True)])
def test_A_47_a_file_may_be_called_by_its_name_where_the_plan_has_its_path(named: str, failed: bool) -> None:
    plan = f"# Plan: team.py in parts\n## Affected files\n- `{named}`\n"

    files, *_ = quality_gates(plan, lambda path: path == named)

    assert files.failed is failed


def test_A_47_a_plan_without_any_path_fails_QG1() -> None:
    assert quality_gates("do it", lambda path: True)[0].failed


def test_X_12_new_files_and_own_documents_need_not_exist() -> None:
    plan = "- src/new.py (신규)\n- docs/02-design/f.design.md\n"

    assert not quality_gates(plan, lambda path: False)[0].failed


@pytest.mark.parametrize(
    ("line", "hits"),
    [
        ("적절히 처리", 1),
        ("필요 시 재시도", 1),
        ("필요시 재시도", 1),
        ("가능하면 캐시", 1),
        ("로그, 설정 등을 정리", 1),
        ("로그, 설정 등", 1),
        ("기타 파일", 1),
        ("if needed, retry; errors etc.", 2),
        ("등록 화면과 동등 비교, 등가 교환", 0),
        ("필요 시간 30분", 0),
        ("불가능하면 중단한다", 0),
        ("/etc/hosts and `if needed`", 0),
        ("초등 수학", 0),
    ],
)
def test_A_47_X_12_vague_words_as_whole_words(line: str, hits: int) -> None:
    assert len(quality_gates(line, lambda path: True)[2].findings) == hits


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("## Acceptance criteria\n- it should work well", True),
        ("## 완료 기준\n- 잘 동작해야 함", True),
        ("Acceptance: works properly", True),
        ("## Acceptance criteria\n- It should be good", True),
        ("## Acceptance criteria\n- the page looks nice", True),
        ("## 완료 기준\n- 화면이 보기 좋다", True),
        ("## Acceptance criteria\n- exit code 0, where the signature is good", False),
        ('## Acceptance criteria\n- it prints "will be good", and `looks nice` is a column', False),
        ("## Background\nIt does not work well today\n## Acceptance criteria\n- exit code 0", False),
    ],
)
def test_A_47_woolly_criteria(text: str, failed: bool) -> None:
    assert quality_gates(text, lambda path: True)[1].failed is failed


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("## Scope\n- a reader", True),
        ("## Acceptance criteria\n\n## Risks\n- none", True),
        ("## Acceptance criteria\n| what | how |\n|---|---|", True),
        ("Acceptance criteria:", True),
        ("The acceptance criteria are met", True),
        ("## Acceptance criteria\n| what | how |\n|---|---|\n| exit code | 0 |", False),
        ("## Acceptance criteria\n```\npytest tests/\n```", False),
        ("## Acceptance criteria\n```\n```", True),
        ("## 완료 기준\n종료 코드는 0", False),
        ("## User stories\n- As a reader I want a list.\n  - **Acceptance criteria:** exit code 0", False),
        ("- AC 1: exit code 0", False),
        ("완료 기준: 종료 코드 0", False),
    ],
)
def test_A_47_a_plan_without_a_criterion_fails_QG2(text: str, failed: bool) -> None:
    result = quality_gates(text, lambda path: True)[1]

    assert result.failed is failed
    assert not failed or "## Acceptance criteria" in feedback((result,))


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("## Edge cases\n- a\n- b", False),
        ("## Edge cases\n- a\n  - detail of a", True),
        ("## 예외 상황\n1. a\n2. b", False),
        ("## Edge cases\n| case | what |\n|---|---|\n| a | x |\n| b | y |", False),
        ("## Edge cases\n| case | what |\n|---|---|\n| a | x |", True),
        ("Edge cases: empty input; no network", False),
        ("- Edge case 1: empty\n- Edge case 2: huge", False),
        ("There are edge cases", True),
        ("", True),
    ],
)
def test_A_47_two_edge_cases(text: str, failed: bool) -> None:
    assert quality_gates(text, lambda path: True)[3].failed is failed


@given(st.text())
def test_A_47_A_58_A_71_no_document_breaks_a_gate(text: str) -> None:
    assert len(quality_gates(text, lambda path: False)) == 4
    missing_sections(text)
    design.missing_items(text)
    light_gate(text, LIMITS)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["a", " ", "#", "# ", "`", "-", "/", "a/", ".", "::", "|", "*", "(", "public ", "가", "“", "\n"]
)
def test_A_47_A_58_A_71_hostile_length_is_read_in_time(piece: str) -> None:
    text = "# " + piece * (40_000 // len(piece)) + "!"

    quality_gates(text, lambda path: False)
    missing_sections(text)
    design.missing_items(text)


DESIGN = """# Design
- src/a.py
## Interface
`def load(path: str) -> Config`
## Data flow
file -> Config -> page
## Test strategy
Unit tests with pytest.
"""


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (DESIGN, []),
        ("`src/a.ts`: `class Store`. 데이터 흐름: 입력에서 출력까지. 테스트 범위: 단위", []),
        (DESIGN.replace("- src/a.py", ""), [1]),
        (DESIGN.replace("`def load(path: str) -> Config`", "a loader"), [2]),
        (DESIGN.replace("## Test strategy\nUnit tests with pytest.", "- tests/test_a.py"), [3]),
        (DESIGN.replace("## Data flow", "## Notes"), [4]),
        ("", [1, 2, 3, 4]),
    ],
)
def test_A_71_design_gate(text: str, numbers: list[int]) -> None:
    assert [each.number for each in design.missing_items(text)] == numbers
