"""The files of UAM in a checkout: how a pipeline stands there, whoever drives it, and changing that by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.run import RunRow, Status
from andon.domain.uam import plan, state
from andon.domain.uam.artefacts import PLAN_AT_ROOT, PLAN_PATH, STATE_PATH
from andon.workspace.files import read_contained, write_contained

UAM = "uam"
_KINDS: dict[str, type] = {
    "fix_loop_count": int,
    **dict.fromkeys(("gate_results", "convergence", "sprint_status"), dict),
    **dict.fromkeys(("lanes", "verified", "signatures", "approaches", "learned", "discovered"), list),
}
_LANE = re.compile(r"todo-\d+")


def read_text(root: Path, path: str) -> str | None:
    """None when there is nothing to read."""
    try:
        return read_contained(root, path).decode("utf-8", "replace")
    except (OSError, UserError):
        return None


def read_state(root: Path) -> tuple[dict[str, Any], str]:
    """The state, and why it is not believed."""
    text = read_text(root, STATE_PATH)
    return state.read(text) if text and text.strip() else ({}, "")


def write_state(root: Path, told: dict[str, Any]) -> None:
    write_contained(root, STATE_PATH, (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode())


def read_plan(root: Path) -> str | None:
    """PLAN.md, or the one at the root where that is missing (X-29)."""
    found = read_text(root, PLAN_PATH)
    return read_text(root, PLAN_AT_ROOT) if found is None else found


def sound(found: dict[str, Any]) -> dict[str, Any]:
    """Without what cannot be. Whoever edits the file by hand may leave anything in it, and a run goes on from it."""
    kept: dict[str, Any] = {key: value for key, value in found.items() if isinstance(value, _KINDS.get(key, object))}
    told = state.mapping(kept.get("convergence"))
    rates = [*state.listing(told.get("pass_rate_history")), told.get("since", 0)]
    if not all(isinstance(rate, int | float) for rate in rates):
        del kept["convergence"]
    return {**kept, "lanes": [lane for told in state.listing(kept.get("lanes")) for lane in _lane(told)]}


def _lane(told: Any) -> list[dict[str, Any]]:
    """As a list of one, or none."""
    lane = state.mapping(told)
    base, tree, attempt = lane.get("base"), lane.get("tree"), lane.get("attempt")
    if not (_LANE.fullmatch(str(lane.get("name"))) and isinstance(base, str) and isinstance(tree, str)):
        return []
    attempt = attempt if isinstance(attempt, int) else 0
    return [{"name": lane["name"], "base": base, "tree": tree, "attempt": attempt, "done": lane.get("done") is True}]


def state_of(run: RunRow) -> dict[str, Any]:
    """Where a run stands. The person's copy counts first, because they may have edited it."""
    for folder in (Path(run.repository), Path(run.spec["worktree"])):
        found, _ = read_state(folder)
        if found.get("run") == run.id:
            return sound(found)
    if stood := run.spec.get("stood"):  # as it was when the run was closed, and its folder removed
        return dict(stood)
    return {"current_phase": state.PLAN, "run": run.id, "pipeline": run.spec["request"]["options"]["pipeline"]}


def turn_back(run: RunRow, shared: Sequence[Entry]) -> None:
    """PLAN.md in the person's checkout as the steps had it that a fork shares: what was ticked later is not done there.
    Left alone where it is the plan of something else by now."""
    root = Path(run.repository)
    found, _ = read_state(root)
    text = read_text(root, PLAN_PATH)
    if text is None or not (found.get("run") == run.id or str(found.get("pipeline_id")).endswith(f"-{run.feature}")):
        return
    boxes: dict[int, str] = {}
    for entry in shared:
        if entry.kind == "plan_approved":
            boxes.clear()  # those of another plan
        elif entry.kind == "todo":
            boxes[int(entry.data["number"])] = str(entry.data["box"])
    write_contained(root, PLAN_PATH, plan.boxed(text, boxes).encode())


def mark(run: RunRow, status: Status) -> None:
    """A run that does not go on is cancelled in the person's copy, if that is this run's (X-28)."""
    found, _ = read_state(Path(run.repository))
    if found.get("run") == run.id and status in (Status.STOPPED, Status.CLOSED):
        with suppress(OSError, UserError):
            write_state(Path(run.repository), state.cancelled(found))
