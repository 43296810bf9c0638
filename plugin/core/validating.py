"""What agents hand in: that there is something to look at, that it has its form, and where it is kept (C-39, C-76).

Before an agent starts it is put into the foreground, since one in the background has no output when its tool ends. When
it wants to stop, output without its form is sent back to it, so that whoever made it mends it; a few times, not for
ever. Whoever called it is reminded of what is still wrong.
"""

from __future__ import annotations

import os

import store
from uam import artefacts, replies, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

PREFIX = "uam-"
SENT_BACK = 3
KEPT = 50
"""Agents whose count is remembered."""


def answer(event: Json, project: str) -> Json | None:
    if store.active(project) is None:
        return None
    match event.get("hook_event_name"):
        case "PreToolUse":
            return _in_the_foreground(event)
        case "SubagentStop":
            return _at_its_stop(event, project)
        case "PostToolUse":
            return _reminder(event, project)
        case _:
            return None


def _in_the_foreground(event: Json) -> Json | None:
    given = state.mapping(event.get("tool_input"))
    if not _name(given.get("subagent_type")) or given.get("run_in_background") is False:
        return None
    changed = {**given, "run_in_background": False}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": changed}}


def _at_its_stop(event: Json, project: str) -> Json | None:
    definition = _definition(event.get("agent_type"), project)
    if definition is None:
        return None
    agent, said = str(event.get("agent_id")), str(event.get("last_assistant_message") or "")
    wrong = replies.problems(definition, said)
    if not wrong:
        if replies.WORKER in (replies.wanted(definition) or ()):
            _keep(project, agent, said)
        return None
    if _count(project, agent) > SENT_BACK:
        return None  # whoever called it is reminded instead
    told = "; ".join(wrong[:12])
    return {
        "decision": "block",
        "reason": f"Your result is not as your instructions want it: {told}. Hand it in again, whole.",
    }


def _reminder(event: Json, project: str) -> Json | None:
    response, given = state.mapping(event.get("tool_response")), state.mapping(event.get("tool_input"))
    agent = response.get("agentType") or given.get("subagent_type")
    definition = _definition(agent, project)
    content = state.listing(response.get("content"))
    if definition is None or response.get("status") not in (None, "completed") or not content:
        return None  # not ours, or still in the background: nothing to look at
    said = "\n".join(str(state.mapping(part).get("text", "")) for part in content)
    told = [*_wrong(_name(agent), definition, said), *_spent(project, response.get("totalTokens"))]
    return (
        {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": " ".join(told)}} if told else None
    )


def _wrong(name: str, definition: str, said: str) -> list[str]:
    nothing = replies.nothing_wanted(name, definition)
    wrong = [nothing] if nothing else replies.problems(definition, said)
    if not wrong:
        return []
    told = (
        f"UAM: what {name} handed in is not valid: {'; '.join(wrong[:12])}. Do not use it as it is: a worker's result"
    )
    return [f"{told} without its form counts as FAIL; ask an analyst again for what is missing."]


def _spent(project: str, tokens: object) -> list[str]:
    """Agents' tokens are added up; over the limit the pipeline goes to its end (C-55)."""
    if not isinstance(tokens, int) or tokens <= 0:
        return []

    def added(before: Json) -> Json:
        cost = state.mapping(before.get("cost"))
        return {**before, "cost": {**cost, "total_tokens": (cost.get("total_tokens") or 0) + tokens}}

    cost = store.change(project, added)["cost"]
    most = cost.get("max_total_tokens") or state.MAX_TOKENS
    if cost["total_tokens"] < most:
        return []
    used = f"UAM: agents have used {cost['total_tokens']} of {most} tokens."
    return [f"{used} Start no more; go to Phase 5 and report it as partial."]


def _name(agent: object) -> str:
    """Without the plugin's before it; "" for an agent that is none of ours."""
    name = agent.rpartition(":")[2] if isinstance(agent, str) else ""
    return name if name.startswith(PREFIX) and name.replace("-", "").isalnum() else ""


def _definition(agent: object, project: str) -> str | None:
    """As the project has it, or else the plugin."""
    name = _name(agent)
    if not name:
        return None
    own = None if ":" in str(agent) else store.text_of(project, f".claude/agents/{name}.md")
    return own or store.text_of(os.path.dirname(os.path.dirname(__file__)), f"agents/{name}.md")


def _count(project: str, agent: str) -> int:
    def counted(before: Json) -> Json:
        sent = state.mapping(before.get("sent_back"))
        kept = dict([*sent.items()][-KEPT:])
        number = kept.get(agent, 0)
        return {**before, "sent_back": {**kept, agent: (number if isinstance(number, int) else 0) + 1}}

    return store.change(project, counted)["sent_back"][agent]


def _keep(project: str, agent: str, said: str) -> None:
    """A worker's record, once, whoever else hands in at the same time."""
    import json

    from uam import knowledge

    result, _ = replies.worker_result(said)
    with store.locked(project):
        before = json.loads(store.text_of(project, artefacts.OUTPUTS_PATH) or "[]")
        others = [each for each in state.listing(before) if state.mapping(each).get("agent_id") != agent]
        store.write_json(project, artefacts.OUTPUTS_PATH, [*others, {**(result or {}), "agent_id": agent}])
        for kind, entries in knowledge.collected([result]).items():
            if entries:
                path = artefacts.notes_path(kind)
                text = knowledge.added(store.text_of(project, path) or "", knowledge.KEPT[kind], entries)
                store.write(project, path, text)
