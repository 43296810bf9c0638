"""What tasks say to people, in both languages. Prompts are not here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from andon.domain.language import Language, Wording, fill

WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "start": Wording("{name} 시작.", "{name}: start."),
        "review": Wording(
            "{number}단계({name}) 결과를 확인해 주세요. 검증 {verdict}, 산출물 {count}개.",
            "Phase {number} ({name}) is ready for review: verification {verdict}, {files}.",
        ),
        "review.passed": Wording("통과", "passed"),
        "review.failed": Wording("실패", "failed"),
        "review.not_measured": Wording("측정 안 됨", "not measured"),
        "rework.stuck": Wording(
            "{number}단계({name}) 검증이 {count}번 재작업 뒤에도 통과하지 못했습니다. 직접 검토할까요, 멈출까요?",
            "Phase {number} ({name}) still fails its verification after {count} reworks. Review it yourself, or stop?",
        ),
        "ended.done": Wording("태스크가 끝났습니다: {branch}", "The task is done: {branch}"),
        "ended.verification": Wording(
            "{number}단계({name}) 검증 실패로 멈췄습니다.", "Stopped: phase {number} ({name}) fails its verification."
        ),
        "ended.unverified": Wording(
            "모든 단계가 승인됐지만 변경이 검증되지 않았습니다: {reason}",
            "Every phase is approved, but the change is not verified: {reason}",
        ),
        "ended.answered": Wording(
            '답했습니다. 이어서: andon task chat {run} "…"', 'Answered. To go on: andon task chat {run} "…"'
        ),
        "ended.complete": Wording("대화를 마쳤습니다.", "The conversation is complete."),
    }
)


def word(language: Language, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], language.value), key, values)
