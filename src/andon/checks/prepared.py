"""What preparing an environment leads to: an environment that checks can be run with, or the reason there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Environment:
    """Read-only and apart from any tree: paths named `in the tree` are relative to whichever checkout is measured."""

    digest: str
    paths: tuple[str, ...] = ()
    """Folders of programs, to stand before the system's in PATH."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    readable: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()
    """Folders in the tree that hold importable code."""
    linked: tuple[tuple[str, str], ...] = ()
    """Folders that appear in the tree: absolute source, place in the tree."""
    scratch: tuple[str, ...] = ()
    """Places in the tree, inside linked folders, that tools insist on writing to."""
    caches: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that name a folder a tool writes to: each check gets empty ones of its own, outside the tree."""
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What `environment` of andon.toml would have to say for just this."""
    lacks: Mapping[str, str] = field(default_factory=dict[str, str])
    """Programs that could not be had, and why: what needs one of them is not measured, and nothing else."""
    frozen: str = ""
    """Every version that was chosen; handing it to a later `prepare` gives the same versions again."""


@dataclass(frozen=True, slots=True)
class NotPrepared:
    reason: str
    fix_command: str = ""
    """What a person would run to put it right."""
    output: str = ""
    """The end of what the failing tool printed."""
    environment_error: bool = False
    """A program, an interpreter or the network is missing: no change of the code can help."""
