"""The state file of a team's run in a checkout: where it stands, as far as it can be believed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from andon.app.uam_files import read_text
from andon.domain.run import RunRow
from andon.domain.teams.standing import STATE, read_standing, read_state

_LANE = re.compile(r"unit-\d+")


def state_of(run: RunRow) -> dict[str, Any]:
    """The person's copy counts first, because they may have edited it; what cannot be is left out."""
    path = f"{run.spec['request']['options']['folder']}/{STATE}"
    for folder in (Path(run.repository), Path(run.spec["worktree"])):
        found = read_state(read_text(folder, path) or "")
        if found.get("run") == run.id:
            sound = read_standing(found).as_json()
            lanes = [lane for lane in sound["lanes"] if _LANE.fullmatch(lane["name"])]
            return {"run": run.id, **sound, "lanes": lanes}
    if stood := run.spec.get("stood"):  # as it was when the run was closed, and its folder removed
        return dict(stood)
    return {"run": run.id}
