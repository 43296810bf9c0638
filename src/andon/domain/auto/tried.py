"""What was tried in a run, counted from its journal: plans, implementations, QA cycles, fixes, rejections and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from andon.domain.auto.fix_loops import attempts, loops
from andon.domain.journal import Entry
from andon.domain.language import Language, Wording

_TEAMMATES = (
    ("plans", re.compile(r"planner(-\d+)?|design-writer")),
    ("implementations", re.compile(r"executor|impl-manager|tester|impl(?!-verifier)(-.+)?")),
    ("qa_cycles", re.compile(r"qa-runner(-\d+)?")),
    ("fixes", re.compile(r"fixer(-\d+)?|domain-fixer|iterator")),
)
_ONE_EACH = MappingProxyType(
    {
        "claim_refused": "claims",
        "promoted": "promotions",
        "teammate_failed": "failures",
        "scope_refused": "refusals",
        "directed": "directions",
        "taken_over": "take_overs",
        "accepted": "acceptances",
    }
)
KINDS = (
    *("plans", "implementations", "qa_cycles", "fixes", "fix_loops", "attempts", "rejections"),
    *_ONE_EACH.values(),
)
IN_FULL = ("fix_loops", "attempts")
"""Told one by one: each was another try at the same thing."""

LABELS: Mapping[str, Wording] = MappingProxyType(
    {
        "plans": Wording("계획", "planned"),
        "implementations": Wording("구현", "implemented"),
        "qa_cycles": Wording("QA 검사", "QA cycles"),
        "fixes": Wording("수정", "fixed"),
        "fix_loops": Wording("수정 루프", "fix loops"),
        "attempts": Wording("시도", "attempts"),
        "rejections": Wording("반려", "rejected"),
        "claims": Wording("거짓 완료 주장", "false claims"),
        "promotions": Wording("모드 승격", "promoted"),
        "failures": Wording("팀원 실패", "agent failed"),
        "refusals": Wording("범위 밖 쓰기", "out of scope"),
        "directions": Wording("사람의 지시", "directed"),
        "take_overs": Wording("사람의 작업", "taken over"),
        "acceptances": Wording("지적 수용", "accepted"),
    }
)
_PASSED = Wording("모두 통과", "all passed")
_NOT_MEASURED = Wording("측정되지 않음", "not measured")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way in which the run tried, how often, and in a line what came of it the last time."""

    kind: str
    label: str
    count: int
    last: str
    each: tuple[str, ...] = ()
    """What came of every time, where that is told one by one."""


def tried(entries: Iterable[Entry], language: Language = Language.EN) -> tuple[Attempt, ...]:
    """In the order of the work; what was not tried is left out."""
    entries = tuple(entries)
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    found |= {"fix_loops": loops(entries, language), "attempts": attempts(entries, language)}
    checks: dict[tuple[str, str], Mapping[str, Any]] = {}
    # The last of a goal on a tree counts: what a linter says is told again once it is compared with the base.
    for entry in entries:
        match entry.kind:
            case "check":
                checks[entry.data["goal"], entry.data.get("tree", "")] = entry.data
            case "result" if kind := _kind_of(str(entry.data["name"])):
                qa = kind == "qa_cycles"
                found[kind].append(_measured(checks.values(), language) if qa else _came_of(entry.data))
            case "spawn" if _kind_of(str(entry.data["name"])) == "qa_cycles":
                checks = {}
            case "verdict" if not entry.data.get("approved", entry.data["verdict"] == "APPROVE"):
                found["rejections"].append(f"{entry.data['name']}: {_line(entry.data.get('reason', ''))}")
            case kind if kind in _ONE_EACH:
                found[_ONE_EACH[kind]].append(_told(entry))
            case _:
                pass
    labels = {kind: getattr(LABELS[kind], language.value) for kind in KINDS}
    return tuple(
        Attempt(kind, labels[kind], len(lines), lines[-1], tuple(lines) if kind in IN_FULL else ())
        for kind, lines in found.items()
        if lines
    )


def _kind_of(name: str) -> str:
    return next((kind for kind, pattern in _TEAMMATES if pattern.fullmatch(name)), "")


def _came_of(data: Mapping[str, Any]) -> str:
    if data["outcome"] == "done":
        return f"{data['name']}: {_line(data.get('text', '')).partition(': {')[0]}"
    return f"{data['name']}: {str(data['outcome']).replace('_', ' ')} {_line(data.get('detail', ''))}".rstrip()


def _measured(checks: Iterable[Mapping[str, Any]], language: Language) -> str:
    """The goals of one cycle that do not hold, with what identifies the first failure of each."""
    told: list[str] = []
    for check in checks:
        if check["verdict"] == "failed":
            named = [str(each) for each in check.get("signatures", ())]
            told.append(named[0] if named else f"{check['goal']}: {_line(check.get('reason', ''))}")
        elif check["verdict"] == "not_measured":
            told.append(f"{check['goal']}: {getattr(_NOT_MEASURED, language.value)}")
    return "; ".join(told) or getattr(_PASSED, language.value)


def _told(entry: Entry) -> str:
    data = entry.data
    match entry.kind:
        case "promoted":
            return f"{data['before']} → {data['after']} ({str(data['cause']).replace('_', ' ')})"
        case "teammate_failed":
            return f"{data['name']}: {data['outcome']} {_line(data['detail'])}".rstrip()
        case "claim_refused":
            return f"{data['name']}: {_line(data['reasons'][0])}"
        case "scope_refused":
            return f"{data['name']}: {_line(data['detail'])}"
        case "directed":
            return _line(data["text"])
        case "taken_over":
            return ", ".join(str(path) for path in data["paths"])
        case _:
            return f"{data['id']}: {_line(data['reason'])}"


def _line(text: object) -> str:
    """The first line that says something, without Markdown's hashes."""
    lines = (each.strip().lstrip("#").strip() for each in str(text).splitlines())
    return next((each for each in lines if each), "")
