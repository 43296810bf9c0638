"""Templates and the small words around them: times, durations, money, lamps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from andon.domain.language import Language
from andon.domain.line import Note
from andon.web.rows import Guarded
from andon.web.security import Visitor
from andon.web.words import Say, heard, speaker

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
CSRF_HERE = "\ue000csrf\ue001"
"""Stands in a fragment that many may be sent; each gets their own token in its place."""


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom something is rendered."""

    language: Language
    theme: str
    visitor: Visitor

    @property
    def say(self) -> Say:
        return speaker(self.language)


@cache
def templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(
        clock=clock, moment=moment, iso=iso, lasted=lasted, short=short, dollars=dollars, grouped=grouped
    )
    return made


def render(template: str, reader: Reader, **values: Any) -> str:
    return templates().get_template(template).render(context(reader) | values)


def context(reader: Reader) -> dict[str, Any]:
    say = reader.say

    def told_ago(at: float) -> str:
        return ago(at, say)

    def told(note: Note) -> str:
        return tell(note, say)

    def heard_of(text: str, most: int = 0) -> Markup:
        """What has no Korean is marked as English, for those who listen to the page."""
        own = heard(text, say)
        shown = escape(f"{own[: most - 1]}…" if most and len(own) > most else own)
        foreign = own == text and reader.language is not Language.EN
        return Markup('<span lang="en">{}</span>').format(shown) if foreign else shown

    return {
        "_": say,
        "told": told,
        "heard": heard_of,
        "lang": reader.language.value,
        "theme": reader.theme,
        "visitor": reader.visitor,
        "csrf": CSRF_HERE,
        "ago": told_ago,
        "guarded": Guarded(say),
        "asset": asset,
    }


def tell(note: Note, say: Say) -> str:
    """Its sentence and the verdicts in it; names stay as they are."""
    if not note:
        return ""
    values = {name: say(value) if name in ("verdict", "status") else value for name, value in note.values.items()}
    return say(note.text, **values)


def personal(html: str, reader: Reader) -> str:
    return html.replace(CSRF_HERE, reader.visitor.csrf)


def clock(at: float) -> str:
    """14:02:10, as the machine's own clock has it."""
    return _local(at).strftime("%H:%M:%S")


def moment(at: float) -> str:
    return _local(at).strftime("%Y-%m-%d %H:%M:%S %z")


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()


def ago(at: float, say: Say, now: float | None = None) -> str:
    seconds = max(0.0, (now or time.time()) - at)
    if seconds < 5:
        return say("now")
    if seconds < 60:
        return say("{count} s ago", count=int(seconds))
    if seconds < 3600:
        return say("{count} min ago", count=int(seconds // 60))
    if seconds < 48 * 3600:
        return say("{count} h ago", count=int(seconds // 3600))
    return say("{count} days ago", count=int(seconds // 86400))


def lasted(seconds: float) -> str:
    """0.4 s, 7 s, 2:20, 1:04:09."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def short(digest: str) -> str:
    return digest[:7]


def dollars(money: float) -> str:
    if not money:
        return ""
    return "<$0.01" if money < 0.01 else f"${money:,.2f}"


def grouped(number: float) -> str:
    return f"{number:,.0f}"


@cache
def asset(name: str) -> str:
    """By its size and age: a new release is never shown with an old stylesheet."""
    stat = (STATIC / name).stat()
    return f"/static/{name}?v={stat.st_size:x}{int(stat.st_mtime) & 0xFFFFFF:x}"
