"""The ways on from where a run stands: exact commands for this ending, and what each of them is for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from andon.domain.auto.findings import Listed
from andon.domain.journal import Entry
from andon.domain.language import Language, Wording, fill
from andon.domain.run import Status

MEASURED = ("qa_failed", "build", "same_failure", "limit", "no_progress")
"""Reasons that a check gave."""
JUST_RESUMED = ("environment", "blocked", "bug", "engine", "stopped", "open_todos", "plan_broken", "nothing_measured")
"""Reasons after which going on as before makes sense, once what was in the way is gone; so with every option's."""
_ROUNDED = MappingProxyType({"tokens": 1000, "money": 1, "seconds": 60})

WHY: Mapping[str, Wording] = MappingProxyType(
    {
        "diff": Wording("무엇이 바뀌었는지 봅니다", "see the work"),
        "merge": Wording("결과를 내 브랜치로 가져옵니다", "take it into your branch"),
        "verify": Wording("측정 기록을 확인합니다", "what was measured, and that it holds"),
        "checks": Wording("검사가 무엇을 출력했는지", "what the checks printed"),
        "logs": Wording("지금까지의 이야기", "the whole story"),
        "bug": Wording("andon의 오류: 신고에 쓸 기록", "where andon failed, for a report"),
        "doctor": Wording("이 컴퓨터에 무엇이 없는지", "what this machine lacks"),
        "again": Wording("같은 자리에서 이어갑니다", "go on where it stands"),
        "measure": Wording("바뀐 것을 측정하며 이어갑니다", "go on, and measure what you changed"),
        "replay": Wording("멈춘 바로 그 단계부터 이어갑니다", "go on at the very step it was at"),
        "stop": Wording("정리하고 멈춥니다", "end it in order; it can go on later"),
        "budget": Wording("한도를 올려 이어갑니다", "go on with a higher limit"),
        "scenario": Wording("고친 시나리오로 이어갑니다", "go on with a mended scenario"),
        "sign_in": Wording("에이전트에 로그인한 뒤 이어갑니다", "go on, once you have signed in"),
        "direct": Wording("무엇을 할지 말해 주고 이어갑니다", "go on, and say what to do"),
        "accept": Wording("이 지적을 받아들입니다", "accept what was found"),
        "take_over": Wording("파일을 직접 고칩니다", "change the files yourself"),
        "take_over_area": Wording("이 병렬 작업의 파일을 직접 고칩니다", "change that area's files yourself"),
        "take_over_unit": Wording("{name}: 파일을 직접 고칩니다", "the files of {name}"),
        "fork": Wording("{name}부터 새 실행으로 다시", "a new run, from {name} on"),
        "close": Wording("그만둡니다. 기록은 남습니다", "give it up; the record stays"),
        "reopen": Wording("다시 엽니다", "open it again"),
        "answer": Wording("질문에 답합니다", "answer its question"),
        "decide": Wording("팀원의 제안 {count}개를 결정합니다", "proposals of members to settle: {count}"),
        "watch": Wording("지켜봅니다", "follow it"),
    }
)


@dataclass(frozen=True, slots=True)
class Way:
    command: str
    why: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides which ways there are."""

    run: str
    status: Status
    reason: str
    branch: str = ""
    base: str = ""
    """The commit the run started from."""
    runtime: str = ""
    scenario: str = ""
    """The person's own file, where the runtime plays one."""
    leg: int = 1
    failed_record: int = 0
    """The number of the last evidence that something failed; 0 for none."""
    budget: Mapping[str, Any] = field(default_factory=dict[str, Any])
    areas: tuple[str, ...] = ()
    """Parallel implementers whose work lies in folders of their own."""
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of areas that are units of a team."""
    only_read: bool = False
    """Nothing was committed, as of an interview or a conversation: there is no branch."""
    proposals: int = 0
    """Of the members of a team, that nobody has settled."""
    language: Language = Language.EN

    @property
    def dry(self) -> bool:
        """A dry run that has ended as one."""
        return self.status is Status.DONE and self.reason == "dry_run"

    def way(self, command: str, why: str, **values: object) -> Way:
        return Way(command, fill(getattr(WHY[why], self.language.value), why, values))


def ways_on(situation: Situation, entries: Sequence[Entry], findings: Sequence[Listed]) -> tuple[Way, ...]:
    run = situation.run
    match situation.status:
        case Status.DONE:
            return _of_done(situation)
        case Status.CLOSED:
            return (situation.way(f"andon reopen {run}", "reopen"), situation.way(f"andon logs {run}", "logs"))
        case Status.RUNNING:
            return (situation.way(f"andon watch {run}", "watch"), situation.way(f"andon stop {run}", "stop"))
        case Status.WAITING:
            return (situation.way(f"andon answer {run} …", "answer"), situation.way(f"andon stop {run}", "stop"))
        case Status.INTERRUPTED:
            return (
                situation.way(f"andon resume {run}", "replay"),
                situation.way(f"andon stop {run}", "stop"),
                situation.way(f"andon take-over {run}", "take_over"),
                situation.way(f"andon close {run}", "close"),
            )
        case _:
            first = _for_the_reason(situation, entries)
            return (*first, *_accepting(situation, findings), *_always(situation, entries))


def _of_done(situation: Situation) -> tuple[Way, ...]:
    if situation.reason in ("dry_run", "mail_read"):
        return ()
    if situation.only_read:
        return (situation.way(f"andon logs {situation.run}", "logs"), *_deciding(situation))
    return (
        situation.way(f"git diff {situation.base[:10]}..{situation.branch}", "diff"),
        situation.way(f"git merge {situation.branch}", "merge"),
        situation.way(f"andon evidence verify {situation.run}", "verify"),
        *_deciding(situation),
    )


def _deciding(situation: Situation) -> list[Way]:
    count = situation.proposals
    return [situation.way("andon memory decisions --open", "decide", count=count)] if count else []


def _for_the_reason(situation: Situation, entries: Sequence[Entry]) -> list[Way]:
    run, reason, way = situation.run, situation.reason, situation.way
    found: list[Way] = []
    if reason in MEASURED:
        shown = f"show {run} {situation.failed_record}" if situation.failed_record else f"list {run}"
        found.append(way(f"andon evidence {shown}", "checks"))
    elif reason == "budget":
        found.append(way(f"andon resume {run} {_more(situation.budget, entries)}", "budget"))
    elif reason == "environment":
        found.append(way("andon doctor", "doctor"))
    elif reason in ("bug", "engine"):
        found.append(way(f"andon logs {run} --kind bug", "bug"))
    else:
        found.append(way(f"andon logs {run}", "logs"))
    if reason.startswith("teammate_") and situation.runtime == "scripted":
        found.append(way(f"andon resume {run} --scenario {shlex.quote(situation.scenario or 'FILE')}", "scenario"))
    elif reason.startswith("teammate_"):
        found.append(way(f"andon resume {run}", "sign_in" if reason == "teammate_unauthenticated" else "again"))
    elif _changed(entries, situation.leg):
        found.append(way(f"andon resume {run}", "measure"))
    elif reason in JUST_RESUMED or reason.startswith("option_"):
        found.append(way(f"andon resume {run}", "again"))
    return found


def _changed(entries: Sequence[Entry], leg: int) -> bool:
    """A person has done something since the leg ended: what did not hold may hold now."""
    return any(entry.kind in ("taken_over", "accepted") and entry.place[0] > leg for entry in entries)


def _accepting(situation: Situation, findings: Sequence[Listed]) -> list[Way]:
    still_open = [finding for finding in findings if not finding.accepted]
    if not still_open:
        return []
    named = still_open[0].id if len(still_open) == 1 else "FINDING"
    return [situation.way(f'andon accept {situation.run} {named} --reason "…"', "accept")]


def _always(situation: Situation, entries: Sequence[Entry]) -> list[Way]:
    run, way = situation.run, situation.way
    found = [way(f'andon resume {run} --direction "…"', "direct"), way(f"andon take-over {run}", "take_over")]
    for name in situation.areas:
        title = situation.titles.get(name, "")
        why = "take_over_unit" if title else "take_over_area"
        found.append(way(f"andon take-over {run} --area {name}", why, **({"name": title} if title else {})))
    if place := last_writer(entries, situation.leg):
        found.append(way(f"andon fork {run} --from {place[0]}", "fork", name=place[1]))
    return [*found, *_deciding(situation), way(f"andon close {run}", "close")]


def last_writer(entries: Sequence[Entry], leg: int) -> tuple[int, str] | None:
    """(step, name) of the last teammate of the leg that wrote code: where another try would begin."""
    spawned = [entry for entry in entries if entry.kind == "spawn" and entry.place[0] == leg]
    writers = [entry for entry in spawned if "." in entry.data.get("writes", ())]
    return (writers[-1].place[1], str(writers[-1].data["name"])) if writers else None


def _more(budget: Mapping[str, Any], entries: Sequence[Entry]) -> str:
    """The limits that were reached, doubled and rounded: a proposal to be edited."""
    spent: Mapping[str, Any] = {}
    for entry in entries:
        spent = entry.data.get("spent", spent)
    proposals: list[str] = []
    for line, step in _ROUNDED.items():
        limit = budget.get(line)
        if limit and spent.get(line, 0) >= limit:
            doubled = -(-2 * max(limit, spent[line]) // step) * step
            proposals.append(f"--budget-{line} {doubled:g}" if doubled < 1e6 else f"--budget-{line} {int(doubled)}")
    return " ".join(proposals) or "--budget-tokens N"
