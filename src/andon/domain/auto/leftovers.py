"""Files an agent made for itself and forgot: by their names, never by their content (A-146)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

PATTERNS = ("temp_*.py", "temp_*.txt", "temp_*.md", "*.tmp", "*.bak", "tmpclaude-*")


def leftovers(added: Iterable[str], declared: Collection[str]) -> tuple[str, ...]:
    """Which of the added paths are such files. What a plan declares is wanted, whatever it is called."""
    return tuple(path for path in added if path not in declared and _forgotten(path.rpartition("/")[2]))


def _forgotten(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in PATTERNS)
