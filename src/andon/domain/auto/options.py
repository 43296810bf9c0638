"""What a person asks of `auto`: entry words, options, and the request they make (A-01 to A-04, A-134, G-01, G-08).

Parsing only. Whether Slack or Gmail can be reached is not known here.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from andon.domain.errors import UserError

TRIGGERS = ("/auto", "auto", "autopilot", "ulw", "ultrawork", "ralph", "/work", "work")
"""Words that open `auto` as the first word of a command (A-01, G-48)."""

FLAGS = ("worktree", "interactive", "opus", "prd", "skip-e2e", "dry-run", "eco", "issue")
VALUES = ("custom", "slack")
NOT_AVAILABLE = ("gdocs", "mockup", "daily")
"""Named by the specification without any behaviour: recognised, then refused aloud (G-01, A-05)."""
OPTION_NAMES = (*FLAGS, *VALUES, "gmail", *NOT_AVAILABLE)


class Action(StrEnum):
    RUN = "run"
    DISCOVER = "discover"
    """No task was given: find one (A-150)."""
    STATUS = "status"
    STOP = "stop"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class Gmail:
    query: str | None = None
    """None: unread mail."""
    task: str | None = None


class FollowUp(StrEnum):
    """What happens after mail was analysed (A-138)."""

    SHOW = "show"
    DRAFTS = "drafts"
    TODOS = "todos"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Options:
    worktree: bool = False
    interactive: bool = False
    opus: bool = False
    prd: bool = False
    skip_e2e: bool = False
    dry_run: bool = False
    eco: bool = False
    create_issue: bool = False
    """`--issue`: make one for the plan when none is related (A-57)."""
    custom: str | None = None
    """Success pattern of QA goal 5 (A-07)."""
    slack: str | None = None
    """Channel id (A-130)."""
    gmail: Gmail | None = None
    gdocs: bool = False
    mockup: bool = False
    daily: bool = False

    @property
    def not_available(self) -> tuple[str, ...]:
        return tuple(f"--{name}" for name in NOT_AVAILABLE if getattr(self, name))


@dataclass(frozen=True, slots=True)
class Request:
    task: str = ""
    options: Options = field(default_factory=Options)
    action: Action = Action.RUN


def is_trigger(word: str) -> bool:
    return word.casefold() in TRIGGERS


def after_trigger(words: Sequence[str]) -> list[str] | None:
    """What a command such as `/work "task"` says to `auto`. None when its first word is not one of `auto`'s."""
    if not words or not is_trigger(words[0]):
        return None
    rest = list(words[1:])
    if words[0].casefold().lstrip("/") == "work":
        # `/work --loop` became `/auto`; the option says nothing that `auto` does not do anyway.
        end = rest.index("--") if "--" in rest else len(rest)
        rest = [word for word in rest[:end] if word != "--loop"] + rest[end:]
    return rest


def parse(words: Sequence[str]) -> Request:
    """The words after the command. Unknown options are a person's mistake, named with the nearest known one."""
    options, free, queue = Options(), list[str](), list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            free += queue
            break
        name, joined = _option(word)
        if not name:
            free.append(word)
        elif name == "gmail":
            options = replace(options, gmail=Gmail(query=_mail_query(joined, queue, free)))
        elif name in VALUES:
            options = _with_value(options, name, _value(name, joined, queue))
        elif joined is not None:
            raise UserError(f"option --{name} takes no value")
        else:
            options = _with_flag(options, name)
    return _request(options, free)


def refuse_unavailable(options: Options) -> None:
    """Stop before anything starts when an option has no behaviour (G-01). Never silent."""
    if options.not_available:
        named = ", ".join(options.not_available)
        raise UserError(f"not available: {named}", "leave it out; andon has no behaviour for it")


def follow_up(gmail: Gmail) -> FollowUp:
    """Which of the four ways a `--gmail` request goes on."""
    wish = " ".join((gmail.task or "").casefold().split())
    if not wish:
        return FollowUp.SHOW
    if re.fullmatch(
        r"(?:응답|회신|답장) ?초안(?: 작성| 생성)?|(?:draft )?repl(?:y|ies)(?: drafts?)?|draft (?:a )?reply", wish
    ):
        return FollowUp.DRAFTS
    if re.fullmatch(r"할 ?일 ?(?:목록 )?(?:생성|추가|만들기)|(?:create|make|add) (?:to-?dos?|tasks)(?: items)?", wish):
        return FollowUp.TODOS
    return FollowUp.RUN


_OPTION = re.compile(r"--([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?", re.DOTALL)
_SHORT = re.compile(r"-[A-Za-z]")


def _option(word: str) -> tuple[str, str | None]:
    """Name and joined value of an option; ("", None) for a word of the task."""
    shape = _OPTION.fullmatch(word)
    if shape is None:
        if _SHORT.fullmatch(word):
            raise UserError(f"unknown option {word}")
        return "", None
    name = shape.group(1).casefold().replace("_", "-")
    if name in OPTION_NAMES:
        return name, shape.group(2)
    near = difflib.get_close_matches(name, OPTION_NAMES, n=1, cutoff=0.5)
    hint = f"did you mean --{near[0]}?" if near else "known: " + ", ".join(f"--{each}" for each in OPTION_NAMES)
    raise UserError(f"unknown option --{shape.group(1)}", hint)


def _value(name: str, joined: str | None, queue: list[str]) -> str:
    value = joined if joined is not None else queue.pop(0) if queue and not _OPTION.fullmatch(queue[0]) else ""
    if not value.strip():
        raise UserError(f"option --{name} needs a value", f"for example --{name} {_EXAMPLES[name]}")
    return value


_EXAMPLES = {"custom": '"READY"', "slack": "C0123456789"}
_CHANNEL = re.compile(r"[CDG][A-Z0-9]{2,30}")


def _with_value(options: Options, name: str, value: str) -> Options:
    if getattr(options, name) is not None:
        raise UserError(f"option --{name} was given twice")
    if name == "custom":
        return replace(options, custom=value)
    if not _CHANNEL.fullmatch(value.strip()):
        hint = f"such as {_EXAMPLES['slack']}; in Slack it stands at the end of the channel's details"
        raise UserError(f"--slack takes the id of a channel, not {value!r}", hint)
    return replace(options, slack=value.strip())


def _with_flag(options: Options, name: str) -> Options:
    field_name = "create_issue" if name == "issue" else name.replace("-", "_")
    return replace(options, **{field_name: True})


_OPERATOR = re.compile(
    r"(?:^|\s)-?(?:from|subject|newer_than|older_than|after|before):\S"
    r"|^-?(?:to|cc|bcc|label|has|is|in|filename|category|list|newer|older|larger|smaller):\S",
    re.IGNORECASE,
)


def is_mail_query(text: str) -> bool:
    """Gmail's operator syntax makes a query; any other text is a task (G-08)."""
    return _OPERATOR.search(text.strip()) is not None


def _mail_query(joined: str | None, queue: list[str], free: list[str]) -> str | None:
    """The query that follows `--gmail`. A joined word that is none belongs to the task."""
    found = [joined] if joined else []
    while not joined and queue and not _OPTION.fullmatch(queue[0]) and is_mail_query(queue[0]):
        found.append(queue.pop(0))
    if joined and not is_mail_query(joined):
        free.append(joined)
        return None
    return " ".join(found) or None


def _request(options: Options, free: Sequence[str]) -> Request:
    task = " ".join(free).strip()
    if options.gmail is not None:
        return Request(task, replace(options, gmail=replace(options.gmail, task=task or None)))
    if len(free) == 1 and task in (Action.STATUS, Action.STOP, Action.RESUME):
        return Request("", options, Action(task))
    return Request(task, options, Action.RUN if task else Action.DISCOVER)
