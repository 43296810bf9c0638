"""Files that are there whole or not at all, also after a power cut; and decisions that are made once."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def once(record: Path, decide: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was decided before; else decide now and keep it: a step repeated after a kill must not decide anew."""
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


def put(path: Path, content: bytes) -> None:
    """In place of what is there."""
    _fresh_copy(path, content).replace(path)
    _settle(path.parent)


def create_once(path: Path, content: bytes) -> None:
    """Of several who do this at once the first wins; whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = _fresh_copy(path, content)
    try:
        os.link(fresh, path)
        _settle(path.parent)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _fresh_copy(path: Path, content: bytes) -> Path:
    """The content safely on disk beside `path`, readable by its owner alone, under a name nobody else uses."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
    except BaseException:
        fresh.unlink()
        raise
    return fresh


def _settle(folder: Path) -> None:
    """A name is on disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
