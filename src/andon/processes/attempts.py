"""Whether a measurement that may have been interrupted is to be attached to, or to be made anew on a clean copy."""

from __future__ import annotations

from pathlib import Path

from andon.processes.supervised import alive, finished, numbered, starts

ATTEMPTS = 3
"""Copies one measurement is tried on when something keeps killing its supervisor."""


def in_progress(work: Path) -> bool:
    """Processes of an attempt are running, or have finished and wait to be read.

    One that was ended because no orchestrator came back, by a machine shutting down or together with its supervisor
    measured nothing, and left a copy behind that is no longer clean: then everything starts over.
    """
    begun = [folder for folder in numbered(work) if starts(folder)]
    return bool(begun) and not any(_cut_short(folder) for folder in begun)


def lost(work: Path) -> bool:
    ends = map(finished, numbered(work))
    return any(end is not None and end.reason == "lost" for end in ends)


def _cut_short(folder: Path) -> bool:
    running = alive(folder)  # asked first: the record is there before it ends
    end = finished(folder)
    return not running if end is None else end.reason in ("lease", "cancelled", "lost")
