"""The files of a pipeline: read as they are, changed one at a time and as a whole.

Hooks run side by side, and so may sessions. Whoever changes the state holds a lock, reads what is there now, and
replaces the file in one step; of PLAN.md's numbers and the state's, PLAN.md's count (C-03).
"""

from __future__ import annotations

import os

import reading
from uam import artefacts, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    State = dict[str, Any]

LOCK = ".uam/.lock"
OURS = (None, "plugin")


def text_of(project: str, path: str) -> str | None:
    try:
        with open(f"{project}/{path}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def state_of(project: str) -> tuple[State, str]:
    """The state, and why it is not believed. Missing or empty means that no pipeline is active (C-90)."""
    text = text_of(project, artefacts.STATE_PATH)
    return ({}, "") if text is None or not text.strip() else state.read(text, reading.loads)


def active(project: str) -> State | None:
    """The state of a pipeline that is under way and is driven by a session. One of andon's own is left alone."""
    found, _ = state_of(project)
    return found if state.active(found) and found.get("driver") in OURS else None


def plan_of(project: str) -> str | None:
    """The root's PLAN.md only counts where the other is missing (X-29)."""
    text = text_of(project, artefacts.PLAN_PATH)
    return text_of(project, artefacts.PLAN_AT_ROOT) if text is None else text


def plan_path(project: str) -> str:
    there = text_of(project, artefacts.PLAN_PATH) is not None
    return artefacts.PLAN_PATH if there else artefacts.PLAN_AT_ROOT


def counts_of(project: str) -> tuple[int, int, int]:
    from uam import plan

    text = plan_of(project)
    return (0, 0, 0) if text is None else plan.counts(text)


def config_of(project: str) -> State:
    try:
        return state.mapping(reading.loads(text_of(project, artefacts.CONFIG_PATH) or "{}"))
    except ValueError:
        return {}


def change(project: str, changed: Callable[[State], State]) -> State:
    """Read, change and replace under the lock. A state that cannot be read is not overwritten."""
    with locked(project):
        before, problem = state_of(project)
        if problem:
            raise ValueError(f"state.json is not believed: {problem}")
        after = changed(before)
        text = plan_of(project)
        if text is not None and after.get("current_phase"):
            after = state.counted(after, counts_of(project))
        if after != before:
            write_json(project, artefacts.STATE_PATH, after)
        return after


def locked(project: str) -> _Lock:
    return _Lock(f"{project}/{LOCK}")


class _Lock:
    """Falls with the process that holds it, however that ends."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held = -1

    def __enter__(self) -> None:
        import fcntl

        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._held = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX)

    def __exit__(self, *problem: object) -> None:
        os.close(self._held)


def write_json(project: str, path: str, value: object) -> None:
    import json

    write(project, path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write(project: str, path: str, text: str) -> None:
    """The whole file or nothing."""
    whole = f"{project}/{path}"
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    beside = f"{whole}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, whole)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def make_folders(project: str) -> None:
    for folder in artefacts.FOLDERS:
        os.makedirs(f"{project}/{folder}", exist_ok=True)
    if not os.path.exists(f"{project}/{artefacts.IGNORE_PATH}"):
        write(project, artefacts.IGNORE_PATH, "*\n")
