"""A number and what it counts, in English. Korean says the same of one and of many; pages have their words for it."""

from __future__ import annotations


def counted(count: int, noun: str, many: str = "") -> str:
    """1 file, 1,200 files; `many` where an s does not make it more than one."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"
