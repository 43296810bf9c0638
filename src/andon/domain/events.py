"""How the stream of a run names what has happened (D-121): six names over the kinds of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Event(StrEnum):
    PHASE_START = "phase_start"
    PHASE_END = "phase_end"
    STEP_START = "step_start"
    STEP_END = "step_end"
    DOCUMENT = "document_created"
    ACTION = "action"
    """Anything else that was done, measured, asked or decided."""


NAMES: Mapping[str, Event] = MappingProxyType(
    {
        "phase_entered": Event.PHASE_START,
        "phase_left": Event.PHASE_END,
        "spawn": Event.STEP_START,
        "result": Event.STEP_END,
        "teammate_failed": Event.STEP_END,
        "step_started": Event.STEP_START,
        "step_ended": Event.STEP_END,
        "file_written": Event.DOCUMENT,
        "document_created": Event.DOCUMENT,
    }
)


def event_of(kind: str) -> Event:
    """The name of an entry's event, by its kind."""
    return NAMES.get(kind, Event.ACTION)
