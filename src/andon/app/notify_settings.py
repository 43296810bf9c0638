"""`[notify]`: where notices go and which; `[mcp]` and `[serve]`: what other programs and people may do.

Addresses may hold passwords: never printed, never written down.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from andon.domain.errors import UserError
from andon.domain.notices import Event, Notice
from andon.domain.tasks.reminders import To
from andon.engine.notices import Target

HINT = "[notify] urls takes addresses as Apprise has them, such as json://host/path, or $NAME of a variable."
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#@\s]*@)?([^/?#\s]*)")
_HOSTED = ("json", "jsons", "xml", "xmls", "form", "forms", "mailto", "mailtos")
"""Schemes whose host is a host; elsewhere it may be a token."""


def _words(separators: str) -> BeforeValidator:
    """A variable of the environment holds several in one text."""

    def split(value: object) -> object:
        return [each for each in re.split(separators, value) if each] if isinstance(value, str) else value

    return BeforeValidator(split)


class NotifySettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    urls: Annotated[tuple[SecretStr, ...], _words(r"\s+")] | None = Field(
        None,
        description="Where people are told, as Apprise addresses; `$NAME` is a variable with some. Unset: nowhere.",
        examples=[["$TEAM_CHAT_URL"]],
    )
    admin_urls: Annotated[tuple[SecretStr, ...], _words(r"\s+")] | None = Field(
        None,
        description="Where escalations go besides: to those who can name another reviewer.",
        examples=[["$TEAM_LEAD_URL"]],
    )
    events: Annotated[tuple[Event, ...], _words(r"[\s,]+")] | None = Field(
        None,
        description=f"What people are told about: {', '.join(Event)}. Unset: all of it.",
        examples=[["review", "question", "failed"]],
    )


class McpSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    may_decide: bool = Field(
        False, description="Let programs decide reviews through `andon mcp`. Off: only people approve."
    )


class ServeSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    folders: Annotated[tuple[str, ...], _words(re.escape(os.pathsep))] | None = Field(
        None,
        description="Folders in which reviewers and programs may start work, with all below them; a variable separates "
        "them as PATH does. Unset: the folder `andon serve` was started in, and repositories that have had a run.",
        examples=[["~/projects"]],
    )


@dataclass(frozen=True, slots=True)
class Address:
    target: Target
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Book:
    """The addresses in force. Empty: nobody is told anything."""

    people: tuple[Address, ...] = ()
    admins: tuple[Address, ...] = ()
    events: frozenset[Event] = frozenset()
    missing: tuple[str, ...] = ()
    """Variables that are named and not set."""

    @property
    def all(self) -> dict[str, Address]:
        return {each.target.fingerprint: each for each in (*self.people, *self.admins)}

    def addressed(self, notice: Notice) -> tuple[Target, ...]:
        """Where a notice goes: to the people, and an escalation to the admins as well (D-107)."""
        if notice.event not in self.events:
            return ()
        chosen = (*self.people, *self.admins) if notice.to is To.ADMINS else self.people
        return tuple({each.target.fingerprint: each.target for each in chosen}.values())


def book(settings: NotifySettings, environment: Mapping[str, str]) -> Book:
    missing: list[str] = []
    people, admins = (
        tuple(_address(url) for each in given for url in _expanded(each.get_secret_value(), environment, missing))
        for given in (settings.urls or (), settings.admin_urls or ())
    )
    return Book(people, admins, frozenset(settings.events or Event), tuple(missing))


def _expanded(text: str, environment: Mapping[str, str], missing: list[str]) -> list[str]:
    if not text.startswith("$"):
        return [text]
    name = text[1:].strip("{}")
    found = environment.get(name, "").split()
    if not found:
        missing.append(name)
    return found


def _address(url: str) -> Address:
    found = _SCHEME.match(url)
    if found is None:
        raise UserError("notify.urls: one of them is no address", HINT)
    scheme, fingerprint = found[1].lower(), hashlib.sha256(b"andon notify " + url.encode()).hexdigest()[:16]
    where = found[3] if scheme in _HOSTED and found[3] else f"…{fingerprint[:4]}"
    return Address(Target(fingerprint, f"{scheme}://{where}"), url)
