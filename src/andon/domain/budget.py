"""What a run may use and what it has used: tokens, money, time. Pure; the engine keeps the running totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from andon.domain.counting import counted
from andon.domain.errors import UserError
from andon.domain.order import Limits, Usage

N = TypeVar("N", int, float)

WARN_AT = 0.8
_NOISE = 1e-9
"""0.08 of 0.1 is 80 %, whatever binary fractions say."""


class Line(StrEnum):
    """One line of a budget."""

    TOKENS = "tokens"
    MONEY = "money"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Spent:
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0

    def plus(self, usage: Usage, seconds: float = 0.0) -> Spent:
        return Spent(self.tokens + usage.tokens, self.money + usage.money, self.seconds + seconds)

    def with_reserved(self, parts: Iterable[Budget]) -> Spent:
        """As if what others may still use were spent already."""
        total = self
        for part in parts:
            tokens, money, seconds = part.tokens or 0, part.money or 0.0, part.seconds or 0.0
            total = Spent(total.tokens + tokens, total.money + money, total.seconds + seconds)
        return total

    def on(self, line: Line) -> float:
        return {Line.TOKENS: self.tokens, Line.MONEY: self.money, Line.SECONDS: self.seconds}[line]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run. None means: no limit on that line."""

    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for line in Line:
            limit = self.on(line)
            if limit is not None and not limit >= 0:
                raise UserError(f"budget of {line.value} is {limit}", "it must be zero or more")

    def on(self, line: Line) -> float | None:
        return {Line.TOKENS: self.tokens, Line.MONEY: self.money, Line.SECONDS: self.seconds}[line]

    def share(self, line: Line, spent: Spent) -> float | None:
        """How much of a line is used, 1.0 being all of it. None without a limit."""
        limit = self.on(line)
        if limit is None:
            return None
        return spent.on(line) / limit if limit > 0 else 1.0

    def exhausted(self, spent: Spent) -> tuple[Line, ...]:
        """Lines that are used up: the run stops before its next order."""
        return tuple(line for line in Line if _reached(self.share(line, spent), 1.0))

    def warnings(self, before: Spent, after: Spent) -> tuple[Line, ...]:
        """Lines that crossed 80 % between two totals, so that each is warned about once."""
        return tuple(
            line
            for line in Line
            if _reached(self.share(line, after), WARN_AT) and not _reached(self.share(line, before), WARN_AT)
        )

    def remaining(self, spent: Spent) -> Budget:
        return Budget(
            tokens=None if self.tokens is None else max(0, self.tokens - spent.tokens),
            money=None if self.money is None else max(0.0, self.money - spent.money),
            seconds=None if self.seconds is None else max(0.0, self.seconds - spent.seconds),
        )

    def split(self, among: int) -> Budget:
        """The part of each of several at once. Tokens are rounded up: nobody begins with none while there are some."""
        return Budget(
            tokens=None if self.tokens is None else -(-self.tokens // among),
            money=None if self.money is None else self.money / among,
            seconds=None if self.seconds is None else self.seconds / among,
        )

    def limit_order(self, limits: Limits, spent: Spent) -> Limits:
        """An order's own limits, tightened to what the run has left."""
        left = self.remaining(spent)
        return replace(
            limits,
            seconds=limits.seconds if left.seconds is None else min(limits.seconds, left.seconds),
            tokens=_tighter(limits.tokens, left.tokens),
            money=_tighter(limits.money, left.money),
        )


def raised(given: Mapping[str, float | None], spent: Spent) -> str:
    """What is wrong with limits that a person names in order to go on, in a sentence; "" where nothing is."""
    for line in Line:
        limit = given.get(line)
        if limit is not None and limit <= spent.on(line):
            used = amount(line, spent.on(line))
            return f"{used} used already: a limit of {amount(line, limit)} stops the run again at once"
    return ""


def amount(line: Line, value: float) -> str:
    """1,200 tokens, $0.50, 75 seconds."""
    if line is Line.MONEY:
        return f"${value:,.4f}".rstrip("0").rstrip(".") if value < 0.01 else f"${value:,.2f}"
    return counted(int(value), line.value.removesuffix("s")) if value == int(value) else f"{value:,.1f} {line.value}"


def _reached(share: float | None, mark: float) -> bool:
    return share is not None and share >= mark - _NOISE


def _tighter(own: N | None, left: N | None) -> N | None:
    if own is None or left is None:
        return left if own is None else own
    return min(own, left)
