"""How a run stands for the person it waits for: what stopped it, what was tried, what is safe, and the ways on.

Composed from the journal and a few facts; screens draw it, `--json` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from andon.domain.auto.artefacts import REPORTS
from andon.domain.auto.findings import Listed, listed
from andon.domain.auto.tried import Attempt, tried
from andon.domain.auto.ways_on import Situation, Way, ways_on
from andon.domain.journal import Entry
from andon.domain.language import Language, Wording, fill
from andon.domain.run import Status

CAUSES: Mapping[str, Wording] = MappingProxyType(
    {
        "qa_failed": Wording("통과하지 못한 검사", "a check that does not hold"),
        "build": Wording("실패한 빌드", "a build that fails"),
        "same_failure": Wording("되풀이되는 같은 실패", "the same failure, again and again"),
        "limit": Wording("QA 횟수 한도", "the limit of QA cycles"),
        "reentry_limit": Wording(
            "재검사 횟수 한도: 계속 반려됨", "the limit of returns to Phase 4: rejected every time"
        ),
        "improvement_limit": Wording("개선 횟수 한도", "the limit of improvements"),
        "no_progress": Wording("진전 없음", "no progress"),
        "fix_limit": Wording("수정 루프 한도", "the limit of fix loops"),
        "token_limit": Wording("토큰 한도", "the limit of tokens"),
        "open_todos": Wording("시작할 수 없는 TODO", "a TODO that nobody may begin"),
        "plan_broken": Wording("읽을 수 없는 PLAN.md", "a PLAN.md that cannot be read"),
        "replan_limit": Wording("재계획 한도", "the limit of plans"),
        "attempts": Wording("세 번의 시도로도 남은 버그", "a bug that outlived its attempts"),
        "finished_by_person": Wording("현재 상태로 끝내겠다는 사람의 결정", "a person who wants it to end as it is"),
        "rejected": Wording("반려", "a rejection"),
        "environment": Wording("이 컴퓨터의 환경", "the environment on this machine"),
        "nothing_measured": Wording("측정할 것이 없음", "nothing that could be measured"),
        "budget": Wording("다 쓴 예산", "a budget that is used up"),
        "blocked": Wording("사람이 치워야 할 것", "something a person has to put right"),
        "bug": Wording("andon 자체의 오류", "a fault of andon itself"),
        "engine": Wording("andon 엔진의 오류", "a fault of andon's engine"),
        "stopped": Wording("사람", "a person"),
        "plan_incomplete": Wording(
            "필수 항목이 빠졌거나 품질 기준에 못 미치는 계획", "a plan that lacks sections or fails its quality gates"
        ),
        "option_unmeasured": Wording("측정할 수 없는 옵션", "an option that cannot be measured here"),
        "design_incomplete": Wording("필수 항목이 빠진 설계", "a design that lacks mandatory parts"),
        "implementation_failed": Wording(
            "5조건을 채우지 못한 구현", "an implementation that does not meet the five conditions"
        ),
        "merge_conflict": Wording("합쳐지지 않는 병렬 작업", "parallel work that does not merge"),
        "e2e_failed": Wording("실패하는 E2E 테스트", "end-to-end tests that fail"),
        "manual": Wording("직접 고치겠다는 사람의 결정", "a person who wants to fix it by hand"),
        "teammate_unauthenticated": Wording("로그인되지 않은 에이전트", "an agent that is not signed in"),
        "teammate_refused": Wording("거부한 에이전트", "an agent that refused"),
        "option_not_installed": Wording("설치되지 않은 연결", "an option whose package is not installed"),
        "option_credentials": Wording("로그인되지 않은 연결", "an option that is not signed in"),
        "option_permission": Wording("권한이 없는 연결", "an option that may not read what it was to read"),
        "option_not_found": Wording("찾을 수 없는 대상", "an option that names something nobody knows"),
        "option_unreachable": Wording("닿지 않는 서비스", "a service that cannot be reached"),
        "option_rate_limited": Wording("요청을 제한하는 서비스", "a service that limits requests"),
        "option_timeout": Wording("제때 답하지 않은 서비스", "a service that did not answer in time"),
        "option_empty": Wording("읽을 것이 없는 옵션", "an option that found nothing to read"),
        "option": Wording("실패한 옵션", "an option that failed"),
        "teammate": Wording("일을 마치지 못한 에이전트", "an agent that could not finish its work"),
    }
)
_INTERRUPTED = Wording("사라진 프로세스", "a process that is gone")
_WHERE = Wording(
    "{phase} 단계까지 기록되어 있습니다. 끝난 일은 되풀이하지 않습니다.",
    "Everything up to phase {phase} is recorded; nothing that was finished is done again.",
)
_SAFE: Mapping[str, Wording] = MappingProxyType(
    {
        "branch": Wording("브랜치", "branch"),
        "files": Wording("파일", "files"),
        "report": Wording("보고서", "report"),
        "accepted": Wording("수용", "accepted"),
        "record": Wording("기록", "record"),
        "accepted_by": Wording("{by}: {findings}", "by {by}: {findings}"),
        "on_branch": Wording("{path} (브랜치에 있음)", "{path}, on the branch"),
        "dry_branch": Wording("시험 실행: 만들지 않았습니다", "a dry run makes none"),
        "dry_files": Wording(
            "시험 실행: 아무것도 바꾸지 않았습니다", "a dry run changes none; your checkout is as it was"
        ),
        "committed": Wording("{branch}, 커밋 {commit}", "{branch}, commit {commit}"),
        "untouched": Wording(
            "{branch}에 커밋하지 않았고, 체크아웃도 그대로입니다",
            "nothing committed to {branch}; your checkout is as it was",
        ),
        "gone": Wording(
            "폴더는 없지만 마지막 스냅샷에서 다시 만듭니다", "the folder is gone; made again from the last snapshot"
        ),
        "removed": Wording(
            "작업 폴더는 치웠습니다. 모두 브랜치에 있습니다", "the work folder is removed; all is on the branch"
        ),
        "cleared": Wording("작업 폴더는 치웠습니다", "the work folder is removed"),
        "kept": Wording(
            "스냅샷 {snapshots}개, 측정 기록 {evidence}개(서명됨)",
            "snapshots kept: {snapshots}, signed records of evidence: {evidence}",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a run besides its journal."""

    situation: Situation
    phase: str
    worktree: str
    worktree_exists: bool
    evidence: int


@dataclass(frozen=True, slots=True)
class Safe:
    kind: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    status: Status
    reason: str
    """The machine's word; `cause` is the same for people."""
    cause: str
    message: str
    tried: tuple[Attempt, ...]
    safe: tuple[Safe, ...]
    findings: tuple[Listed, ...]
    ways: tuple[Way, ...]
    language: Language = Language.EN

    @property
    def done(self) -> bool:
        return self.status is Status.DONE

    def as_json(self) -> dict[str, Any]:
        return {
            "stopped_by": None if self.done else {"reason": self.reason, "cause": self.cause, "message": self.message},
            "tried": [asdict(each) for each in self.tried],
            "safe": [asdict(each) for each in self.safe],
            "open_findings": [asdict(each) for each in self.findings],
            "ways_on": [asdict(each) for each in self.ways],
        }


def standing(facts: Facts, entries: Sequence[Entry]) -> Standing:
    """Of a run that nobody executes at the moment."""
    situation = facts.situation
    language = situation.language
    findings = listed(entries, situation.leg)
    return Standing(
        status=situation.status,
        reason=situation.reason,
        cause=cause(situation.status, situation.reason, language),
        message=_message(facts, entries),
        tried=tried(entries, language),
        safe=_safe(facts, entries),
        findings=findings,
        ways=ways_on(situation, entries, findings),
        language=language,
    )


def cause(status: Status, reason: str, language: Language) -> str:
    """A reason in words; one that another version gave, as it is."""
    if status is Status.INTERRUPTED:
        return getattr(_INTERRUPTED, language.value)
    family = next((each for each in ("teammate", "option") if reason.startswith(f"{each}_")), "")
    known = CAUSES.get(reason) or CAUSES.get(family)
    return getattr(known, language.value) if known else reason.replace("_", " ")


def _message(facts: Facts, entries: Sequence[Entry]) -> str:
    if facts.situation.status is Status.INTERRUPTED:
        return _say(facts, _WHERE, phase=facts.phase or "prepare")
    ended = [entry for entry in entries if entry.kind == "run_ended"]
    return str(ended[-1].data.get("message", "")) if ended else ""


def _safe(facts: Facts, entries: Sequence[Entry]) -> tuple[Safe, ...]:
    base = [entry.data.get("tree") for entry in entries if entry.kind == "run_started"][:1]
    trees = {entry.data["tree"] for entry in entries if entry.data.get("tree")}.difference(base)
    told = {
        "branch": _branch(facts, entries),
        "files": _files(facts, entries),
        "report": _report(facts, entries),
        "accepted": _accepted(facts, entries) if facts.situation.status is Status.DONE else "",
        "record": _say(facts, _SAFE["kept"], snapshots=len(trees), evidence=facts.evidence),
    }
    return tuple(Safe(kind, _say(facts, _SAFE[kind]), text) for kind, text in told.items() if text)


def _branch(facts: Facts, entries: Sequence[Entry]) -> str:
    if facts.situation.dry:
        return _say(facts, _SAFE["dry_branch"])
    branch, commits = facts.situation.branch, _commits(entries)
    if commits:
        return _say(facts, _SAFE["committed"], branch=branch, commit=commits[-1][:10])
    return _say(facts, _SAFE["untouched"], branch=branch)


def _commits(entries: Sequence[Entry]) -> list[str]:
    return [str(entry.data["commit"]) for entry in entries if entry.kind == "committed"]


def _files(facts: Facts, entries: Sequence[Entry]) -> str:
    if facts.situation.dry:
        return _say(facts, _SAFE["dry_files"])
    if facts.worktree_exists:
        return facts.worktree
    if facts.situation.status is not Status.DONE:
        return _say(facts, _SAFE["gone"])
    return _say(facts, _SAFE["removed" if _commits(entries) else "cleared"])


def _report(facts: Facts, entries: Sequence[Entry]) -> str:
    """Where the leg's report is; nothing when it wrote none, or there is no folder to find it in."""
    written = [
        str(entry.data["path"])
        for entry in entries
        if entry.kind == "file_written" and entry.place[0] == facts.situation.leg
    ]
    path = next((path for path in reversed(written) if path.startswith(REPORTS)), "")
    if path and facts.worktree_exists:
        return f"{facts.worktree}/{path}"
    return _say(facts, _SAFE["on_branch"], path=path) if path and _commits(entries) else ""


def _accepted(facts: Facts, entries: Sequence[Entry]) -> str:
    """Who accepted what, and why: a run that is done over a finding is not told like one that had none."""
    told: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.kind == "accepted":
            finding = f"{entry.data['id']} ({' '.join(str(entry.data['reason']).split())})"
            told.setdefault(str(entry.data["by"]), {})[finding] = None
    return "; ".join(
        _say(facts, _SAFE["accepted_by"], by=by, findings=", ".join(findings)) for by, findings in told.items()
    )


def _say(facts: Facts, wording: Wording, **values: object) -> str:
    return fill(getattr(wording, facts.situation.language.value), "standing", values)
