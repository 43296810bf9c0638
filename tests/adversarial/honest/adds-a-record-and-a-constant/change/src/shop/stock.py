"""What lies on the shelves."""

from dataclasses import dataclass

SHELVES = 12


@dataclass(frozen=True)
class Item:
    name: str
    shelf: int = 1
