"""What a team says to people, in both languages. Prompts are not here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from andon.domain.language import Language, Wording, fill

WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "start": Wording("{name} 시작: {title}", "{name}: start with {title}."),
        "asked": Wording("{title}: {question}", "{title}: {question}"),
        "blocked": Wording(
            "{name}이(가) `{title}`에서 막혔습니다: {problem}", "{name} is blocked at `{title}`: {problem}"
        ),
        "blocked.again": Wording("다시 시도", "try again"),
        "blocked.leave": Wording("이 단위를 빼기", "leave it out"),
        "blocked.stop": Wording("중지", "stop"),
        "forced": Wording(
            "`{title}`: {count}번 검토 뒤에도 SHIP이 아니었습니다. 한도에 따라 넘어갑니다: {feedback}",
            "`{title}` was not shipped after {count} reviews; it goes on at the limit: {feedback}",
        ),
        "failed": Wording("`{title}` 실패: {why}", "`{title}` has failed: {why}"),
        "stranger": Wording(
            "{by}의 메시지 수신자 {to}은(는) 팀에 없습니다. 리드에게 전달합니다.",
            "{by} wrote to {to}, whom the team does not have; the lead gets it.",
        ),
        "forced.question": Wording(
            "다음 단위는 검토자가 동의하지 않은 채 한도에서 넘어갔습니다: {units}. 이대로 받을까요?",
            "These units went on at the limit, without their reviewers' agreement: {units}. Take the work as it is?",
        ),
        "forced.yes": Wording("받기", "take it"),
        "forced.no": Wording("받지 않기", "do not take it"),
        "ended.done": Wording("팀이 끝냈습니다: {branch}", "The team is done: {branch}"),
        "ended.read": Wording("팀이 끝냈습니다. 결과: {file}", "The team is done; what it found is in {file}"),
        "ended.left": Wording("끝나지 않은 단위: {units}", "Units that are not done: {units}"),
        "ended.unmet": Wording(
            "모든 단위가 끝났지만 결과가 검증되지 않았습니다: {reason}",
            "Every unit is done, but what came of it is not verified: {reason}",
        ),
        "ended.forced": Wording(
            "한도에서 넘어간 단위를 받지 않았습니다: {units}", "Not taken: {units}, which went on at the limit."
        ),
        "ended.blocked": Wording("막혀서 멈췄습니다: {problem}", "Stopped, because it is blocked: {problem}"),
        "no_server": Wording(
            "이 팀은 메모리 서버도 쓰도록 되어 있지만, 설정 memory.server에 지정된 서버가 없습니다. 파일로 대신합니다.",
            "The team would share with a memory server too; `memory.server` names none, so its files have to do.",
        ),
        "decision.proposed": Wording("{by}의 제안 {number}: {text}", "{by} makes proposal {number}: {text}"),
        "decision.approved": Wording(
            "팀이 제안 {number}을(를) 받아들였습니다 ({count}): {text}",
            "The team approved proposal {number} ({count}): {text}",
        ),
        "decision.rejected": Wording(
            "팀이 제안 {number}을(를) 거절했습니다 ({count}): {text}",
            "The team rejected proposal {number} ({count}): {text}",
        ),
        "servers": Wording("팀원이 MCP 서버를 쓸 수 있습니다: {servers}", "Members may start MCP servers: {servers}"),
        "servers_left": Wording(
            "팀원이 MCP 서버 없이 일합니다: {servers}. `--servers`나 설정 [servers.이름] use가 허용합니다.",
            "Members work without the MCP servers {servers}: `--servers`, or `use` in [servers.NAME], lets them.",
        ),
        "nothing": Wording(
            "아무것도 바뀌지 않았습니다. 단위들의 작업이 되돌려졌습니다.",
            "nothing was changed: what the units did was undone",
        ),
        "missing": Wording("없는 산출물: {paths}", "not there: {paths}"),
    }
)


def word(language: Language, key: str, **values: object) -> str:
    return fill(getattr(WORDS[key], language.value), key, values)
