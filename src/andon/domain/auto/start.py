"""The messages that start teammates, and what `--interactive` asks between phases (A-12, A-73, A-139, A-140)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from andon.domain.auto.mode import post_of
from andon.domain.language import Language, Wording, fill

_PLANNING = Wording("계획 수립 시작.", "Start planning.")
_QA = Wording("QA 실행 시작.", "Start QA.")
_CONDITIONS = Wording("5조건 구현 루프 시작.", "Start the five-condition implementation loop.")
_SCOUTING = Wording("사전 분석 시작.", "Start scouting.")

START: Mapping[str, Wording] = MappingProxyType(
    {
        "slack-analyst": Wording("Slack 채널 분석 요청.", "Analyse the Slack channel."),
        "gmail-analyst": Wording("Gmail 분석 요청.", "Analyse the mail."),
        "doc-analyst": _SCOUTING,
        "issue-analyst": _SCOUTING,
        "planner": Wording(
            "계획 수립 시작. 완료 후 TaskUpdate로 completed 처리.",
            "Start planning. Set your task to completed when done.",
        ),
        "planner-{i}": _PLANNING,
        "arch-{i}": Wording("타당성 검증 시작.", "Start the feasibility check."),
        "critic-{i}": Wording("계획 검토 시작.", "Start the plan review."),
        "critic-lite": Wording("Plan 검토 시작.", "Start the plan review."),
        "design-writer": Wording(
            "설계 문서 생성 요청. 완료 후 TaskUpdate로 completed 처리.",
            "Write the design document. Set your task to completed when done.",
        ),
        "executor": Wording(
            "구현 시작. 완료 후 TaskUpdate로 completed 처리.",
            "Start implementing. Set your task to completed when done.",
        ),
        "impl-manager": _CONDITIONS,
        "impl": _CONDITIONS,
        "tester": _CONDITIONS,
        "impl-{area}": Wording("{area} 구현 시작.", "Start implementing {area}."),
        "impl-verifier": Wording("구현 외부 검증 시작.", "Start the outside verification."),
        "domain-fixer": Wording("Architect 피드백 반영 시작.", "Start on the architect's feedback."),
        "qa-runner": _QA,
        "qa-runner-{i}": _QA,
        "diagnostician-{i}": Wording("Root cause 진단 시작.", "Start the root cause diagnosis."),
        "fixer-{i}": Wording("진단 기반 수정 시작.", "Start the fix by diagnosis."),
        "verifier": Wording(
            "검증 시작. APPROVE/REJECT 판정 후 TaskUpdate 처리.",
            "Start verifying. Decide APPROVE or REJECT, then update your task.",
        ),
        "gap-checker": Wording(
            "갭 분석 시작. 완료 후 TaskUpdate 처리.", "Start the gap analysis. Update your task when done."
        ),
        "quality-checker": Wording(
            "코드 품질 분석 시작. 완료 후 TaskUpdate 처리.", "Start the quality analysis. Update your task when done."
        ),
        "iterator": Wording("갭 자동 개선 시작.", "Start closing the gap."),
        "fixer": Wording("피드백 반영 시작.", "Start on the feedback."),
        "reporter": Wording("보고서 생성 요청.", "Write the report."),
    }
)


def start_message(name: str, language: Language) -> str:
    """What a teammate is told right after it was started."""
    post = post_of(name)
    area = name.removeprefix("impl-")
    shown = area.upper() if len(area) <= 3 else area
    return fill(getattr(START[post], language.value), name, {"area": shown})


PHASE_NAMES = ("PREPARE", "PLAN", "DESIGN", "DO", "CHECK", "ACT")
"""By phase number."""


@dataclass(frozen=True, slots=True)
class Transition:
    """What a person may choose when a phase has ended; the first choice is the default."""

    phase: int
    choices: tuple[str, ...]

    @property
    def default(self) -> str:
        return self.choices[0]


TRANSITIONS: Mapping[int, Transition] = MappingProxyType(
    {
        1: Transition(1, ("proceed", "revise", "skip")),
        2: Transition(2, ("proceed", "revise", "skip")),
        3: Transition(3, ("proceed", "revise")),
        4: Transition(4, ("improve", "manual", "finish")),
    }
)

CHOICES: Mapping[str, Wording] = MappingProxyType(
    {
        "proceed": Wording("진행", "proceed"),
        "revise": Wording("수정", "revise"),
        "skip": Wording("건너뛰기", "skip"),
        "improve": Wording("자동 개선", "auto improve"),
        "manual": Wording("수동 수정", "manual fix"),
        "finish": Wording("완료", "finish"),
    }
)

_FRAME = "=" * 51
_BANNER = Wording(
    "{frame}\n Phase {phase} {name} 완료 -> Phase {following} {next_name} 진입 대기\n{frame}\n"
    " 산출물: {artefact}\n 소요 teammates: {teammates}\n 핵심 결정: {decision}\n{frame}",
    "{frame}\n Phase {phase} {name} done -> Phase {following} {next_name} waiting to start\n{frame}\n"
    " Artefact: {artefact}\n Teammates: {teammates}\n Key decision: {decision}\n{frame}",
)


def banner(language: Language, phase: int, artefact: str, teammates: tuple[tuple[str, str], ...], decision: str) -> str:
    """The frame shown at a transition; `teammates` are (name, tier) pairs."""
    values = {
        "frame": _FRAME,
        "phase": phase,
        "name": PHASE_NAMES[phase],
        "following": phase + 1,
        "next_name": PHASE_NAMES[phase + 1],
        "artefact": artefact,
        "teammates": ", ".join(f"{name} ({tier})" for name, tier in teammates),
        "decision": " ".join(decision.split()),
    }
    return fill(getattr(_BANNER, language.value), "banner", values)
