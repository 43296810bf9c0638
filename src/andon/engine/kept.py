"""What a step decided once, kept beside its order: a step that is repeated after a kill must not decide anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def once(record: Path, decide: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was decided before; else decide now, and keep it whole and synced."""
    try:
        return json.loads(record.read_bytes())
    except FileNotFoundError:
        pass
    decided = decide()
    draft = record.with_suffix(".tmp")
    with draft.open("w") as file:
        json.dump(decided, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(record)
    return decided
