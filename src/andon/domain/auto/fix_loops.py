"""The fix loops of a uam run, and the attempts of a bugfix, one line each: the strategy, what changed, what failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from andon.domain.journal import Entry
from andon.domain.language import Language, Wording, fill

SHOWN_PATHS = 2
_FAILED = re.compile(r"^  - (.+?)(?:: \S+ — .*)?$", re.MULTILINE)
"""What a gate names, without the kind and the message of a test's failure."""

WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "loop": Wording("{number} ({strategy}): {came}", "{number} ({strategy}): {came}"),
        "fix": Wording("수정", "fix"),
        "reset": Wording("새 세션", "new session"),
        "replan": Wording("재계획", "replan"),
        "planning": Wording("계획부터 다시", "back to planning"),
        "stopped": Wording("중단됨, 세지 않음", "broken off, not counted"),
        "given_up": Wording("포기: {why}", "given up: {why}"),
        "unchanged": Wording("바뀐 파일 없음", "changed nothing"),
        "changed": Wording("{paths} 변경", "changed {paths}"),
        "more": Wording("{paths} 외 {count}개", "{paths} and {count} more"),
        "failed": Wording("그 뒤 게이트 {gate} 실패: {what}", "then gate {gate} failed: {what}"),
        "passed": Wording("그 뒤 게이트 {gate} 통과", "then gate {gate} passed"),
        "attempt": Wording("{number}: {came}", "{number}: {came}"),
        "attempt.passed": Wording("통과", "passed"),
    }
)


def loops(entries: Iterable[Entry], language: Language) -> list[str]:
    """In the order they were made. What a gate found after one belongs to it."""
    told: list[dict[str, Any]] = []
    for entry in entries:
        match entry.kind:
            case "fix_loop":
                told.append({**entry.data})
            case "fix_loop_ended" if told:
                told[-1] |= {"ended": entry.data}
            case "gate" if told:
                told[-1] |= {"gate_after": entry.data}
            case _:
                pass
    return [_loop(each, language) for each in told]


def attempts(entries: Iterable[Entry], language: Language) -> list[str]:
    found = [entry.data for entry in entries if entry.kind == "attempt"]
    passed = _word(language, "attempt.passed")
    return [
        _word(language, "attempt", number=each["number"], came=passed if each["passed"] else what_failed(each))
        for each in found
    ]


def what_failed(told: Mapping[str, Any]) -> str:
    """The tests and findings that a gate's summary names, in one line."""
    summary = str(told.get("summary", ""))
    named = ["; ".join(_FAILED.findall(summary)), " ".join(summary.split())]
    return next(filter(None, named), "")


def _loop(told: Mapping[str, Any], language: Language) -> str:
    strategy = str(told["strategy"])
    named = _word(language, strategy) if strategy in WORDS else strategy
    return _word(language, "loop", number=told["number"], strategy=named, came="; ".join(_came_of(told, language)))


def _came_of(told: Mapping[str, Any], language: Language) -> list[str]:
    ended: Mapping[str, Any] = told.get("ended") or {}
    if told["strategy"] == "replan":
        lines = [_word(language, "planning")]
    elif not ended or ended.get("stopped"):
        return [_word(language, "stopped")]
    else:
        lines = _changed(ended, language)
    after: Mapping[str, Any] | None = told.get("gate_after")
    if after is None:
        return lines
    key = "passed" if after["passed"] else "failed"
    return [*lines, _word(language, key, gate=after["gate"], what=what_failed(after))]


def _changed(ended: Mapping[str, Any], language: Language) -> list[str]:
    lines = [_word(language, "given_up", why=ended["given_up"])] if ended.get("given_up") else []
    paths = [str(path) for path in ended.get("changed", ())]
    if paths:
        return [*lines, _word(language, "changed", paths=_few(paths, language))]
    return lines or [_word(language, "unchanged")]


def _few(paths: list[str], language: Language) -> str:
    shown, more = ", ".join(paths[:SHOWN_PATHS]), len(paths) - SHOWN_PATHS
    return _word(language, "more", paths=shown, count=more) if more > 0 else shown


def _word(language: Language, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], language.value), key, values)
