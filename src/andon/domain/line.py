"""A run as a line of stations: which was passed, where the work is, and what it waits for. Pure, from the journal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from string import Formatter
from types import MappingProxyType
from typing import Any

from andon.domain.journal import Entry
from andon.domain.run import TASK, TEAM, Status

STATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "auto": ("plan", "design", "do", "check", "act"),
        "uam": ("plan", "sprint", "gate", "fix", "finalize"),
        TEAM: ("plan", "work", "verify"),
    }
)
REWORKS = 3
"""Of a phase of a task (D-73)."""


class Lamp(StrEnum):
    """What a lamp shows. The order is that of strength: of several, the first wins upward."""

    FAILED = "failed"
    WAITING = "waiting"
    RUNNING = "running"
    NONE = "none"
    """Left out: the run did not need this station."""
    PASSED = "passed"
    TODO = "todo"
    REPLIED = "replied"
    """An agent has answered, which is no verdict."""


STRENGTH = (Lamp.FAILED, Lamp.WAITING, Lamp.RUNNING, Lamp.PASSED)


def strongest(lamps: Iterable[Lamp]) -> Lamp:
    found = set(lamps)
    return next((lamp for lamp in STRENGTH if lamp in found), Lamp.TODO)


NOTES: Mapping[str, str] = MappingProxyType(
    {
        "verdict": "{name}: {verdict}",
        "verification": "verification {verdict}",
        "review_decided": "{status} by {by}",
        "gate": "gate {gate}: {verdict}",
    }
)
"""What a station shows beneath its name, by the kind of entry that told it."""


@dataclass(frozen=True, slots=True)
class Note:
    """A few words for people: a sentence and its values, so that a page can say it in another language."""

    text: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.text.format(**{name: value.replace("_", " ") for name, value in self.values.items()})

    def __bool__(self) -> bool:
        return bool(self.text)


NOTHING = Note()


@dataclass(frozen=True, slots=True)
class Station:
    number: int
    name: str
    lamp: Lamp
    visits: int = 0
    seconds: float = 0.0
    money: float = 0.0
    said: Note = NOTHING

    @property
    def note(self) -> str:
        return str(self.said)

    @property
    def current(self) -> bool:
        return self.lamp in (Lamp.RUNNING, Lamp.WAITING, Lamp.FAILED)


def stations_of(pipeline: str, phases: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of a pipeline's stations; of a task those of its workflow."""
    return tuple(phases) if pipeline == TASK else STATIONS.get(pipeline, ())


def lamp_of(status: Status, asked: bool) -> Lamp:
    """The lamp of a whole run."""
    if status is Status.DONE:
        return Lamp.PASSED
    if status in (Status.FAILED, Status.NEEDS_PERSON, Status.STOPPED, Status.INTERRUPTED):
        return Lamp.FAILED
    if status is Status.CLOSED:
        return Lamp.TODO
    return Lamp.WAITING if asked or status is Status.WAITING else Lamp.RUNNING


@dataclass(slots=True)
class _Visit:
    count: int = 0
    seconds: float = 0.0
    money: float = 0.0
    since: float | None = None
    spent: float = 0.0
    note: Note = NOTHING


def line(names: Sequence[str], entries: Sequence[Entry], lamp: Lamp) -> tuple[Station, ...]:
    """The stations. The one that was entered last carries the run's own lamp, unless the run is done."""
    visits = {name: _Visit() for name in names}
    last = ""
    for entry in entries:
        visit = visits.get(str(entry.data.get("name", ""))) if entry.kind in ("phase_entered", "phase_left") else None
        if entry.kind == "phase_entered" and visit is not None:
            visit.count, visit.since, last = visit.count + 1, entry.at, str(entry.data["name"])
            visit.spent = _money(entry.data)
        elif entry.kind == "phase_left" and visit is not None and visit.since is not None:
            visit.seconds += entry.at - visit.since
            visit.money += _money(entry.data) - visit.spent
            visit.since = None
        elif (found := visits.get(entry.phase)) is not None and (note := _note(entry)):
            found.note = note
    made = list[Station]()
    for number, name in enumerate(names, start=1):
        visit = visits[name]
        shown = _lamp(name, visit, last, names, lamp)
        made.append(Station(number, name, shown, visit.count, visit.seconds, visit.money, visit.note))
    return tuple(made)


def _lamp(name: str, visit: _Visit, last: str, names: Sequence[str], lamp: Lamp) -> Lamp:
    if name == last and lamp is not Lamp.PASSED:
        return lamp
    if visit.count:
        return Lamp.PASSED
    left_out = lamp is Lamp.PASSED or (last in names and names.index(last) > names.index(name))
    return Lamp.NONE if left_out else Lamp.TODO


def _money(data: Mapping[str, Any]) -> float:
    spent: Any = data.get("spent")
    return float(spent.get("money", 0.0)) if spent else 0.0


def _note(entry: Entry) -> Note:
    """What a station shows beneath its name: the last judgement in it."""
    if entry.kind not in NOTES:
        return NOTHING
    data = {key: str(value) for key, value in entry.data.items()}
    if entry.kind == "gate":
        data |= {"gate": data.get("gate", ""), "verdict": "passed" if entry.data.get("passed") else "not passed"}
    text = NOTES[entry.kind]
    return Note(text, {name: data.get(name, "") for _, name, _, _ in Formatter().parse(text) if name})


@dataclass(slots=True)
class Agent:
    """A teammate as screens show it: what it does now, or what came of it."""

    name: str
    role: str
    model: str
    phase: str
    lamp: Lamp
    what: str
    since: float
    seconds: float = 0.0
    money: float = 0.0
    writes: Sequence[str] = field(default_factory=tuple[str, ...])


def agents(entries: Sequence[Entry]) -> list[Agent]:
    """Newest first. Of one name the last order counts."""
    found: dict[str, Agent] = {}
    for entry in entries:
        data, name = entry.data, str(entry.data.get("name", ""))
        if entry.kind == "spawn":
            found.pop(name, None)
            words = first_sentence(str(data.get("prompt", "")))
            found[name] = Agent(
                name, str(data.get("role", "")), str(data.get("model", "")), entry.phase, Lamp.RUNNING, words, entry.at
            )
        elif entry.kind == "result" and name in found:
            _ended(found[name], data)
        elif entry.kind == "teammate_failed" and name in found:
            found[name].lamp, found[name].what = Lamp.NONE, str(data.get("detail") or data.get("outcome", ""))
        elif entry.kind == "rate_limited" and name in found:
            found[name].lamp, found[name].what = Lamp.WAITING, "rate limit"
        elif entry.kind in ("run_ended", "run_started"):
            for each in found.values():
                if each.lamp is Lamp.RUNNING:
                    each.lamp, each.what = Lamp.NONE, ""
    return list(reversed(found.values()))


def _ended(agent: Agent, data: Mapping[str, Any]) -> None:
    done = data.get("outcome") == "done"
    agent.lamp = Lamp.REPLIED if done else Lamp.NONE
    agent.what = first_sentence(in_words(str(data.get("text") or data.get("detail") or data.get("outcome", ""))))
    agent.seconds = float(data.get("seconds") or 0.0)
    usage: Any = data.get("usage")
    agent.money = float(usage.get("money") or 0.0) if usage else 0.0


def in_words(text: str) -> str:
    """Of a reply that is an object, what it says in words; of Markdown the text, not the heading above it."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("```")).strip()
    word, colon, rest = plain.partition(": ")
    if colon and word.isupper() and rest.startswith("{"):
        return word
    if plain.startswith("{"):
        try:
            found: Any = json.loads(plain)
        except ValueError:
            return ""
        told = (found.get(key) for key in ("report", "summary", "reason", "message", "status"))
        return next((each for each in told if isinstance(each, str) and each), "")
    return "\n".join(line for line in plain.splitlines() if not line.startswith("#")) or plain.lstrip("# ")


def first_sentence(text: str, most: int = 160) -> str:
    line = next((each.strip() for each in text.splitlines() if each.strip() and not each.startswith("```")), "")
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that ends by itself: how often it has gone round, and when the line stops."""

    name: str
    used: int
    most: int


def _rounds(entries: Sequence[Entry]) -> list[Loop]:
    """Of the unit that has had the most rounds of reviews, among those that are not done."""
    last = {str(e.data["id"]): e.data for e in entries if e.kind == "ralph"}
    done = {str(e.data["id"]) for e in entries if e.kind == "unit" and e.data.get("state") != "begun"}
    left = [each for id, each in last.items() if id not in done]
    return [Loop("rounds", max(int(e["iteration"]) for e in left), int(left[0]["most"]))] if left else []


def loops(pipeline: str, mode: str, limits: Mapping[str, Any], entries: Sequence[Entry]) -> list[Loop]:
    """Counts, not percentages: two of three says when the line will stop."""
    if pipeline == TASK:
        entered = max((entry.seq for entry in entries if entry.kind in ("phase_entered", "review_decided")), default=0)
        return [Loop("reworks", sum(entry.kind == "rework" and entry.seq > entered for entry in entries), REWORKS)]
    if pipeline == TEAM:
        return _rounds(entries)
    if pipeline != "auto":
        return []
    checking = max((e.seq for e in entries if e.kind == "phase_entered" and e.data.get("name") == "check"), default=0)
    runners = {str(e.data["name"]) for e in entries if e.kind == "spawn" and e.data.get("role") == "qa-tester"}
    failures = Counter(
        signature
        for entry in entries
        if entry.kind == "check" and entry.phase == "check" and entry.seq > checking
        for signature in dict.fromkeys(entry.data.get("signatures") or ())
    )
    returns = sum(entry.kind == "phase_entered" and entry.data.get("name") == "check" for entry in entries) - 1
    found = (
        Loop("same failure", max(failures.values(), default=0), int(limits.get("same_failure", 0))),
        Loop("QA cycles", len(runners), int(limits.get(f"qa_cycles_{mode.lower()}", 0))),
        Loop("returns to check", max(0, returns), int(limits.get("phase4_reentries", 0))),
    )
    return [loop for loop in found if loop.most]
