"""A new task: what should change, where, and who works."""

from __future__ import annotations

from collections.abc import Mapping

from andon.app.conversations import as_task, conversation
from andon.app.tasks import task_of
from andon.app.wishing import runtime_names
from andon.domain.tasks.inputs import FIELDS
from andon.domain.tasks.phases import TaskType
from andon.web.page import Query, View
from andon.web.pages.chat import talk, where
from andon.web.rendering import Reader
from andon.web.site import NotFound, Site

DOORS = (
    ("task", "modify_app", "Change an application", "Analysis, plan, change, verification; you review every phase."),
    ("task", "create_app", "A new application", "Nine planning and five design documents, then the code."),
    ("task", "workflow", "An automation", "Triggers, steps and integrations with retries and tests."),
    ("task", "custom", "A question", "A conversation, without phases or reviews."),
    ("auto", "", "Auto", "Plan, design, do, check, act, without stopping for reviews."),
    ("uam", "", "UAM", "A PLAN.md, parallel workers, three gates, a fix loop."),
)


def new_task(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    known = site.store.runs.repositories()
    values = {
        "doors": DOORS,
        "fields": {type.value: FIELDS[type] for type in TaskType},
        "repositories": known[:30],
        "runtimes": runtime_names(),
        "given": given(site, query),
        "problem": query.get("problem", ""),
    }
    return View("new.html", reader.say("New task"), "board", values)


def given(site: Site, query: Query) -> dict[str, str]:
    """What is in the form: a draft, or what the address says."""
    fields = {name: query.get(name, "") for name in ("text", "repository", "type", "door", "runtime", "wish")}
    if talked := query.get("conversation"):
        fields |= _from_conversation(site, talked)
    if not (id := query.get("wish")):
        return fields
    found = next((each for each in site.store.wishes.waiting() if each.id == id), None)
    if found is None:
        raise NotFound(f"There is no task {id} to start", "The board shows what there is.")
    options = {name: str(value) for name, value in found.options.items() if isinstance(value, (str, int, float))}
    return fields | options | {"text": found.text, "repository": found.repository, "door": found.door, "wish": id}


def _from_conversation(site: Site, id: str) -> dict[str, str]:
    """What was said is the draft: the person shortens it to what they want."""
    found = talk(site, id)
    text = as_task(conversation(site.store, task_of(site.store, found.run)))
    return {"text": text, "repository": found.run.repository if where(found) else "", "type": "modify_app"}
