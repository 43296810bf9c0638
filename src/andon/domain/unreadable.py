"""One row of many that cannot be read: another version wrote it, or somebody edited it by hand.

The one place that decides what becomes of such a row: it is shown as what it is, and keeps no other from being read.
Each front end shows it in its own form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from andon.domain.errors import EnvironmentProblem, UserError

R = TypeVar("R")
T = TypeVar("T")


_ARGUMENT = re.compile(r"(?:(unexpected keyword)|missing .*) argument:? '(\w+)'")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """In place of a row."""

    id: str
    problem: str


class Sifted(list[T]):
    """The rows that can be read, in their order; and beside them the others."""

    def __init__(self, rows: Iterable[T | Unreadable]) -> None:
        every = list(rows)
        super().__init__(each for each in every if not isinstance(each, Unreadable))
        self.unreadable = tuple(each for each in every if isinstance(each, Unreadable))


def read(id: object, make: Callable[[], T]) -> T | Unreadable:
    """What is made of a row. What is wrong with it is told in its place; a machine that fails is no fault of a row."""
    try:
        return make()
    except EnvironmentProblem:
        raise
    except Exception as error:
        return Unreadable(str(id), why(error))


def read_all(rows: Iterable[R], id: Callable[[R], object], make: Callable[[R], T]) -> list[T | Unreadable]:
    """Every row in its place."""
    return [read(id(row), lambda row=row: make(row)) for row in rows]


def sift(rows: Iterable[R], id: Callable[[R], object], make: Callable[[R], T]) -> Sifted[T]:
    return Sifted(read_all(rows, id, make))


def why(error: Exception) -> str:
    """In a line, for people who know no Python."""
    match error:
        case UserError():
            return error.message
        case KeyError():
            return f"`{error.args[0] if error.args else ''}` is missing"
        case json.JSONDecodeError():
            return f"it is no JSON: {error}"
        case ValueError() if str(error):
            return str(error)
        case TypeError() if named := _ARGUMENT.search(str(error)):
            return f"`{named[2]}` is {'not known' if named[1] else 'missing'}"
        case _:
            return f"it has another form than is expected ({error or type(error).__name__})"


def number(value: object) -> float:
    """A moment or an amount, as a column has it: SQLite keeps in it whatever somebody wrote."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no number")
    return value
