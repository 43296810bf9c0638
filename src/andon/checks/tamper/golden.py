"""Data that tests compare with: whoever changes it decides what is right. Added data is fine, it was no base's."""

from __future__ import annotations

from andon.checks.tamper.test_paths import is_golden
from andon.domain.changeset import ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found


def golden_findings(change: ChangeSet) -> list[Finding]:
    moved = {
        old for old, new in change.renamed.items() if is_golden(new) and _content(change, old) == _content(change, new)
    }
    return [
        found("golden_changed", f"expected data {'deleted' if each.deleted else 'changed'}", each.path)
        for each in change
        if is_golden(each.path) and not each.added and each.path not in moved and each.before != each.after
    ]


def _content(change: ChangeSet, path: str) -> bytes | None:
    changed = change.by_path.get(path)
    side = (changed.after or changed.before) if changed else None
    return side.content if side else None
