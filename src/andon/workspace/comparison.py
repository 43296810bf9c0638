"""What differs between two trees of a store. No external program, text conversion or attribute takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from andon.ports import Change
from andon.workspace.git import Git, failed, split

LARGEST_DIFF = 16 * 1024 * 1024
_KINDS = {"A": "added", "M": "modified", "D": "deleted", "T": "type"}


@dataclass(frozen=True, slots=True)
class LineCount:
    path: str
    added: int | None
    """None for a binary file."""
    deleted: int | None


def changes(git: Git, before: str, after: str) -> list[Change]:
    """Every path that differs, in git's order; a rename is one deleted and one added path."""
    fields = split(git.call("diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after))
    return [Change(path, _KINDS[kind]) for kind, path in zip(fields[::2], fields[1::2], strict=True)]


def diff(git: Git, before: str, after: str, paths: Sequence[str] = (), *, whole: bool = False) -> str:
    """A unified diff for people and reviewers, cut with a notice beyond LARGEST_DIFF; `whole`: all of each file."""
    words = ("diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")
    words += (f"-U{LARGEST_DIFF}",) if whole else ()
    finished = git.attempt(*words, before, after, "--", *paths, output_bytes=LARGEST_DIFF)
    if finished.code != 0 or finished.timed_out:
        raise failed(words, finished)
    text = finished.stdout.decode("utf-8", "replace")
    return f"{text}\n… the rest of this diff is left out\n" if finished.truncated else text


def numstat(git: Git, before: str, after: str) -> list[LineCount]:
    found: list[LineCount] = []
    for line in split(git.call("diff-tree", "-r", "-z", "--no-renames", "--numstat", before, after)):
        added, deleted, path = line.split("\t", 2)
        found.append(LineCount(path, _number(added), _number(deleted)))
    return found


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
