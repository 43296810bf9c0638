"""What a run would use up: tokens and money as a range, before anything is spent (A-04, G-01).

A guess with its reasons: this machine's own finished runs of the mode where there are some, else the table below.
Money is tokens times list prices; what a provider's cache saves is not counted, so it is on the high side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from andon.domain.auto.mode import Mode, Teammate, post_of
from andon.domain.money import Price
from andon.domain.order import Tier, Usage

ENOUGH_RUNS = 3
"""From so many finished runs on, the cheapest and the dearest of them make the range."""


@dataclass(frozen=True, slots=True)
class Tokens:
    read: int = 0
    """Input, as providers call it."""
    written: int = 0

    def plus(self, other: Tokens) -> Tokens:
        return Tokens(self.read + other.read, self.written + other.written)

    @property
    def total(self) -> int:
        return self.read + self.written


TYPICAL: Mapping[str, Tokens] = MappingProxyType(
    {
        "doc-analyst": Tokens(40_000, 2_000),
        "issue-analyst": Tokens(15_000, 1_000),
        "planner": Tokens(50_000, 4_000),
        "planner-{i}": Tokens(80_000, 8_000),
        "arch-{i}": Tokens(80_000, 4_000),
        "critic-{i}": Tokens(60_000, 4_000),
        "critic-lite": Tokens(50_000, 3_000),
        "design-writer": Tokens(90_000, 8_000),
        "executor": Tokens(250_000, 12_000),
        "impl-manager": Tokens(800_000, 40_000),
        "impl-verifier": Tokens(120_000, 4_000),
        "verifier": Tokens(100_000, 3_000),
        "gap-checker": Tokens(120_000, 5_000),
        "quality-checker": Tokens(120_000, 5_000),
        "reporter": Tokens(40_000, 4_000),
    }
)
"""Tokens of one order, as a guess for a repository of medium size. A post that is not here is not guessed at."""
HEAVIER = 2
"""HEAVY reads and writes about so many times what STANDARD does, order by order."""
SPREAD: Mapping[Mode, tuple[float, float]] = MappingProxyType(
    {Mode.LIGHT: (0.4, 2.5), Mode.STANDARD: (0.4, 3.0), Mode.HEAVY: (0.4, 4.0)}
)
"""How far a run may lie from the guess: below it when the repository is small, above it with every round of repair."""
WITHOUT_MODEL = frozenset({"qa-runner", "qa-runner-{i}"})
"""andon itself does their work."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """What an order would cost: by its tier, and by its role where that has a runtime of its own."""

    prices: Mapping[str, Mapping[str, Price]]
    """Role ("" for all others) → tier → price. What is not there is not known."""

    def of(self, role: str, tier: Tier, tokens: Tokens) -> float | None:
        price = self.prices.get(role, self.prices.get("", {})).get(tier)
        return None if price is None else price.of(Usage(tokens.read, tokens.written))

    @classmethod
    def read(cls, told: Mapping[str, Mapping[str, Mapping[str, float]]]) -> PriceList:
        return cls({role: {tier: Price(**each) for tier, each in tiers.items()} for role, tiers in told.items()})


Sample = Mapping[str, Tokens]
"""What one finished run used, by post."""


@dataclass(frozen=True, slots=True)
class Estimate:
    tokens: tuple[int, int]
    money: tuple[float, float] | None
    """None where the price of a model is not known."""
    runs: int = 0
    """How many finished runs it comes from; 0 when it is a guess by the table."""

    def as_json(self) -> dict[str, Any]:
        return {"tokens": list(self.tokens), "money": list(self.money) if self.money else None, "runs": self.runs}


def estimate(mode: Mode, mates: Sequence[Teammate], samples: Sequence[Sample], prices: PriceList) -> Estimate:
    """The range for a run with these orders, from finished runs of the same mode where there are any."""
    used = [sample for sample in samples if _total(sample) > 0]
    posts = {post_of(mate.name): (mate.type, mate.tier) for mate in mates}
    others = {post: ("", Tier.SONNET) for sample in used for post in sample if post not in posts}
    expected, costs = Tokens(), list[float | None]()
    for post, (role, tier) in {**posts, **others}.items():
        tokens = _of_post(post, mode, used)
        expected = expected.plus(tokens)
        costs.append(prices.of(role, tier, tokens) if tokens.total else 0.0)
    low, high = _spread(mode, used)
    known = [cost for cost in costs if cost is not None]
    money = (round(sum(known) * low, 2), round(sum(known) * high, 2)) if len(known) == len(costs) else None
    return Estimate((_rounded(expected.total * low), _rounded(expected.total * high)), money, len(used))


def _of_post(post: str, mode: Mode, samples: Sequence[Sample]) -> Tokens:
    """An average per run, repetitions and runs without the post included; without any run, the table's guess."""
    if samples:
        total = Tokens()
        for sample in samples:
            total = total.plus(sample.get(post, Tokens()))
        return Tokens(total.read // len(samples), total.written // len(samples))
    if post in WITHOUT_MODEL:
        return Tokens()
    typical, times = TYPICAL.get(post, Tokens()), HEAVIER if mode is Mode.HEAVY else 1
    return Tokens(typical.read * times, typical.written * times)


def _spread(mode: Mode, samples: Sequence[Sample]) -> tuple[float, float]:
    if len(samples) < ENOUGH_RUNS:
        return SPREAD[mode]
    totals = [_total(sample) for sample in samples]
    mean = sum(totals) / len(totals)
    return min(totals) / mean, max(totals) / mean


def _total(sample: Sample) -> int:
    return sum(tokens.total for tokens in sample.values())


def _rounded(tokens: float) -> int:
    """To two digits: more would claim a precision that a guess has not."""
    if tokens < 100:
        return round(tokens)
    digits = len(str(int(tokens))) - 2
    return round(tokens / 10**digits) * 10**digits


def samples_from_json(runs: Sequence[Mapping[str, Sequence[int]]]) -> tuple[Sample, ...]:
    return tuple({post: Tokens(*used) for post, used in run.items()} for run in runs)


def sample_to_json(sample: Sample) -> dict[str, list[int]]:
    return {post: [tokens.read, tokens.written] for post, tokens in sample.items()}
