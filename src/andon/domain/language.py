"""The two languages of people: which one a task is written in, and the fixed messages in both.

Korean messages are the specification's own wording where it fixes one. Nothing here prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple


class Language(StrEnum):
    EN = "en"
    KO = "ko"


LANGUAGE_NAMES = {Language.EN: "English", Language.KO: "Korean"}
"""As prompts call them."""
HANGUL = r"\uac00-\ud7a3"
HANGUL_SHARE = 0.3
"""Of the letters outside names of files and quotations. Korean task texts are full of English nouns."""

_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|“[^”]*”|‘[^’]*’|「[^」]*」|(?<!\S)'[^']*'(?!\w)")
_HANGUL_LETTER = re.compile(rf"[{HANGUL}]")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
_PARTICLE = re.compile(
    rf"[A-Za-z0-9_)]{{2}}(?:에서|에게|으로|까지|부터|에|의|을|를|은|는|이|가|와|과|로|도|만)(?![{HANGUL}])"
)
_NAME = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]*[./\\_][A-Za-z0-9./\\_-]*")


def detect(text: str) -> Language:
    """The language of a task: Korean when a Latin word carries a Korean particle, or enough letters are Hangul."""
    plain = _QUOTED.sub(" ", text)
    if not _HANGUL_LETTER.search(plain) and not _LATIN_LETTER.search(plain):
        plain = text
    if _PARTICLE.search(plain):
        return Language.KO
    words = _NAME.sub(" ", plain)
    hangul = len(_HANGUL_LETTER.findall(words))
    letters = hangul + len(_LATIN_LETTER.findall(words))
    return Language.KO if hangul and hangul / letters >= HANGUL_SHARE else Language.EN


class MissingValue(LookupError):
    """A message was rendered without one of its values: a bug, named by its placeholder (E-05)."""


class Wording(NamedTuple):
    ko: str
    en: str


MESSAGES: Mapping[str, Wording] = MappingProxyType(
    {
        # Fixed by the specification.
        "qa.environment": Wording(
            "[Phase 4] 환경 오류 감지: {detail}. 환경 설정 필요.",
            "[Phase 4] Environment error: {detail}. The environment has to be set up.",
        ),
        "qa.same_failure": Wording(
            "[Phase 4] 동일 실패 {count}회: {signature}. Root cause 보고.",
            "[Phase 4] Same failure {count} times: {signature}. Reporting the root cause.",
        ),
        "qa.max_cycles": Wording(
            "[Phase 4] QA {max_cycles}회 도달. 미해결: {remaining_issues}",
            "[Phase 4] QA reached {max_cycles} cycles. Unresolved: {remaining_issues}",
        ),
        "gate.rejected": Wording(
            "[Phase 3] Architect {count}회 거부. 사용자 판단 필요.",
            "[Phase 3] The architect rejected {count} times. A person has to decide.",
        ),
        "act.reentries": Wording(
            "[Phase 5] Phase 4 재진입 {limit}회 초과. 미해결 이슈 보고 후 종료.",
            "[Phase 5] Phase 4 re-entry limit of {limit} reached. Reporting open issues and ending.",
        ),
        "act.improvements": Wording(
            "[Phase 5] 누적 {limit}회 개선 시도 초과. 최종 결과 보고.",
            "[Phase 5] Limit of {limit} cumulative improvements reached. Reporting the final result.",
        ),
        "plan.forced": Wording(
            "WARNING: Critic {count}회 반복으로 강제 승인",
            "WARNING: approved by force after {count} critic iterations",
        ),
        "issue.comment": Wording("관련 Plan: {path}", "Related plan: {path}"),
        "issue.body": Wording("Plan: {path}", "Plan: {path}"),
        "implementation.resume": Wording(
            "이전 시도에서 {iterations}회까지 진행됨. 남은 이슈: {remaining_issues}. "
            "이전 시도의 변경 사항은 이미 파일에 반영되어 있음. 이어서 진행.",
            "An earlier attempt got as far as iteration {iterations}. Open issues: {remaining_issues}. "
            "Its changes are already in the files. Go on from there.",
        ),
        # Ours.
        "plan.too_short": Wording(
            "[Phase 1] 계획이 비어 있거나 너무 짧습니다. 배경, 구현 범위, 영향 파일을 적어 다시 작성하세요.",
            "[Phase 1] The plan is empty or too short. Write it again with background, scope and affected files.",
        ),
        "plan.no_path": Wording(
            "[Phase 1] 계획에 파일 경로가 없습니다. 바꿀 파일의 경로를 하나 이상 적으세요.",
            "[Phase 1] The plan names no file. Name the path of at least one file to be changed.",
        ),
        "plan.incomplete": Wording(
            "[Phase 1] 계획에 빠진 항목: {missing}. 해당 항목을 보완하세요.",
            "[Phase 1] The plan lacks: {missing}. Add what is missing.",
        ),
        "plan.gates": Wording(
            "[Phase 1] 계획이 품질 기준을 통과하지 못합니다: {failed}",
            "[Phase 1] The plan fails its quality gates: {failed}",
        ),
        "plan.light_warning": Wording(
            "[Phase 1] 재요청 후에도 계획이 부족합니다({missing}). LIGHT 모드이므로 그대로 진행합니다.",
            "[Phase 1] The plan still falls short after the re-request ({missing}). Going on: the mode is LIGHT.",
        ),
        "design.incomplete": Wording(
            "[Phase 2] 설계 문서에 빠진 항목: {missing}. 해당 항목을 보완하세요.",
            "[Phase 2] The design lacks: {missing}. Add what is missing.",
        ),
        "promoted": Wording(
            "[Phase {phase}] 모드 승격 {before} -> {after}: {cause}",
            "[Phase {phase}] Promoted {before} -> {after}: {cause}",
        ),
        "implementation.failed": Wording(
            "[Phase 3] 구현 실패. 남은 이슈: {remaining_issues}. 권장 조치: {recommendation}. 수동 개입이 필요합니다.",
            "[Phase 3] Implementation failed. Open issues: {remaining_issues}. Advice: {recommendation}. "
            "A person has to step in.",
        ),
        "implementation.failed.plain": Wording(
            "[Phase 3] 구현 실패. 남은 이슈: {remaining_issues}. 수동 개입이 필요합니다.",
            "[Phase 3] Implementation failed. Open issues: {remaining_issues}. A person has to step in.",
        ),
        "qa.light_failed": Wording(
            "[Phase 4] QA 실패: {remaining_issues}. LIGHT 모드는 수정 없이 보고만 합니다.",
            "[Phase 4] QA failed: {remaining_issues}. LIGHT reports it and fixes nothing.",
        ),
        "coverage.low": Wording(
            "[Phase 4] 커버리지 {percent}%: 기준 {threshold}% 미만.",
            "[Phase 4] Coverage {percent}% is below {threshold}%.",
        ),
        "resume.no_plan": Wording(
            "[Phase 1] 상태 파일은 Phase {phase}이지만 계획 문서가 없습니다: {path}. Phase 1부터 다시 시작합니다.",
            "[Phase 1] The status says phase {phase}, but the plan is missing: {path}. Starting again at phase 1.",
        ),
        "resume.no_design": Wording(
            "[Phase 2] 상태 파일은 Phase {phase}이지만 설계 문서가 없습니다: {path}. Phase 2부터 다시 시작합니다.",
            "[Phase 2] The status says phase {phase}, but the design is missing: {path}. Starting again at phase 2.",
        ),
        "resume.no_mode": Wording(
            "[Phase 1] 상태 파일에 모드가 없습니다. 복잡도를 다시 판단합니다.",
            "[Phase 1] The status has no mode. The complexity is judged again.",
        ),
        # Names of things the gates ask for.
        "section.background": Wording("배경 또는 문제 정의", "background or problem"),
        "section.scope": Wording("구현 범위", "scope"),
        "section.files": Wording("영향 파일 목록", "list of affected files"),
        "section.risks": Wording("위험 요소", "risks"),
        "item.files": Wording("구현 대상 파일 목록", "list of target files"),
        "item.interface": Wording("인터페이스 설계(함수/클래스 시그니처)", "interface design with signatures"),
        "item.tests": Wording("테스트 전략", "test strategy"),
        "item.data_flow": Wording("데이터 흐름", "data flow"),
    }
)


def say(language: Language, key: str, **values: object) -> str:
    """The message of that key with its values filled in. A value's own braces are left alone."""
    return fill(getattr(MESSAGES[key], language.value), key, values)


def fill(template: str, name: str, values: Mapping[str, object]) -> str:
    missing = [each for each in placeholders(template) if each not in values]
    if missing:
        raise MissingValue(f"message {name} needs a value for {{{missing[0]}}}")
    return template.format_map(values)


def placeholders(template: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(field for _, field, _, _ in Formatter().parse(template) if field))


class Section(StrEnum):
    """Parts of a plan that gates look for by heading."""

    BACKGROUND = "background"
    SCOPE = "scope"
    FILES = "files"
    RISKS = "risks"
    CRITERIA = "criteria"
    EDGE_CASES = "edge_cases"
    NEW_FILES = "new_files"
    WORK_ITEMS = "work_items"


HEADINGS: Mapping[Section, tuple[str, ...]] = MappingProxyType(
    {
        Section.BACKGROUND: (
            "배경", "문제 정의", "문제정의",
            "background", "problem definition", "problem statement", "problem", "context",
        ),
        Section.SCOPE: (
            "구현 범위", "구현범위", "범위", "작업 범위", "개발 범위", "implementation scope", "in scope", "scope",
        ),
        Section.FILES: (
            "예상 영향 파일", "영향 파일", "영향받는 파일", "영향 받는 파일", "변경 파일", "수정 파일", "대상 파일",
            "구현 대상 파일", "affected files", "expected affected files", "files affected", "files to change",
            "files changed", "target files", "changed files", "impacted files", "files",
        ),
        Section.RISKS: ("위험", "리스크", "risks", "risk", "known risks"),
        Section.CRITERIA: (
            "완료 기준", "완료 조건", "인수 기준", "수용 기준", "acceptance criteria", "success criteria",
            "definition of done", "done when",
        ),
        Section.EDGE_CASES: (
            "엣지 케이스", "엣지케이스", "에지 케이스", "예외 상황", "예외 케이스", "예외 처리",
            "경계 조건", "경계 사례", "edge cases", "edge case", "corner cases", "boundary cases", "exceptional cases",
        ),
        Section.NEW_FILES: (
            "신규 파일", "새 파일", "생성 파일", "추가 파일", "new files", "new file", "files to create",
        ),
        Section.WORK_ITEMS: (
            "작업 분할", "작업 항목", "병렬 작업", "독립 작업", "work items", "work split", "parallel work",
        ),
    }
)  # fmt: skip

_CONTAINED = {Section.RISKS: ("위험 요소",)}
"""Names that count anywhere in a heading (A-58, item 4); the others begin one of its parts."""

_NUMBERING = re.compile(r"^[\W_]*(?:\d+(?:\.\d+)*[.)]?\s+)?[\W_]*")
_PARTS = re.compile(r"\s*(?:[/,&·|:]|\s및\s|\sand\s|\s-\s|\(|\))\s*")


def sections_of(heading: str) -> frozenset[Section]:
    """Which sections a heading's text announces, in either language: "2. 배경 및 목적" is a background."""
    title = _title(heading)
    return frozenset(
        section
        for section, names in HEADINGS.items()
        if announces(heading, names) or any(name in title for name in _CONTAINED.get(section, ()))
    )


def announces(heading: str, names: Iterable[str]) -> bool:
    """Whether one of the names begins a part of the heading: "3. Lessons and outlook" announces lessons. A name may be
    of several parts itself."""
    title = _title(heading)
    parts = [title, *(part for part in _PARTS.split(title) if part)]
    return any(_begins(part, name) for part in parts for name in names)


def _title(heading: str) -> str:
    return _NUMBERING.sub("", " ".join(heading[:200].split()).casefold(), count=1).strip(" *_#:")


def _begins(part: str, name: str) -> bool:
    return part == name or part.startswith(f"{name} ")
