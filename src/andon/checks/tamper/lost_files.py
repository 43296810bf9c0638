"""Test files that are gone, in languages of which andon reads no tests: all that can be told is that they were."""

from __future__ import annotations

from andon.checks.tamper.outline import extractor
from andon.checks.tamper.test_paths import is_golden, is_own_settings
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found


def lost_file_findings(change: ChangeSet) -> list[Finding]:
    gone = [each.path for each in change if each.deleted and _is_unread_test(each.path)]
    kept = {path for path in gone if is_test(change.renamed.get(path, ""))}
    return [found("test_deleted", f"test deletion: {path}", path, subject=path) for path in gone if path not in kept]


def _is_unread_test(path: str) -> bool:
    """Data and settings have rules of their own."""
    others = is_golden(path) or is_own_settings(path)
    return is_test(path) and not others and extractor(path) is None
