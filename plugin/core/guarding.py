"""PreToolUse: the orchestrator writes no source file, by whichever tool; workers do (C-02, C-75, X-37, G-17)."""

from __future__ import annotations

import os

import store
from uam import guard, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

SHELLS = ("Bash", "PowerShell", "shell", "exec_command", "local_shell")
PATCHES = ("apply_patch",)
HINT = "Start a uam-worker (or uam-frontend) agent with the TODO; what it hands in is checked."
UNREADABLE = "It cannot be told whether a pipeline is active, so source files stay as they are: `uam check` tells more."


def answer(event: Json, project: str) -> Json | None:
    _found, problem = store.state_of(project)
    doubtful = problem in state.UNREADABLE
    if not doubtful and store.active(project) is None:
        return None
    agent = event.get("agent_type")
    if guard.is_worker(agent) or not _refused(event, project, agent):
        return None
    why = f"state.json is {problem}. {UNREADABLE}" if doubtful else f"{guard.MESSAGE}. {HINT}"
    decision = {
        "permissionDecision": "deny",
        "permissionDecisionReason": f"{guard.MESSAGE}: {why}" if doubtful else why,
    }
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _refused(event: Json, project: str, agent: str | None) -> bool:
    given: Json = event["tool_input"]
    folder = event.get("cwd") or project
    sources = _sources(project)
    if event["tool_name"] in SHELLS:
        from uam import writes

        return bool(writes.refusal(_line(given), folder, project, agent, sources))
    if event["tool_name"] in PATCHES:
        from uam import writes

        paths = [path for value in given.values() if isinstance(value, str) for path in writes.patched(value)]
        if not paths:
            raise ValueError("a patch that names no file")
    else:
        paths = [given.get("file_path") or given["notebook_path"]]
    return any(_is_refused(path, folder, project, agent, sources) for path in paths)


def _line(given: Json) -> str:
    line = given.get("command", given.get("cmd", ""))
    return (
        line if isinstance(line, str) else line[-1] if line[:2] in (["bash", "-lc"], ["sh", "-c"]) else " ".join(line)
    )


def _is_refused(path: str, folder: str, project: str, agent: str | None, sources: tuple[str, ...]) -> bool:
    """By its name, and by where a link in it leads."""
    whole = os.path.join(folder, path)
    real = os.path.realpath(whole)
    named = guard.refusal(whole, project, agent, sources)
    return bool(named or guard.refusal(real, os.path.realpath(project), agent, sources))


def _sources(project: str) -> tuple[str, ...]:
    """Which endings make a source file: the project may say so."""
    told = state.listing(store.config_of(project).get("source_extensions"))
    return tuple(each.lower() for each in told if isinstance(each, str) and each) or guard.SOURCES
