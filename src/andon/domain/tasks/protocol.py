"""What agents say to andon in their own text: a phase is complete, a question, a dependency that is needed.

Only the agent's own words count: never what is fenced, quoted, indented as code or printed by a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from andon.domain.order import Question

COMPLETE = "=== PHASE {phase} COMPLETE ==="
_COMPLETE = re.compile(r" {0,3}=== PHASE (?P<phase>[1-9]\d{0,3}) COMPLETE ===[ \t]*\r?")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>.*)")


def complete(phase: int) -> str:
    """The line with which an agent says that a phase is complete (D-69)."""
    return COMPLETE.format(phase=phase)


@dataclass(frozen=True, slots=True)
class Listening:
    """How far an agent's stream has been read. `phases` are those announced so far, each once (D-69)."""

    phases: tuple[int, ...] = ()
    pending: str = ""
    fence: str = ""

    def heard(self, chunk: str, *, own: bool = True) -> Listening:
        """After one more piece of the stream. `own` is False for what a tool printed: it ends the line before it."""
        if not own:
            return self.ended()
        *lines, rest = (self.pending + chunk).split("\n")
        listening = replace(self, pending="")
        for line in lines:
            listening = listening._line(line)
        return replace(listening, pending=rest)

    def ended(self) -> Listening:
        """After the end of a message: a last line needs no line break, and a fence that nobody closed ends here."""
        last = replace(self, pending="")._line(self.pending) if self.pending else self
        return replace(last, fence="")

    def _line(self, line: str) -> Listening:
        fence = _FENCE.match(line)
        if self.fence:
            closes = fence and fence["mark"].startswith(self.fence) and not fence["rest"].strip()
            return replace(self, fence="") if closes else self
        if fence:
            return replace(self, fence=fence["mark"])
        found = _COMPLETE.fullmatch(line)
        if found is None or int(found["phase"]) in self.phases:
            return self
        return replace(self, phases=(*self.phases, int(found["phase"])))


def announced(chunks: Iterable[str]) -> tuple[int, ...]:
    """The phases that a whole message of the agent says are complete (D-69)."""
    listening = Listening()
    for chunk in chunks:
        listening = listening.heard(chunk)
    return listening.ended().phases


def wrong_phase(announced: int, current: int) -> str:
    """What is wrong with an announcement, "" when it is of the phase that is being worked on (D-69)."""
    if announced == current:
        return ""
    return f"phase {announced} was announced as complete, but phase {current} is being worked on"


class Category(StrEnum):
    """What a question is about (D-115)."""

    BUSINESS = "business"
    CLARIFICATION = "clarification"
    CHOICE = "choice"
    CONFIRMATION = "confirmation"


def understood(question: Question) -> tuple[Question, str]:
    """An agent's question with one of the four categories, and a warning where it told another one (D-115). None of
    andon's own, which mean more than words."""
    category, warning = category_of(question.category)
    return replace(question, category=category.value), warning


def category_of(told: str) -> tuple[Category, str]:
    """The category, and a warning where another one was told (D-115). A block without one says `question`."""
    plain = told.strip().casefold()
    if plain in {each.value for each in Category}:
        return Category(plain), ""
    if plain in ("", "question"):
        return Category.CLARIFICATION, ""
    return Category.CLARIFICATION, f"unknown category {told.strip()!r}: taken as {Category.CLARIFICATION.value}"


def takes_own_words(question: Question) -> bool:
    """Whether anything may be answered: an agent reads it. Where andon itself asks, code goes by the options."""
    return not question.options or question.category in {each.value for each in Category}


class Need(StrEnum):
    """What a dependency request asks for (D-116, G-23)."""

    API_KEY = "api_key"
    CREDENTIAL = "credential"
    ACCESS = "access"
    CODE_BASE = "code_base"
    OTHER = "other"

    @property
    def secret(self) -> bool:
        """Whether the value is kept as a secret and reaches the agent by its environment alone."""
        return self in (Need.API_KEY, Need.CREDENTIAL)


@dataclass(frozen=True, slots=True)
class Dependency:
    name: str
    need: Need
    reason: str


DEPENDENCY_INSTRUCTION = """\
When you cannot go on without a key, a credential or access that only a person can give, end your reply with this block:
[DEPENDENCY_REQUEST]
name: STRIPE_API_KEY
type: api_key
reason: What it is needed for, in one line
[/DEPENDENCY_REQUEST]
`type` is one of api_key, credential, access, code_base, other. A key or credential reaches you as the environment
variable of that name, never as text."""
_BLOCK = re.compile(
    r"^\[DEPENDENCY_REQUEST\][ \t]*\n(?P<body>.*?)^\[/DEPENDENCY_REQUEST\][ \t]*\Z", re.MULTILINE | re.DOTALL
)
_VALUE = re.compile(r"^(?P<key>name|type|reason):[ \t]*(?P<value>.*)$")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def dependency_in(text: str) -> Dependency | None:
    """The dependency request that a reply ends with (D-116, G-23). Quoted, fenced or followed by more, it is none.

    A secret's name has to be one that an environment variable can have.
    """
    found = _BLOCK.search(text.rstrip())
    if found is None or len(re.findall(r"^ {0,3}(?:```|~~~)", text[: found.start()], re.MULTILINE)) % 2:
        return None
    values: dict[str, str] = {}
    for line in found["body"].splitlines():
        if match := _VALUE.match(line):
            values.setdefault(match["key"], match["value"].strip())
    kind = values.get("type", "").casefold().replace(" ", "_").replace("-", "_")
    need = Need(kind) if kind in {each.value for each in Need} else Need.OTHER
    name, reason = values.get("name", ""), values.get("reason", "")
    if not name or not reason or (need.secret and not _VARIABLE.fullmatch(name)):
        return None
    return Dependency(name, need, reason)


SECRET, DEPENDENCY = "secret", "dependency"
"""Categories of what a person is asked for a dependency."""
GRANTED, DENIED = "granted", "denied"


def asked_for(dependency: Dependency) -> Question:
    """What a person is asked (D-116). A secret itself is never an answer: only that it was given, or not."""
    text = f"{dependency.name}: {dependency.reason}"
    if dependency.need.secret:
        return Question(text, (GRANTED, DENIED), category=SECRET)
    return Question(text, category=DEPENDENCY)


def name_asked_for(question: Question) -> str:
    """The name of the dependency that a person is asked for."""
    return question.text.partition(":")[0].strip()


def granted(dependency: Dependency, value: str = "") -> str:
    """What an agent is told when a dependency is there. A secret's value is never in it (D-116)."""
    if dependency.need.secret:
        return f"{dependency.name} is set in your environment now. Never write its value into a file or a message."
    if not value:
        return f"{dependency.name} is there now."
    return f"About {dependency.name}, which you asked for, a person says: {value}"


def denied(dependency: Dependency) -> str:
    """What an agent is told when a person does not give what it asked for (D-116)."""
    return f"{dependency.name} will not be given. Go on without it, and say in your documents what is missing for it."
