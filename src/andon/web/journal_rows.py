"""The journal as people read it on a page: one line per entry, in their language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from andon.app.store import Store
from andon.domain.grammar import Unreadable, read_object
from andon.domain.journal import Entry
from andon.domain.line import Lamp, Note, first_sentence
from andon.domain.todos import UNITS
from andon.domain.unreadable import number, read
from andon.web.page import Query
from andon.web.rendering import clock, tell
from andon.web.words import Say

PAGE = 200
LOOKED_AT = 1_000
"""Entries that are read at once where words are looked for. What a row says is put together for its reader, in their
language: no query of a database can find it."""
Data = Mapping[str, Any]
Sentence = tuple[str, Mapping[str, str]]
FILTERS: Mapping[str, tuple[str, ...]] = {
    "agents": ("spawn", "message", "result", "task_update", "verdict", "diagnosis", "iteration", "unit", "ralph"),
    "checks": ("check", "check_at_base", "verification", "gate", "phase_verified", "environment_prepared"),
    "holds": ("hold_opened", "escalated", "hold_kept", "hold_answered", "review_decided", "directed", "accepted"),
    "git": ("branched", "merged", "committed", "part_committed", "file_written", "taken_over"),
    "budget": ("budget_warning", "forecast", "rate_limited"),
    "problems": (
        "warning",
        "bug",
        "violation",
        "scope_refused",
        "secret_hidden",
        "claim_refused",
        "reply_misread",
        "teammate_failed",
    ),
}
LAMPS: Mapping[str, Lamp] = {
    "spawn": Lamp.RUNNING,
    "result": Lamp.REPLIED,
    "hold_opened": Lamp.WAITING,
    "warning": Lamp.NONE,
    "claim_refused": Lamp.FAILED,
    "teammate_failed": Lamp.FAILED,
    "scope_refused": Lamp.FAILED,
    "secret_hidden": Lamp.NONE,
    "bug": Lamp.FAILED,
    "escalated": Lamp.WAITING,
}
UNTOLD = frozenset({"name", "recipient", "leg", "pipeline", "tree", "digest", "commit", "of", "instance", "fix"})
"""What stands beside a row already, or is of use to programs alone."""
LONG_AGO = 1e9
"""Seconds since 1970: what is called `…_at` and is more is a moment of a clock."""
VERDICTS: Mapping[str, Lamp] = {"passed": Lamp.PASSED, "failed": Lamp.FAILED, "not_measured": Lamp.NONE}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the journal."""

    seq: int
    at: float
    kind: str
    source: str
    text: str
    lamp: str


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first."""

    rows: Sequence[Row]
    before: int | None
    """For the page after it. None: this was the last."""


def page_of(store: Store, run: str, query: Query, say: Say) -> Page:
    """So many rows of those that are wanted, however far back they are."""
    given = query.get("before", "")
    before = int(given) if given.isdecimal() and len(given) < 16 else None
    most = LOOKED_AT if query.get("q") else PAGE + 1
    found = list[Row]()
    while len(found) <= PAGE:
        entries = store.journal.page(run, before, most, FILTERS.get(query.get("kind", ""), ()))
        found += [row for entry in entries if fits(row := row_of(entry, say), query)]
        if len(entries) < most:
            break
        before = entries[-1].seq
    return Page(found[:PAGE], found[PAGE - 1].seq if len(found) > PAGE else None)


def new_rows(entries: Sequence[Entry], query: Query, say: Say) -> list[Row]:
    return [row for entry in reversed(entries) if fits(row := row_of(entry, say), query)]


def fits(row: Row, query: Query) -> bool:
    kinds, words = FILTERS.get(query.get("kind", ""), ()), query.get("q", "").casefold()
    return (not kinds or row.kind in kinds) and (not words or words in f"{row.source} {row.text}".casefold())


def row_of(entry: Entry, say: Say) -> Row:
    """One that cannot be read says so in its place."""
    found = read(entry.seq, lambda: _row(entry, say))
    if isinstance(found, Row):
        return found
    told = Note("cannot be read: {problem}", {"problem": found.problem})
    return Row(entry.seq, entry.at, entry.kind, entry.phase, tell(told, say), Lamp.NONE)


def _row(entry: Entry, say: Say) -> Row:
    data = entry.data
    measured = entry.kind in ("check", "verification")
    lamp = VERDICTS.get(str(data.get("verdict", ""))) if measured else LAMPS.get(entry.kind)
    if entry.kind == "unit":
        lamp = UNITS.get(str(data.get("state", "")))
    source = str(
        data.get("name")
        or data.get("goal")
        or data.get("recipient")
        or data.get("member")
        or data.get("worker")
        or entry.phase
        or "run"
    )
    return Row(entry.seq, entry.at, entry.kind, source, tell(note_of(entry, say), say), lamp or "")


def note_of(entry: Entry, say: Say) -> Note:
    """An entry in one line. What agents and people said stands in their own words."""
    data = entry.data
    if entry.kind in SENTENCES:
        return Note(*SENTENCES[entry.kind](data))
    kind, text = say(label(entry.kind)), _words(data)
    return Note("{kind} · {text}", {"kind": kind, "text": text}) if text else Note("{name}", {"name": kind})


def label(kind: str) -> str:
    return kind.replace("_", " ")


def _words(data: Data) -> str:
    for key in ("text", "message", "content", "reason", "detail", "path", "report", "task", "problem"):
        if isinstance(said := data.get(key), str) and said:
            return first_sentence(said if said.lstrip()[:1].isalnum() else _of_itself(said))
    if isinstance(names := data.get("names"), list):
        return first_sentence(", ".join(map(str, cast("list[object]", names))))
    told = {key: value for key, value in data.items() if isinstance(value, (str, int, float)) and key not in UNTOLD}
    return first_sentence(" · ".join(filter(None, map(_value, told, told.values()))))


def _value(key: str, value: str | float) -> str:
    if isinstance(value, str):
        return value
    shown = clock(value) if key.endswith("_at") and value > LONG_AGO else f"{value:,}"
    return f"{label(key)} {shown}"


def _of_itself(text: str) -> str:
    """Of an answer that is data: what it says of itself in it. Any other as it is."""
    found = read_object(text)
    if isinstance(found, Unreadable):
        return text
    summary = found.get("summary")
    return summary if isinstance(summary, str) else ""


def _started(data: Data) -> Sentence:
    values = {"role": str(data.get("role", "")), "model": str(data.get("model", ""))}
    return ("started · {role} · {model}", values) if values["model"] else ("started · {role}", values)


def _checked(data: Data) -> Sentence:
    verdict, reason = str(data["verdict"]), first_sentence(str(data["reason"]))
    return ("{verdict} · {reason}" if reason else "{verdict}", {"verdict": verdict, "reason": reason})


def _asked(data: Data) -> Sentence:
    return "{name}", {"name": first_sentence(str(data.get("question", "")))}


def _answered(data: Data) -> Sentence:
    values = {"by": str(data.get("by", "")), "answer": first_sentence(str(data.get("answer", "")))}
    return ("no answer came: {answer}" if values["by"] == "timeout" else "{by}: {answer}"), values


def _kept(data: Data) -> Sentence:
    return "waits for {by}", {"by": str(data.get("by", ""))}


def _unit(data: Data) -> Sentence:
    values = {"title": str(data.get("title", "")), "why": str(data.get("why", ""))}
    match data.get("state"):
        case "begun":
            return "unit begun · {title}", values
        case "failed":
            return "unit failed · {title} · {why}", values
        case _ if data.get("forced"):
            return "unit went on at the limit, not agreed · {title}", values
        case _:
            return "unit done · {title}", values


def _round(data: Data) -> Sentence:
    feedback = first_sentence(str(data.get("feedback", "")))
    values = {name: str(data.get(name, "")) for name in ("iteration", "most", "verdict", "title")}
    values |= {"feedback": feedback}
    if values["verdict"] == "SHIP" and data.get("reviewer") == "":
        return "measured, not reviewed · {title}", values
    if not feedback:
        return "round {iteration} of {most} · {verdict} · {title}", values
    return "round {iteration} of {most} · {verdict} · {title} · {feedback}", values


def _limited(data: Data) -> Sentence:
    return "rate limit, goes on at {time}", {"time": clock(number(data["resets_at"]))}


def _escalated(data: Data) -> Sentence:
    return "blocked · {problem}", {"problem": first_sentence(str(data.get("problem", "")))}


SENTENCES: Mapping[str, Callable[[Data], Sentence]] = {
    "spawn": _started,
    "check": _checked,
    "hold_opened": _asked,
    "hold_answered": _answered,
    "hold_kept": _kept,
    "unit": _unit,
    "ralph": _round,
    "escalated": _escalated,
    "rate_limited": _limited,
}
