"""Commits in the project's own style, and how files are grouped where no agent says so (C-63)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MANY = 3
"""So many files are at least two commits."""
SUBJECT = 72
_CONVENTIONAL = re.compile(r"^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([^)]*\))?!?: \S")
_TEST = re.compile(r"(^|/)(tests?|__tests__|spec)/|(^|/)test_[^/]*$|[._-](test|spec)\.[^/]*$|_test\.[^/]*$")
_DOCUMENT = (".md", ".rst", ".txt", ".adoc")


def fewest(files: Sequence[str]) -> int:
    return 2 if len(files) >= MANY else 1


def is_conventional(history: Sequence[str]) -> bool:
    """Whether most of the newest subjects are like `feat: …`."""
    return bool(history) and 2 * sum(bool(_CONVENTIONAL.match(each)) for each in history) > len(history)


def out_of_style(message: str, history: Sequence[str]) -> str:
    """What is wrong with a message in this project; "" when it fits."""
    subject = message.partition("\n")[0]
    if len(subject) > 2 * SUBJECT:
        return f"the subject has {len(subject)} characters, a line has {SUBJECT}"
    if is_conventional(history) and not _CONVENTIONAL.match(subject):
        return f"the project writes `feat: …`, `fix: …` and so on; this says {subject[:40]!r}"
    return ""


def groups(files: Sequence[str], code: str = "feat") -> list[tuple[str, list[str]]]:
    """(kind, files) of each commit: few files are one; of more, code, tests, documents apart. Code is of the kind
    named."""
    sorted_out: dict[str, list[str]] = {}
    for path in sorted(files):
        sorted_out.setdefault(_kind(path) or code, []).append(path)
    found = [(kind, sorted_out[kind]) for kind in (code, "test", "docs") if kind in sorted_out]
    if found and fewest(files) == 1:
        return [(found[0][0], sorted(files))]
    if len(found) < fewest(files):
        [(kind, paths)] = found
        half = len(paths) // 2
        found = [(kind, paths[:half]), (kind, paths[half:])]
    return found


def message(kind: str, title: str, reason: str, paths: Sequence[str], history: Sequence[str]) -> str:
    """Made by andon, where nobody else worded it: what, why, and which files."""
    names = ", ".join(path.rpartition("/")[2] for path in paths[:3]) + (" …" if len(paths) > 3 else "")
    return f"{subject(kind, f'{title} ({names})' if names else title, history)}\n\n{reason}".rstrip() + "\n"


def subject(kind: str, title: str, history: Sequence[str]) -> str:
    """A first line in the project's style."""
    line = f"{kind}: {title}" if is_conventional(history) else title
    return line if len(line) <= SUBJECT else f"{line[: SUBJECT - 1]}…"


def _kind(path: str) -> str:
    if _TEST.search(path):
        return "test"
    return "docs" if path.lower().endswith(_DOCUMENT) else ""
