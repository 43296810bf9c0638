"""Files whose names an agent chose: written under safe names inside the workspace, and collected as deliverables.

Decides nothing about names itself; the rules are in domain/filenames.py.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import UserError
from andon.domain.filenames import Naming, Policy, decide, validate
from andon.workspace.files import relative_to_root, write_contained


class InvalidFilename(UserError):
    """A refused name. `naming.suggestion` is what the agent is to be told."""

    def __init__(self, naming: Naming) -> None:
        causes = ", ".join(naming.validation.errors)
        hint = f'use "{naming.safe}" instead' if naming.safe else ""
        super().__init__(f'Invalid filename "{naming.original}": {causes}', hint)
        self.naming = naming


@dataclass(frozen=True, slots=True)
class Written:
    path: Path
    naming: Naming
    """Warnings and the event to log."""


@dataclass(frozen=True, slots=True)
class FileToWrite:
    folder: Path
    name: str
    content: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    success: bool
    original_filename: str
    sanitized_path: Path | None = None
    error: str = ""
    naming: Naming | None = None


@dataclass(frozen=True, slots=True)
class Deliverable:
    path: Path
    filename: str
    size: int
    created_at: float
    validated: bool = True


@dataclass(frozen=True, slots=True)
class DeliverableError:
    """Goes into the journal as `deliverable_error`."""

    task: str
    filename: str
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    deliverables: tuple[Deliverable, ...]
    errors: tuple[DeliverableError, ...]


def safe_write_file(root: Path, folder: Path, name: str, content: str, policy: Policy = Policy.PRODUCTION) -> Written:
    """Write UTF-8 text under the safe form of a name, or refuse the name or the folder (D-88)."""
    naming = decide(name, policy)
    if naming.blocked:
        raise InvalidFilename(naming)
    relative = f"{relative_to_root(root, folder)}/{naming.safe}"
    return Written(write_contained(root, relative, content), naming)


def safe_write_files(root: Path, files: Iterable[FileToWrite], policy: Policy = Policy.PRODUCTION) -> list[WriteResult]:
    """One result per file; one failure does not stop the others (D-89)."""
    results: list[WriteResult] = []
    for file in files:
        try:
            written = safe_write_file(root, file.folder, file.name, file.content, policy)
        except UserError as problem:
            naming = problem.naming if isinstance(problem, InvalidFilename) else None
            results.append(WriteResult(False, file.name, error=problem.message, naming=naming))
        except OSError as problem:
            results.append(WriteResult(False, file.name, error=str(problem)))
        else:
            results.append(WriteResult(True, file.name, written.path, naming=written.naming))
    return results


def collect(root: Path, task: str) -> Collection:
    """Every regular file below `root` with a valid name; links are neither followed nor collected (D-90)."""
    deliverables: list[Deliverable] = []
    errors: list[DeliverableError] = []
    for folder, folders, names, descriptor in os.fwalk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if not stat.S_ISREG(found.st_mode):
                continue
            validation = validate(name)
            if validation.valid:
                deliverables.append(Deliverable(Path(folder, name), name, found.st_size, found.st_mtime))
            else:
                printable = name.encode("utf-8", "backslashreplace").decode()
                errors.append(DeliverableError(task, printable, validation.errors))
    return Collection(tuple(deliverables), tuple(errors))
