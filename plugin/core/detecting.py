"""UserPromptSubmit: a person who says `uam` begins a pipeline, in any language, and never begins one twice (C-83)."""

from __future__ import annotations

import time

import store
from uam import state, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

PROTOCOLS = {
    words.FULL: ("/uam:uam-run", "five phases: quick plan, sprint, quality gate, fix loop, finalize"),
    words.SMALL: ("/uam:uam-small-run", "three phases: plan, sprint, verify and finalize"),
    words.BUGFIX: ("/uam:uam-bugfix", "one bug, at most three attempts"),
}
LONGEST_TASK = 4000
FIX_ATTEMPTS = 3
"""Of the light pipelines (C-15, G-13)."""


def answer(event: Json, project: str) -> Json | None:
    prompt = str(event.get("prompt") or "")
    asked = words.pipeline(prompt)
    found, problem = store.state_of(project)
    if problem or (found and not store.active(project) and state.active(found)):
        return None  # not to be believed, or andon's own run
    if state.active(found):
        _go_on(project, found, prompt)
        return _context(project, found, "is active already and goes on") if asked else None
    if asked is None:
        return None
    begun = begin(project, asked, prompt, str(event.get("session_id") or ""))
    return _context(project, begun, "has begun")


def begin(project: str, pipeline: str, prompt: str, session: str) -> Json:
    """A fresh state, unless somebody else has begun meanwhile."""
    store.make_folders(project)
    now = time.gmtime()
    fresh = state.fresh(
        words.pipeline_id(prompt, time.strftime("%Y%m%d", now)), time.strftime("%Y-%m-%dT%H:%M:%SZ", now)
    )
    fresh |= {"pipeline": pipeline, "driver": "plugin", "session_id": session, "task": prompt.strip()[:LONGEST_TASK]}
    if pipeline != words.FULL:
        fresh["max_fix_loops"] = FIX_ATTEMPTS
    if pipeline == words.BUGFIX:
        fresh["current_phase"] = state.FIX
    return store.change(project, lambda before: before if state.active(before) else fresh)


def _go_on(project: str, found: Json, prompt: str) -> None:
    """Whatever a person says is an answer, if one was waited for."""
    if found.get("waiting_for") and words.by_a_person(prompt):
        store.change(project, lambda before: {**before, "waiting_for": ""})


def _context(project: str, found: Json, how: str) -> Json:
    command, shape = PROTOCOLS.get(str(found.get("pipeline")), PROTOCOLS[words.FULL])
    told = (
        f"UAM: the pipeline {found.get('pipeline_id')} {how} in {found.get('current_phase')} ({shape}). "
        f"Its files are in {project}/.uam. "
        f"Load its protocol with the Skill tool ({command.removeprefix('/')}) and follow it. You are the orchestrator: "
        "source files are written by uam-worker and uam-frontend agents, never by you, and a hook refuses it."
    )
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": told}}
