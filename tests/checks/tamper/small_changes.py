"""Small changes for tests of the layers: a few files before and after, as a ChangeSet."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff

from andon.domain.changeset import FILE, Changed, ChangeSet, Side

Text = str | bytes | Side | None


def side(content: Text, mode: str = FILE) -> Side | None:
    if content is None or isinstance(content, Side):
        return content
    return Side(mode, content.encode() if isinstance(content, str) else content)


def change(files: Mapping[str, tuple[Text, Text]], beside: tuple[str, ...] = ()) -> ChangeSet:
    """Path → content before and after; `beside` are paths that both trees have."""
    changed = tuple(Changed(path, side(old), side(new)) for path, (old, new) in files.items())
    before = frozenset({each.path for each in changed if each.before}) | frozenset(beside)
    after = frozenset({each.path for each in changed if each.after}) | frozenset(beside)
    return ChangeSet(changed, before, after, "".join(diff(each) for each in changed))


def added(path: str, text: Text, *beside: str) -> ChangeSet:
    return change({path: (None, text)}, beside)


def edited(path: str, old: Text, new: Text, *beside: str) -> ChangeSet:
    return change({path: (old, new)}, beside)


def diff(each: Changed) -> str:
    old, new = each.old or "", each.new or ""
    lines = [
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{each.path}", f"b/{each.path}", n=3
        )
    ]
    return f"diff --git a/{each.path} b/{each.path}\n" + "".join(lines) if lines else ""
