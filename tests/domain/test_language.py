"""G-03, E-05: language of a task, messages in both languages, headings in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import andon
from andon.domain.language import MESSAGES, Language, MissingValue, Section, detect, placeholders, say, sections_of

HANGUL = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1)
LATIN = st.text(st.characters(codec="ascii"))


@pytest.mark.parametrize(
    ("task", "language"),
    [
        ("README.md에 설치 방법 추가", Language.KO),
        ("lib/slack에 메시지 검색 기능 추가", Language.KO),
        ("src/agents/teams에 research_team.py 전면 리팩토링", Language.KO),
        ("Kubernetes deployment manifest에 readinessProbe 추가", Language.KO),
        ("Next.js App Router로 옮기기", Language.KO),
        ("로그인 버그 수정", Language.KO),
        ("Add the installation steps to README.md", Language.EN),
        ("Translate the label '설정' on the settings page", Language.EN),
        ('Show "저장되었습니다" after saving the form', Language.EN),
        ("docs/설계.md: fix the broken links in this document", Language.EN),
        ("", Language.EN),
        ("123 !?", Language.EN),
        ('"설정"', Language.KO),
    ],
)
def test_G_03_language_of_a_task(task: str, language: Language) -> None:
    assert detect(task) is language


@given(LATIN)
def test_G_03_no_hangul_is_english(text: str) -> None:
    assert detect(text) is Language.EN


@given(HANGUL)
def test_G_03_only_hangul_is_korean(text: str) -> None:
    assert detect(text) is Language.KO


@given(st.text())
def test_G_03_any_text_has_a_language(text: str) -> None:
    assert detect(text) in Language


KOREAN = [
    ("A-106", "qa.environment", {"detail": "ruff: command not found"},
     "[Phase 4] 환경 오류 감지: ruff: command not found. 환경 설정 필요."),
    ("A-107", "qa.same_failure", {"count": 3, "signature": "test:a FAILED"},
     "[Phase 4] 동일 실패 3회: test:a FAILED. Root cause 보고."),
    ("A-108", "qa.max_cycles", {"max_cycles": 5, "remaining_issues": "a, b"}, "[Phase 4] QA 5회 도달. 미해결: a, b"),
    ("A-93", "gate.rejected", {"count": 2}, "[Phase 3] Architect 2회 거부. 사용자 판단 필요."),
    ("A-127", "act.reentries", {"limit": 3}, "[Phase 5] Phase 4 재진입 3회 초과. 미해결 이슈 보고 후 종료."),
    ("A-128", "act.improvements", {"limit": 5}, "[Phase 5] 누적 5회 개선 시도 초과. 최종 결과 보고."),
    ("A-55", "plan.forced", {"count": 5}, "WARNING: Critic 5회 반복으로 강제 승인"),
    ("A-57", "issue.comment", {"path": "docs/01-plan/f.plan.md"}, "관련 Plan: docs/01-plan/f.plan.md"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "values", "text"), [row[1:] for row in KOREAN], ids=[row[0] for row in KOREAN])
def test_A_106_A_107_A_108_A_93_A_127_A_128_A_55_A_57_korean_as_the_seeds_have_it(
    key: str, values: dict[str, object], text: str
) -> None:
    assert say(Language.KO, key, **values) == text


@pytest.mark.parametrize("key", MESSAGES)
def test_G_03_both_languages_have_the_same_shape(key: str) -> None:
    ko, en = MESSAGES[key]

    assert sorted(placeholders(ko)) == sorted(placeholders(en))
    assert ko.partition("]")[0] == en.partition("]")[0] if "[Phase" in ko + en else True


def test_every_message_is_said_somewhere() -> None:
    """`section.` and what follows is put together from a Section."""
    sources = [file.read_text(encoding="utf-8") for file in Path(next(iter(andon.__path__))).rglob("*.py")]
    said = "\n".join(re.sub(r'^ *"[a-z0-9_.]+": Wording', "", text, flags=re.MULTILINE) for text in sources)

    assert [key for key in MESSAGES if f'"{key}"' not in said and not key.startswith("section.")] == []


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("key", [key for key in MESSAGES if placeholders(MESSAGES[key].en)])
def test_E_05_a_missing_value_is_an_error_naming_it(key: str, language: Language) -> None:
    missing = placeholders(getattr(MESSAGES[key], language.value))[0]

    with pytest.raises(MissingValue, match=missing):
        say(language, key)


def test_E_05_braces_in_a_value_stay_as_they_are() -> None:
    assert say(Language.EN, "qa.environment", detail="{x} {}").count("{x} {}") == 1


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("배경", Section.BACKGROUND),
        ("문제 정의", Section.BACKGROUND),
        ("1. 배경 및 목적", Section.BACKGROUND),
        ("배경/문제 정의", Section.BACKGROUND),
        ("Background", Section.BACKGROUND),
        ("Problem statement", Section.BACKGROUND),
        ("구현 범위", Section.SCOPE),
        ("범위", Section.SCOPE),
        ("2) Scope", Section.SCOPE),
        ("위험", Section.RISKS),
        ("예상되는 위험 요소", Section.RISKS),
        ("Risks and mitigations", Section.RISKS),
        ("예상 영향 파일", Section.FILES),
        ("Affected files", Section.FILES),
        ("Edge cases", Section.EDGE_CASES),
        ("완료 기준", Section.CRITERIA),
        ("New files", Section.NEW_FILES),
    ],
)
def test_A_58_headings_in_both_languages(heading: str, section: Section) -> None:
    assert section in sections_of(heading)


@pytest.mark.parametrize("heading", ["영향 범위", "Scopeless", "위험하지 않은 이유", "", "Backgrounds", "####"])
def test_A_58_other_headings_are_not_taken_for_sections(heading: str) -> None:
    assert not sections_of(heading)
