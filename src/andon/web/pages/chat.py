"""Conversations (custom tasks): the answer first; its score and a rating to the side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from andon.app.conversations import Turn, conversation, metrics
from andon.app.overview import Overview
from andon.app.tasks import task_of
from andon.domain.line import Lamp
from andon.domain.run import TASK, Status
from andon.domain.tasks.conversation import AGENT
from andon.domain.tasks.phases import TaskType
from andon.web.documents import document
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import NotFound, Site

PARTS = ("list", "turns", "score")
DIMENSIONS = ("relevance", "completeness", "clarity", "actionability", "accuracy")
NOWHERE = "conversations"
"""The folder in which conversations without a repository have theirs."""


def chats(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    """All of them, and the first words of a new one."""
    values = _common(site, "") | {
        "figures": metrics(site.store),
        "repositories": sorted(each for each in site.store.runs.repositories() if Path(each).parent.name != NOWHERE),
        "chosen": query.get("repository", ""),
    }
    return View("chats.html", reader.say("Chat"), "chat", values, {"chat-list": "parts/chat-list.html"})


def chat(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    found = talk(site, path["id"])
    turns = conversation(site.store, task_of(site.store, found.run))
    answers = [each for each in turns if each.author == AGENT]
    values = _common(site, found.run.id) | {
        "run": found,
        "turns": turns,
        "last": answers[-1] if answers else None,
        "question": next((hold.question for hold in found.holds), None),
        "busy": found.lamp is Lamp.RUNNING,
        "broken": found.status in (Status.INTERRUPTED, Status.FAILED, Status.NEEDS_PERSON),
        "dimensions": DIMENSIONS,
        "html_of": html_of,
    }
    parts = {f"chat-{name}": f"parts/chat-{name}.html" for name in PARTS}
    return View("chat.html", found.run.task, "chat", values, parts)


def talk(site: Site, id: str) -> Overview:
    found = site.overview(id)
    if found.type is not TaskType.CUSTOM:
        raise NotFound(f"Run {found.run.id} is no conversation", "Runs shows it.")
    return found


def _common(site: Site, current: str) -> dict[str, Any]:
    talks = [each for each in site.all(TASK) if each.type is TaskType.CUSTOM]
    return {"talks": talks, "current": current, "where": where}


def where(overview: Overview) -> str:
    """The name of its repository; "" where it has none."""
    folder = Path(overview.run.repository)
    return "" if folder.parent.name == NOWHERE else folder.name


def html_of(turn: Turn) -> Markup:
    return Markup(document(turn.text))
