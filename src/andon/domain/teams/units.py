"""The parts of a workflow document, and what each says about itself (B-16 to B-20, B-25, B-26)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

BUILT_IN = ("Bash", "Read", "Write", "Edit", "Glob", "Grep")
WRITING = frozenset({"Write", "Edit"})
LONGEST_NAME, LONGEST_PATH = 200, 400
SUBAGENT, ASKS = "Task", "AskUserQuestion"
TEAM_TOOLS = ("TeamCreate", "SendMessage")
MOST_NAMED = 200
"""Units that one can say it waits for."""
_MCP = re.compile(r"mcp__([A-Za-z0-9][\w-]{0,63}?)__([A-Za-z][\w-]*)")
_CALL = re.compile(rf"(?<![\w])({'|'.join((*BUILT_IN, SUBAGENT, ASKS, *TEAM_TOOLS))})\(")
_INPUT = re.compile(
    r"^[ \t>|*-]*(?:\*\*)?(?:inputs?|입력)(?:\*\*)?\s*:(?:\*\*)?[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE
)
_OUTPUT = re.compile(
    r"^[ \t>|*-]*(?:\*\*)?(?:outputs?|출력|산출물)(?:\*\*)?\s*:(?:\*\*)?[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE
)
_CHECK = re.compile(
    r"^[\s>|*-]*(?:\*\*)?(?:checks?|verify|verified by|검증|확인)(?:\*\*)?\s*:(?:\*\*)?[ \t]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_COMMAND = re.compile(r"`([^`\n]+)`")
_HANDOFF = re.compile(r"(?:handoff|전달)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_AFTER = re.compile(r"blockedBy\s*[:=]?\s*(\[[^\]]{0,2000}\]|[^\n]*)", re.IGNORECASE)
_LATER = re.compile(r"완료\s*후|이후")
_ENGLISH_LATER = re.compile(r"\b(?:after|depends on|once)\s+((?:step|phase)\s*[\w.]+)", re.IGNORECASE)
_PARALLEL = re.compile(r"병렬|동시에|(?<!\w)(?:in\s+)?parallel", re.IGNORECASE)
_SEQUENTIAL = re.compile(r"blockedBy|이후|완료\s*후|\bdepends on\b", re.IGNORECASE)
_PLANS = re.compile(r"(?<!\w)(?:plan|planning|design|architect\w*)(?!\w)|계획|설계", re.IGNORECASE)
_WRITES = re.compile(
    r"(?<!\w)(?:writ(?:e|es|ing)|creat(?:e|es|ing)|sav(?:e|es|ing)|edit(?:s|ing)?|implement\w*|generat(?:e|es|ing)|"
    r"updat(?:e|es|ing)|export\w*)(?!\w)|작성|저장|생성|수정|구현",
    re.IGNORECASE,
)
_MCP_WRITES = re.compile(
    r"(?:^|[_-])(?:create|update|write|edit|delete|add|post|append|save|move|patch|put)", re.IGNORECASE
)
_JOINS = re.compile(
    r"(?<!\w)(?:integrat\w*|merg(?:e|es|ing)|combin\w*|synthesi\w*|consolidat\w*)(?!\w)|통합|취합|수집", re.IGNORECASE
)
_FILE = re.compile(r"`([^`\s]+\.[A-Za-z][A-Za-z0-9]{0,7}|[^`\s]+/)`")


class AgentType(StrEnum):
    EXPLORE = "Explore"
    GENERAL = "general-purpose"
    PLAN = "Plan"


READING_TOOLS = ("Read", "Glob", "Grep")
WRITING_TOOLS = ("Read", "Write", "Edit", "Bash", "Glob", "Grep")


@dataclass(frozen=True, slots=True)
class Tool:
    """An MCP tool that a text names."""

    server: str
    name: str

    @property
    def writes(self) -> bool:
        return bool(_MCP_WRITES.search(self.name))

    def __str__(self) -> str:
        return f"mcp__{self.server}__{self.name}"


@dataclass(frozen=True, slots=True)
class Unit:
    """A heading of the document with what is under it, up to the next one."""

    id: str
    title: str
    level: int
    line: int
    body: str
    parent: str = ""
    tools: tuple[str, ...] = ()
    mcp: tuple[Tool, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    handoff: tuple[str, ...] = ()
    named_before: tuple[str, ...] = ()
    """What it says has to be finished first, in its words."""
    sequential: bool = False
    parallel: bool = False
    asks: bool = False
    """It needs a person: never a worker's."""
    delegates: bool = False
    """It starts agents itself."""
    teams: bool = False
    plans: bool = False
    joins: bool = False
    """It brings results together."""
    writes: bool = False
    files: tuple[str, ...] = ()
    """That it says it writes: its outputs that are paths."""
    checks: tuple[str, ...] = ()
    """Commands that it says it is judged by."""
    after: tuple[str, ...] = field(default=())
    """Units that come before it; see graph.py."""

    @property
    def type(self) -> AgentType:
        """Planning is looked at first; otherwise it could never be reached (B-26, X-22)."""
        if self.plans and not self.writes:
            return AgentType.PLAN
        return AgentType.GENERAL if self.writes else AgentType.EXPLORE

    @property
    def allowed(self) -> tuple[str, ...]:
        """The tools of its agent."""
        if self.type is AgentType.GENERAL:
            return (*WRITING_TOOLS, *map(str, self.mcp))
        return (*READING_TOOLS, *(("ToolSearch",) if self.mcp and self.type is AgentType.EXPLORE else ()))

    def as_json(self) -> dict[str, Any]:
        told = asdict(self) | {"mcp": [str(each) for each in self.mcp], "type": self.type.value}
        return told | {"allowed": list(self.allowed)}


def described(unit: Unit) -> Unit:
    """The unit with everything that its own words say."""
    text = f"{unit.title}\n{unit.body}"
    calls, mcp = references(text)
    outputs = _listed(_OUTPUT.findall(unit.body))
    written = bool(WRITING & set(calls)) or any(each.writes for each in mcp)
    files = tuple(dict.fromkeys(each for each in outputs if is_path(each)))
    plans = bool(_PLANS.search(unit.title))
    return replace(
        unit,
        tools=tuple(each for each in calls if each in BUILT_IN),
        mcp=mcp,
        inputs=_listed(_INPUT.findall(unit.body)),
        outputs=outputs,
        handoff=_listed(_HANDOFF.findall(unit.body)),
        named_before=_named(text),
        sequential=bool(_SEQUENTIAL.search(text)),
        parallel=bool(_PARALLEL.search(text)),
        asks=ASKS in calls,
        delegates=SUBAGENT in calls,
        teams=any(each in calls for each in TEAM_TOOLS),
        plans=plans,
        joins=bool(_JOINS.search(unit.title)),
        writes=written or bool(files) or (not plans and bool(_WRITES.search(unit.title))),
        files=files,
        checks=tuple(dict.fromkeys(each for line in _CHECK.findall(unit.body) for each in _COMMAND.findall(line))),
    )


def references(text: str) -> tuple[tuple[str, ...], tuple[Tool, ...]]:
    """Every tool that a text names: built-in and team tools, and those of MCP servers (B-18)."""
    calls = tuple(dict.fromkeys(_CALL.findall(text)))
    return calls, tuple(dict.fromkeys(Tool(server, name) for server, name in _MCP.findall(text)))


def slug(title: str, taken: Iterable[str] = ()) -> str:
    """A short name for a heading, in any script; numbered where it is taken."""
    words = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_")[:48].strip("-_") or "unit"
    known, name, number = set(taken), words, 2
    while name in known:
        name, number = f"{words}-{number}", number + 1
    return name


def _listed(found: Iterable[str]) -> tuple[str, ...]:
    """`a, b` or `[a, b]`, each without marks."""
    parts = (part for each in found for part in re.split(r"[,;·、]|\s\+\s", each.strip().strip("[]")))
    clean = (part.strip().strip("`\"'*|").strip() for part in parts)
    return tuple(dict.fromkeys(part for part in clean if part))


def _named(text: str) -> tuple[str, ...]:
    lists = _listed(_AFTER.findall(text))
    found = dict.fromkeys(each for each in (*lists, *_later(text), *_ENGLISH_LATER.findall(text)) if each)
    return tuple(found)[:MOST_NAMED]


def _later(text: str) -> Iterator[str]:
    """What stands before "afterwards", in its sentence. Each letter is looked at once, however long a line is."""
    start = 0
    for word in _LATER.finditer(text):
        begin = max(text.rfind(mark, start, word.start()) + 1 for mark in "\n.。")
        yield text[max(begin, start, word.start() - LONGEST_NAME) : word.start()].strip().strip("-*> ")
        start = word.end()


def is_path(text: str) -> bool:
    """Whether it names a file or folder of the project, by its shape alone."""
    return (
        len(text) <= LONGEST_PATH
        and bool(_FILE.fullmatch(f"`{text}`"))
        and "://" not in text
        and not leads_outside(text)
    )


def leads_outside(path: str) -> bool:
    """Of the project: nobody in a team writes there, nor into its git."""
    parts = path.replace("\\", "/").split("/")
    drive = len(parts[0]) == 2 and parts[0].endswith(":")
    return path.startswith(("/", "\\", "~")) or ".." in parts or parts[0] == ".git" or drive or not path.isprintable()
