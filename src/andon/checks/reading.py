"""Reads files an agent may have shaped: regular files only, capped, no link followed at any step of the path.

Owns the care, not the meaning. Must never raise for what it finds in a tree: a file it will not read is a `Unreadable`.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

MANIFEST_BYTES = 1024 * 1024
LOCK_BYTES = 64 * 1024 * 1024
WALKED_ENTRIES = 50_000
# Never source of the project: what tools leave behind, and what somebody else wrote.
NOT_SOURCE = frozenset(
    {"node_modules", "__pycache__", "venv", "env", "build", "dist", "site-packages", "target", "vendor"}
)


@dataclass(frozen=True, slots=True)
class Unreadable:
    path: str
    reason: str


def read_bytes(folder: Path, path: str, *, limit: int = MANIFEST_BYTES) -> bytes | Unreadable | None:
    """Contents of `path` below `folder`; None when there is no such file."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return Unreadable(path, "outside the tree")
    opened: list[int] = []
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
        for part in parts[:-1]:
            opened.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
        # O_NONBLOCK: opening a FIFO somebody left there must not wait for a writer.
        opened.append(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[-1]))
        return _read_regular(opened[-1], path, limit)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unreadable(path, f"not a plain file ({error.strerror})")
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _read_regular(descriptor: int, path: str, limit: int) -> bytes | Unreadable:
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        return Unreadable(path, "not a regular file")
    if facts.st_size > limit:
        return Unreadable(path, f"larger than {limit} bytes")
    with os.fdopen(os.dup(descriptor), "rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else Unreadable(path, f"larger than {limit} bytes")


def read_text(folder: Path, path: str, *, limit: int = MANIFEST_BYTES) -> str | Unreadable | None:
    data = read_bytes(folder, path, limit=limit)
    if not isinstance(data, bytes):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Unreadable(path, "not UTF-8 text")


def read_table(folder: Path, path: str, *, limit: int = MANIFEST_BYTES) -> Mapping[str, Any] | Unreadable | None:
    """A JSON file by its extension, else a TOML file, whose top level is a table."""
    text = read_text(folder, path, limit=limit)
    if not isinstance(text, str):
        return text
    try:
        value: object = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return Unreadable(path, f"broken: {str(error)[:200]}")
    if not isinstance(value, dict):
        return Unreadable(path, "not a table at its top level")
    return cast("Mapping[str, Any]", value)


def table(value: object) -> Mapping[str, Any]:
    """`value` when it is a table, else an empty one: agents and people write all sorts of things into manifests."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def strings(value: object) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def one_or_more(value: object) -> tuple[str, ...]:
    """What may be written as one text or as a list of them."""
    return (value,) if isinstance(value, str) else strings(value)


def is_present(folder: Path, path: str) -> bool:
    """A file of that name in any form: a linked or oversized one still says that it is meant to be there."""
    return read_bytes(folder, path) is not None and not is_folder(folder, path)


def is_folder(folder: Path, path: str) -> bool:
    """A real folder, not a link to one."""
    try:
        return stat.S_ISDIR((folder / path).lstat().st_mode)
    except OSError:
        return False


def source_files(folder: Path) -> Iterator[str]:
    """Relative paths of regular files of the project, without hidden, generated and vendored folders, up to a cap."""
    pending, seen = [""], 0
    while pending:
        below = pending.pop(0)
        try:
            entries = sorted(os.scandir(folder / below), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > WALKED_ENTRIES:
                return
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NOT_SOURCE and not entry.name.startswith("."):
                    pending.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
