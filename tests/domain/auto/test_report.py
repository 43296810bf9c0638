"""Which of its five parts a completion report lacks."""

from __future__ import annotations

import pytest

from andon.domain.auto.report import Part, missing_parts

ENGLISH = "# Report\n## Plan summary\n## Design\n## 3. Implementation result\n## Check result\n## Lessons learned\n"
KOREAN = "# 보고서\n## 계획 요약\n## 설계 요약\n### 구현 결과\n## 검사 결과\n## 교훈\n"


@pytest.mark.parametrize("text", [ENGLISH, KOREAN])
def test_A_125_five_parts_in_either_language(text: str) -> None:
    assert missing_parts(text) == ()


def test_A_125_nothing_has_none_of_them() -> None:
    assert missing_parts("") == tuple(Part)


def test_A_125_neither_a_title_nor_code_nor_prose_is_a_part() -> None:
    text = "# Plan of the year\n\nDesign was easy.\n\n```\n## Lessons\n```\n\n## Check result\n"

    assert missing_parts(text) == (Part.PLAN, Part.DESIGN, Part.IMPLEMENTATION, Part.LESSONS)
