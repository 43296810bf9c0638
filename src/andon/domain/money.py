"""What tokens cost, and how money is told: as the agent's program says, as reckoned from a price, or as unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from andon.domain.assignment import TeamRecord
from andon.domain.order import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Of input that the provider had in its cache. None: the same as other input."""

    def of(self, usage: Usage) -> float:
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        cached = self.input if self.cached is None else self.cached
        return (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / MILLION


def priced(usage: Usage, price: Price | None) -> Usage:
    """The same use with money: what was told stays, else it is reckoned; without a price it is unknown, and not 0."""
    if usage.money or not usage.tokens:
        return usage
    if price is None:
        return replace(usage, unpriced=usage.tokens)
    money = price.of(usage)
    return replace(usage, money=money, estimated=money)


def in_dollars(usage: Usage) -> str:
    """`$1.20` as told, `~$1.20` where some of it is reckoned, `≥ $1.20` where some is unknown; "" where nobody pays."""
    if not usage.money:
        return "unknown" if usage.unpriced else ""
    if usage.unpriced:
        return f"≥ ${usage.money:,.2f}"
    if usage.money < 0.01:
        return "<$0.01"
    return f"{'~' if usage.estimated else ''}${usage.money:,.2f}"


@dataclass(frozen=True, slots=True)
class Use:
    """What somebody used in a run: a role, a phase, or all of them."""

    name: str
    orders: int
    usage: Usage
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "orders": self.orders, **asdict(self.usage), "seconds": round(self.seconds, 3)}


def used(name: str, team: Iterable[TeamRecord]) -> Use:
    """All that these records come to."""
    orders, usage, seconds = 0, Usage(), 0.0
    for record in team:
        orders, usage, seconds = orders + 1, usage + record.usage, seconds + record.seconds
    return Use(name, orders, usage, seconds)


def used_by_role(team: Iterable[TeamRecord]) -> tuple[Use, ...]:
    records = tuple(team)
    roles = dict.fromkeys(record.role for record in records)
    return tuple(used(role, (each for each in records if each.role == role)) for role in roles)


def used_by_phase(team: Iterable[TeamRecord]) -> tuple[Use, ...]:
    records = tuple(team)
    phases = dict.fromkeys(record.phase for record in records)
    return tuple(used(phase, (each for each in records if each.phase == phase)) for phase in phases)
