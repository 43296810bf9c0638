"""Compares what a run promised to change with what it has changed: work never begun, or undone, is not done."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.findings import FindingKind, OpenFinding

NOTHING = "nothing was changed: apart from andon's own documents, every file is as it was when the run began"


def unkept(promised: Iterable[str], changed: Collection[str]) -> tuple[OpenFinding, ...]:
    """Find the promised files that are as they were; where nothing was changed at all, that is the one finding."""
    if all(path.startswith(DOCUMENT_FOLDERS) for path in changed):
        return (OpenFinding(FindingKind.SCOPE, "nothing", NOTHING),)
    return tuple(_unchanged(path) for path in promised if not touched(path, changed))


def touched(path: str, changed: Collection[str]) -> bool:
    """Whether a file, or a file in a folder of that name, was changed."""
    folder = path.rstrip("/") + "/"
    return path in changed or any(other.startswith(folder) for other in changed)


def _unchanged(path: str) -> OpenFinding:
    return OpenFinding(FindingKind.SCOPE, path, f"{path} is to be changed or created, and is as it was")
