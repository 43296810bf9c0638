"""The static layers, in the order of their rules. Each looks at the change alone; one that raises is a bug, no pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from andon.checks.tamper.comparing import test_findings
from andon.checks.tamper.golden import golden_findings
from andon.checks.tamper.runner_settings import settings_findings
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding

Look = Callable[[ChangeSet], Iterable[Finding]]


def static_findings(change: ChangeSet) -> list[Finding]:
    return [finding for look in LOOKS for finding in look(change)]


LOOKS: tuple[Look, ...] = (test_findings, golden_findings, settings_findings)


def dependency_findings(change: ChangeSet) -> list[Finding]:
    """What stands against an environment that is built from the change itself."""
    return []
