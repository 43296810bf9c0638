"""One measurement that verification asks for: a goal on a tree, perhaps with some files made otherwise on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from andon.domain.goal import Goal
from andon.domain.testing import TestReport
from andon.domain.verdict import CheckResult


@dataclass(frozen=True, slots=True)
class Trial:
    name: str
    """Unique within a verification; part of paths and of evidence."""
    tree: str
    goal: Goal
    edits: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Files that are written into the clean copy before anything runs."""
    proves: bool = False
    """Its result speaks for or against the change, so what it printed is kept. A tripwire's does not."""
    keep: bool = False
    """Of the base: the same for whoever asks, so an earlier result will do."""


@dataclass(frozen=True, slots=True)
class Tried:
    result: CheckResult
    report: TestReport | None = None
    """None: no reporter of andon's took part."""
    output: str = ""
    """All it printed, errors too, with paths as they are in the tree."""
    printed: str = ""
    """What its first command wrote to standard output, as it is."""
