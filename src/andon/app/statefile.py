"""The status file in a person's checkout: read with their edits, and kept aside before it is ever lost.

A file that cannot be read is somebody's work gone wrong; a copy of it stays, and andon says where.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andon.app import team_files, uam_files
from andon.app.settings_sources import PROJECT_FILE
from andon.app.uam_files import UAM
from andon.domain.artefacts import STATE_FILES
from andon.domain.auto.artefacts import STATUS_PATH
from andon.domain.auto.status import PdcaStatus, StatusProblem, from_json, moment, to_dict, to_json
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.run import TASK, TEAM, RunRow, Status
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.workflows import workflow_of
from andon.workspace.files import read_contained, write_contained

if TYPE_CHECKING:  # `andon status` reads a status file, and has no use for all that starts processes
    from andon.workspace.repository import Repository

_ASIDE = f"{STATUS_PATH}.broken-"
AREAS = {"auto": "implManagerAreas", UAM: "lanes", TASK: "lanes", TEAM: "lanes"}
"""By pipeline: where its status tells of parallel workers whose work is in folders of their own."""


def refuse_unwritable(repository: Repository) -> None:
    """What a run writes there (documents, its status, its branch) must have a place before it starts."""
    folder = repository.root / Path(STATUS_PATH).parent
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        what = "a link" if folder.is_symlink() else "a file"
        raise UserError(
            f"{folder} is {what}, but andon keeps its plans and reports in a folder of that name",
            "Rename it, or make it a folder.",
        )
    for needed in (repository.root, repository.common_folder):
        if not os.access(needed, os.W_OK):
            raise EnvironmentProblem(
                f"Cannot write to {needed}", "A run leaves its branch and its status there. Make it writable."
            )


def without_ours(paths: Iterable[str]) -> list[str]:
    """Paths in a checkout, without what andon keeps there, copies of broken files, drafts of killed writers, and
    andon's settings, which count as they lie there."""
    return [path for path in paths if path != PROJECT_FILE and not path.startswith(STATE_FILES)]


def keep_broken_aside(checkout: Path) -> str:
    """Copy a status file that cannot be used beside itself. Returns what to tell the person, or nothing."""
    found = _read(checkout)
    if not isinstance(found, StatusProblem):
        return ""
    copy = _copy_aside(checkout, read_contained(checkout, STATUS_PATH))
    return f"{STATUS_PATH} could not be read ({found.problem}). A copy is kept as {copy}; the run goes on without it."


def strangers_keys(checkout: Path) -> dict[str, Any]:
    """What others keep in the person's status file: a run writes it back with its own."""
    found = _read(checkout)
    return dict(found.extra) if isinstance(found, PdcaStatus) else {}


def _read(folder: Path) -> PdcaStatus | StatusProblem | None:
    """None when there is no file."""
    try:
        return from_json(read_contained(folder, STATUS_PATH).decode())
    except (OSError, UserError):
        return None
    except UnicodeDecodeError as error:
        return StatusProblem(f"not text: {error}")


def _copy_aside(checkout: Path, content: bytes) -> str:
    moment = int(time.time())
    while True:
        name = f"{_ASIDE}{moment}"
        try:
            if read_contained(checkout, name) == content:
                return name
            moment += 1
        except FileNotFoundError:
            write_contained(checkout, name, content)
            return name


def mark(run: RunRow, status: Status, reason: str | None = None) -> None:
    """Say so in the person's copy, if it is this run's. Where that cannot be written, the run's row says it."""
    if run.pipeline == UAM:
        uam_files.mark(run, status)
        return
    if run.pipeline == TEAM:
        return  # its state file says what is done, and nothing else
    found = _read(Path(run.repository))
    if isinstance(found, PdcaStatus) and found.run == run.id:
        said = found.exit_reason if reason is None else reason
        marked = replace(found, status=status, exit_reason=said, updated_at=moment(time.time()))
        with suppress(OSError, UserError):
            write_contained(Path(run.repository), STATUS_PATH, to_json(marked).encode())


def status_of(run: RunRow) -> dict[str, Any]:
    """Where the run stands by its status file. The person's copy counts first, because they may have edited it."""
    if run.pipeline == UAM:
        return uam_files.state_of(run)
    if run.pipeline == TASK:
        return {"run": run.id, "phase": _phase_of(run)}
    if run.pipeline == TEAM:
        return team_files.state_of(run)
    for folder in (Path(run.repository), Path(run.spec["worktree"])):
        found = _read(folder)
        if isinstance(found, PdcaStatus) and found.run == run.id:
            return to_dict(found)
    if stood := run.spec.get("stood"):  # as it was when the run was closed, and its folder removed
        return dict(stood)
    return {"primaryFeature": run.feature, "phaseNumber": 1, "run": run.id}


def _phase_of(run: RunRow) -> int:
    """Of a task: the phase it is in, counted from 1."""
    phases = workflow_of(TaskType(run.spec["request"]["options"]["type"])).phases
    return next((phase.number for phase in phases if phase.name == run.phase), 1)
