"""What `uam` says to people, in both languages. Prompts are not here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from andon.domain.language import Language, Wording, fill

WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "start": Wording("{name} 시작.", "{name}: start."),
        "estimate": Wording(
            "{kind} 파이프라인: 예상 토큰 약 {tokens}, 한도 {most}",
            "{kind} pipeline: about {tokens} tokens are usual, the limit is {most}",
        ),
        "plan.question": Wording(
            "이 계획으로 진행할까요? TODO {todos}개, 위험도 {risk}, {path}",
            "Proceed with this plan? TODOs: {todos}, risk {risk}, {path}",
        ),
        "plan.proceed": Wording("진행", "proceed"),
        "plan.change": Wording("수정 필요", "change"),
        "plan.replan": Wording("재계획", "replan"),
        "plan.wish": Wording(
            "계획에서 무엇을 고칠지 적어 주세요.", "What is to be changed in the plan? In your own words."
        ),
        "plan.replans": Wording(
            "재계획 한도({count}회)에 이르렀습니다.", "Planned {count} times anew; that is the limit."
        ),
        "plan.broken": Wording(
            "PLAN.md {problem}. 마지막으로 읽을 수 있던 계획으로 계속합니다.",
            "PLAN.md, {problem}. The run goes on with the plan as it was last readable; your text stays.",
        ),
        "plan.gone": Wording(
            "PLAN.md가 사라져 마지막 상태로 되살렸습니다.", "PLAN.md was gone; it is back as it was last read."
        ),
        "plan.stuck": Wording(
            "PLAN.md를 읽을 수 없어 진행할 TODO가 없습니다: {problem}. 고친 뒤 답해 주세요.",
            "No TODO can go on, as PLAN.md cannot be read: {problem}. Mend it, then answer.",
        ),
        "plan.mended": Wording("고쳤음", "mended"),
        "plan.commands": Wording(
            "PLAN.md의 검증 명령이 바뀌었습니다: {changes}. 승인할까요?",
            "The commands of PLAN.md have changed: {changes}. Approve?",
        ),
        "plan.approve": Wording("승인", "approve"),
        "plan.keep": Wording("이전 명령 유지", "keep the old ones"),
        "todo.claim": Wording(
            "TODO {number}: 표시만 되어 있고 andon이 확인하지 않았습니다. 명령을 직접 실행합니다.",
            "TODO {number} is ticked, but andon has not seen its commands pass. It runs them.",
        ),
        "todo.failed": Wording(
            "TODO {number}: 작업자 {count}명이 실패했습니다. Phase 4에서 다룹니다.",
            "TODO {number} has failed, with {count} workers. Phase 4 deals with it.",
        ),
        "todo.unmarked": Wording(
            "TODO {number}({title})의 체크박스를 찾지 못해 표시하지 못했습니다.",
            "PLAN.md has no box of TODO {number} ({title}) any more; it is not marked.",
        ),
        "todo.gone": Wording(
            "TODO {number}({title})이 PLAN.md에 더 이상 없어 그 작업을 반영하지 않습니다.",
            "TODO {number} ({title}) is not in PLAN.md any more; what was done for it is left out.",
        ),
        "todo.unapproved": Wording(
            "TODO {number}은 검증 명령이 승인되지 않아 시작하지 않습니다.",
            "TODO {number} is not begun: its commands are not approved.",
        ),
        "discovery.reject": Wording(
            "발견을 반려했습니다({points}와 충돌): {text}", "Discovery rejected, as it conflicts with {points}: {text}"
        ),
        "discovery.defer": Wording(
            "{todo} 자체가 발견에서 나온 TODO라 그 발견은 추가하지 않습니다: {text}",
            "{todo} came from a discovery itself; what it found is left to you: {text}",
        ),
        "discovery.unjudged": Wording(
            "{todo}의 발견을 Pivot Point와 비교하지 못했습니다({failure}): {text}",
            "What {todo} found could not be compared with the pivot points ({failure}): {text}",
        ),
        "discovery.question": Wording(
            "작업자의 발견: {text}{conflict} 반영할까요?", "A worker's discovery: {text}{conflict} Apply it?"
        ),
        "discovery.conflict": Wording(" (잠정 제약 {points}와 충돌)", " (conflicts with the provisional {points})"),
        "discovery.yes": Wording("반영", "apply"),
        "discovery.no": Wording("반려", "reject"),
        "gate.unmeasured": Wording(
            "측정할 것이 없습니다. PLAN.md에 명령도, 프로젝트에 검사도, 사람이 확인할 항목도 없습니다",
            "nothing can be measured: PLAN.md names no command, the project has no checks, and nobody is to confirm it",
        ),
        "gate.unreviewed": Wording(
            "리뷰 미실시({status}): 아무도 변경을 검토하지 않았습니다.",
            "Review not performed ({status}): nobody judged the change.",
        ),
        "loop.question": Wording(
            "{count}번째 수정 루프. 테스트 통과율 {rate}%. 계속 진행할까요?",
            "Fix loop {count}. Pass rate {rate}%. Continue?",
        ),
        "loop.continue": Wording("계속", "continue"),
        "loop.direction": Wording("방향 변경", "change direction"),
        "loop.finish": Wording("현재 상태로 종료", "finish as it is"),
        "loop.aborted": Wording(
            "{count}번째 수정 루프를 중단했습니다: {reason}", "Fix loop {count} was given up: {reason}"
        ),
        "human.question": Wording("사람이 확인해야 하는 항목입니다: {text}", "Only a person can confirm this: {text}"),
        "human.yes": Wording("확인함", "confirmed"),
        "human.no": Wording("아님", "not as it should be"),
        "bugfix.switch": Wording(
            "{count}번 시도했지만 고치지 못했습니다. 전체 파이프라인(/uam:uam)으로 전환할까요?",
            "{count} attempts have not mended it. Switch to the full pipeline (/uam:uam)?",
        ),
        "bugfix.yes": Wording("전환", "switch"),
        "bugfix.no": Wording("그만두기", "leave it"),
        "pivot.unread": Wording(
            "{path}의 이 줄은 Pivot Point로 읽을 수 없어 그대로 둡니다: {line}",
            "This line of {path} cannot be read as a pivot point, and stays as it is: {line}",
        ),
        "pivot.first": Wording(
            "무엇이 절대 바뀌면 안 되나요? 제약을 한 줄에 하나씩 적어 주세요.",
            "What must not change, whatever happens? One constraint a line.",
        ),
        "commit.by_hand": Wording("사람이 직접 고친 것", "Changes by hand"),
        "commit.under_way": Wording("중지될 때 하던 작업", "Work under way when the run was stopped"),
        "commit.learnings": Wording("학습 내용과 보고서", "Learnings and report"),
        "report.task": Wording("작업: {task}", "Task: {task}"),
        "report.todos": Wording(
            "- TODO: 완료 {done}, 실패 {failed}, 남음 {open}", "- TODOs: {done} done, {failed} failed, {open} open"
        ),
        "report.gates": Wording("- 게이트: {gates}", "- Gates: {gates}"),
        "report.rates": Wording("- 통과율: {rates}", "- Pass rates: {rates}"),
        "report.unmeasured": Wording("측정하지 않음", "none measured"),
        "report.loops": Wording("- 수정 루프: {count}", "- Fix loops: {count}"),
        "report.cost": Wording("- 토큰: {tokens}, 비용: {cost}", "- Tokens: {tokens}; cost: {cost}"),
        "report.unknown": Wording("알 수 없음", "unknown"),
        "report.table": Wording("| TODO | 상태 | 제목 |", "| TODO | state | title |"),
        "report.unreviewed": Wording("2 리뷰 미실시({status})", "2 review not performed ({status})"),
        "report.not_required": Wording("3 해당 없음", "3 not required"),
        "report.left": Wording("## 통과하지 못한 것", "## What does not pass"),
        "report.tried": Wording("## 해 본 일", "## What was tried"),
        "report.accepted": Wording("## 사람이 받아들인 것", "## Accepted by a person"),
        "report.warnings": Wording("## 경고", "## Warnings"),
        "report.learnings": Wording(
            "학습, 결정, 남은 문제, 지표: {paths}", "Learnings, decisions, open issues and metrics: {paths}"
        ),
        "report.run": Wording("실행 {run}.", "Run {run}."),
        "box.done": Wording("완료", "done"),
        "box.failed": Wording("실패", "failed"),
        "box.open": Wording("남음", "open"),
        "gate.passed": Wording("통과", "passed"),
        "gate.failed": Wording("실패", "failed"),
        "gate.unevaluated": Wording("평가하지 않음", "not evaluated"),
        "ended.done": Wording("{feature}: 모든 게이트를 통과했습니다.", "{feature}: every gate passes."),
        "ended.done_unreviewed": Wording(
            "{feature}: 검사를 통과했지만 리뷰는 미실시({status})입니다.",
            "{feature}: the checks pass; review not performed ({status}).",
        ),
        "ended.pivot_one": Wording("Pivot Point 1개를 {path}에 적었습니다.", "1 pivot point is in {path}."),
        "ended.pivot": Wording("Pivot Point {count}개를 {path}에 적었습니다.", "{count} pivot points are in {path}."),
        "ended.environment": Wording("이 컴퓨터의 환경: {problem}", "The environment on this machine: {problem}"),
        "ended.unmeasured": Wording(
            "{problem}. PLAN.md의 TODO에 `[A]` 명령을 적고 `andon uam resume`으로 이어가세요(버그 수정은 `--command`).",
            "{problem}. Name an `[A]` command in PLAN.md, then `andon uam resume` (or `--command` for a bugfix).",
        ),
        "ended.loops": Wording(
            "수정 루프 {count}회로 한도에 이르렀습니다. 부분 완료.",
            "The limit of fix loops is reached ({count}). What there is is kept, and is not called done.",
        ),
        "ended.tokens": Wording(
            "토큰 {tokens}개를 썼습니다(한도 {most}). 부분 완료.",
            "{tokens} tokens are used, the limit is {most}. What there is is kept, and is not called done.",
        ),
        "ended.finished": Wording(
            "사용자가 현재 상태로 끝냈습니다. 부분 완료.", "Finished as it is, by a person: not everything passes."
        ),
        "ended.human": Wording(
            "사람이 확인하지 않은 항목: {text}. `andon resume --direction`으로 무엇을 고칠지 알려 주세요.",
            "A person does not confirm: {text}. Say what to do with `andon resume --direction`.",
        ),
        "ended.attempts": Wording(
            "{count}번의 시도로 고치지 못했습니다. 기록: {path}. 전체 파이프라인은 `andon uam`으로 시작합니다.",
            "{count} attempts have not mended the bug; they are told in {path}. `andon uam` starts the full pipeline.",
        ),
        "learned.ended": Wording("끝난 이유: {message}", "It ended so: {message}"),
        "learned.direction": Wording("사람의 지시: {text}", "A person directed: {text}"),
        "learned.accepted": Wording(
            "사람이 받아들인 지적 {id}: {reason}", "A person accepted the finding {id}: {reason}"
        ),
        "learned.tried": Wording("수정하려고 시도한 것: {text}", "Tried in order to mend it: {text}"),
        "learned.loops": Wording("수정 루프 {count}회, 통과율 {rates}", "{count} fix loops, pass rates {rates}"),
        "ended.open": Wording(
            "남은 TODO: {todos}. PLAN.md의 명령을 승인하거나 고친 뒤 `andon uam resume`으로 이어가세요.",
            "Still open: {todos}. Approve the commands or change PLAN.md, then `andon uam resume`.",
        ),
        "ended.broken": Wording(
            "PLAN.md {problem}. 읽을 수 없어 빠뜨린 것이 있습니다. 고친 뒤 `andon uam resume`으로 이어가세요.",
            "PLAN.md, {problem}. What cannot be read was left out. Mend it, then `andon uam resume`.",
        ),
        "ended.incomplete": Wording(
            "계획 단계에 필요한 분석이 없습니다: {failure}", "Planning lacks an analysis that it needs: {failure}"
        ),
    }
)


def word(language: Language, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], language.value), key, values)
