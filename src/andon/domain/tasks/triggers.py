"""What a workflow's requirements say about its triggers, and what each of them still lacks (D-41, D-48)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from andon.domain.auto.outline import Kind, Line
from andon.domain.tasks.automation import REQUIREMENTS_PARTS, Trigger
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.cron import cron_expressions, cron_problem
from andon.domain.tasks.markdown import announces_part, label_of, passages

_WORDS = {
    Trigger.SCHEDULE: r"schedule[ds]?|cron|스케줄|예약",
    Trigger.WEBHOOK: r"web ?hooks?|웹훅",
    Trigger.MANUAL: r"manual(?:ly)?|수동",
    Trigger.EVENT: r"events?|이벤트",
}
_NEEDS: dict[Trigger, tuple[tuple[str, str], ...]] = {
    Trigger.SCHEDULE: (),
    Trigger.WEBHOOK: (
        ("payload structure", r"payload|body|페이로드|본문"),
        ("authentication", r"auth|signature|secret|token|hmac|인증|서명|토큰"),
    ),
    Trigger.MANUAL: (("input parameters", r"input|parameters?|arguments?|입력|매개변수|인자"),),
    Trigger.EVENT: (
        ("event source", r"source|emitted by|from|소스|출처|발생"),
        ("filter", r"filter|only when|condition|where|필터|조건"),
    ),
}
_TYPE_LABEL = re.compile(r"(?:trigger )?type|타입|유형|트리거 타입|종류", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Definition:
    trigger: Trigger
    problems: tuple[str, ...] = ()


def trigger_passage(text: str) -> tuple[Line, ...]:
    """The lines of the trigger definition."""
    part = next(each for each in REQUIREMENTS_PARTS if each.name == "trigger definition")
    found = next((each for each in passages(text) if announces_part(each.title, part) and each.filled), None)
    return found.lines if found else ()


def declared(text: str) -> tuple[Trigger, ...]:
    """The triggers that a document declares: after `type:`, or as items and headings of its trigger section (D-41)."""
    lines = trigger_passage(text)
    typed = [told[1] for line in lines if (told := label_of(line.text)) and _TYPE_LABEL.fullmatch(told[0])]
    if typed:
        return _named(" ".join(each for each in typed if not _is_menu(each)))
    begins = [line.text for line in lines if line.kind in (Kind.ITEM, Kind.HEADING, Kind.ROW)]
    found = [trigger for text in begins for trigger in Trigger if _begins_with(text, trigger)]
    if found:
        return tuple(dict.fromkeys(found))
    return _named(" ".join(line.text for line in lines))


def _named(text: str) -> tuple[Trigger, ...]:
    return tuple(each for each in Trigger if re.search(rf"(?<![A-Za-z])(?:{_WORDS[each]})", text, re.IGNORECASE))


def _begins_with(text: str, trigger: Trigger) -> bool:
    return re.match(rf"[\s>*+•#|_`\d.)-]*(?:{_WORDS[trigger]})", text, re.IGNORECASE) is not None


def _is_menu(value: str) -> bool:
    """`schedule | webhook | manual | event`: the choices, of which nobody took one."""
    return len(_named(value)) == len(Trigger)


def definitions(text: str) -> tuple[Definition, ...]:
    """Each declared trigger with what its type needs and the document does not say (D-41)."""
    told = "\n".join(line.text for line in trigger_passage(text))
    return tuple(Definition(each, _problems(each, told)) for each in declared(text))


def _problems(trigger: Trigger, told: str) -> tuple[str, ...]:
    if trigger is Trigger.SCHEDULE:
        return _cron(told)
    missing = [name for name, pattern in _NEEDS[trigger] if not re.search(pattern, told, re.IGNORECASE)]
    return tuple(f"no {name}" for name in missing)


def _cron(told: str) -> tuple[str, ...]:
    found = cron_expressions(told)
    if not found:
        return ("no cron expression, such as `0 9 * * 1-5`",)
    return tuple(f"`{each}` is no cron expression: {problem}" for each in found if (problem := cron_problem(each)))


def triggers(text: str) -> Criterion:
    """Every trigger has what its type needs; at least one is declared (D-41)."""
    found = definitions(text)
    if not found:
        return Criterion("triggers", passed=False, detail="no trigger of type schedule, webhook, manual or event")
    return Criterion.of("triggers", [f"{each.trigger.value}: {problem}" for each in found for problem in each.problems])


_CODE_NAMES = {
    Trigger.SCHEDULE: r"schedul|cron|timer",
    Trigger.WEBHOOK: r"web_?-?hook|http",
    Trigger.MANUAL: r"manual|cli|command",
    Trigger.EVENT: r"event|listener|subscri|consumer",
}


def trigger_handlers(wanted: Sequence[Trigger], paths: Sequence[str]) -> Criterion:
    """A file of its own below `src/triggers/` for every trigger that the design declares (D-48)."""
    names = [path.rpartition("/")[2].casefold() for path in paths if path.startswith("src/triggers/")]
    return Criterion.of(
        "trigger_handlers",
        [
            f"trigger {each.value} not implemented"
            for each in wanted
            if not any(re.search(_CODE_NAMES[each], name) for name in names)
        ],
    )
