"""Data that tests compare with: whoever changes it decides what is right. Added data is fine, it was no base's."""

from __future__ import annotations

import re

from andon.checks.tamper.test_paths import is_golden
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_ENTRIES = {
    ".ambr": re.compile(r"^# name: (?P<name>.*)\n(?P<content>(?:(?!# ---$|# name: ).*\n)*)# ---\n?", re.MULTILINE),
    ".snap": re.compile(
        r"^exports\[`(?P<name>(?:[^`\\$]|\\.|\$(?!\{))*)`\] = `(?P<content>(?:[^`\\$]|\\.|\$(?!\{))*)`;\n?",
        re.MULTILINE | re.DOTALL,
    ),
}
"""Files that runners write, with an entry for each snapshot, by their ending. One that holds code is no entry."""


def golden_findings(change: ChangeSet) -> list[Finding]:
    moved = {
        old for old, new in change.renamed.items() if is_golden(new) and _content(change, old) == _content(change, new)
    }
    return [
        found("golden_changed", f"expected data {'deleted' if each.deleted else 'changed'}", each.path)
        for each in change
        if is_golden(each.path) and not each.added and each.path not in moved and _differs(each)
    ]


def _differs(file: Changed) -> bool:
    """Not where entries were added beside those of the base: they belong to tests that are added, too."""
    if file.before == file.after:
        return False
    entry = _ENTRIES.get(f".{file.path.rpartition('.')[2]}")
    same_kind = file.before and file.after and file.before.mode == file.after.mode
    if entry is None or not same_kind or file.old is None or file.new is None:
        return True
    (head, old), (other_head, new) = _entries(file.old, entry), _entries(file.new, entry)
    return head != other_head or not old or not _kept(old, new)


def _entries(text: str, entry: re.Pattern[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """What stands outside of all entries, and each entry with its name."""
    outside = [line for line in entry.sub("", text).splitlines() if line.strip()]
    return outside, [(each["name"], each["content"]) for each in entry.finditer(text)]


def _kept(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> bool:
    """Each name once: of two with the same, one would stand in for the other."""
    return len({name for name, _ in new}) == len(new) and {*old} <= {*new}


def _content(change: ChangeSet, path: str) -> bytes | None:
    changed = change.by_path.get(path)
    side = (changed.after or changed.before) if changed else None
    return side.content if side else None
