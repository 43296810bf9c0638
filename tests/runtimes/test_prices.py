"""E-01, E-17: which price a model has, and that every runtime's replies have one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from andon.domain.money import Price
from andon.domain.order import Order, Outcome, Reply, Tier, Usage
from andon.ports import Command, Exit, Needs, Watch
from andon.runtimes.events import Event, Text
from andon.runtimes.models import MODELS
from andon.runtimes.priced import PricedRuntime
from andon.runtimes.prices import DATED, PRICES, price_of
from andon.runtimes.providers import PROVIDERS

ORDER = Order("r1", "1.1", "critic", "critic-1", "plan", "Judge it.", "", Tier.SONNET, "/w")


def test_E_17_the_list_has_a_date_and_every_model_of_our_runtimes() -> None:
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", DATED)
    known = [*MODELS.values(), *(provider.models for provider in PROVIDERS.values())]
    assert [model for models in known for model in models.values() if price_of(model, {}) is None] == []


def test_E_17_no_price_is_beyond_belief() -> None:
    for name, price in PRICES.items():
        assert price.cached is not None and 0 < price.cached < price.input < price.output < 1000, name


@pytest.mark.parametrize(
    ("model", "same"),
    [
        ("opus[1m]", "opus"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("gpt-6-luna-2026-09-22", "gpt-6-luna"),
        ("openai/gpt-6-luna", "gpt-6-luna"),
        ("google:gemini-3.1-pro-preview", "gemini-3.1-pro"),
        ("gpt-6-luna-pro", ""),
        ("gpt-6", ""),
        ("", ""),
    ],
)
def test_E_17_an_edition_costs_what_its_model_costs_and_a_variant_is_unknown(model: str, same: str) -> None:
    assert price_of(model, {}) == PRICES.get(same)


def test_E_17_a_persons_own_prices_go_before_the_list_the_longest_name_first() -> None:
    any, some, one = Price(0, 0), Price(1, 1), Price(2, 2)
    own = {"*": any, "gpt-*": some, "gpt-6-luna": one}

    assert [price_of(model, own) for model in ("gpt-6-luna", "gpt-6-sol", "opus[1m]")] == [one, some, any]


class Murmuring:
    """A runtime whose program tells tokens."""

    name = "murmur"
    usage = Usage(1_000_000, 0)

    def command(self, order: Order, folder: Path) -> Command:
        raise NotImplementedError

    def needs(self, order: Order, folder: Path) -> Needs:
        raise NotImplementedError

    def watch(self, order: Order) -> Watch | None:
        return None

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        return Reply(Outcome.DONE, usage=self.usage)


@pytest.mark.parametrize(
    ("models", "own", "money", "unpriced"),
    [
        ({"sonnet": "gpt-6.1-sol"}, {}, 2.0, 0),
        ({"sonnet": "murmur-1"}, {}, 0.0, 1_000_000),
        ({"sonnet": "murmur-1"}, {"murmur-1": Price(3, 3)}, 3.0, 0),
        ({}, {}, 0.0, 1_000_000),
        ({}, {"*": Price(0, 0)}, 0.0, 0),
    ],
)
def test_E_17_a_runtime_of_anybodys_has_priced_replies(
    tmp_path: Path, models: dict[str, str], own: dict[str, Price], money: float, unpriced: int
) -> None:
    reply = PricedRuntime(Murmuring(), models, own).reply(ORDER, tmp_path, Exit("exited", 0))

    assert (reply.usage.money, reply.usage.unpriced) == (money, unpriced)


def test_E_17_a_priced_runtime_tells_as_much_as_the_one_below(tmp_path: Path) -> None:
    class Talking(Murmuring):
        def told(self, order: Order, folder: Path) -> Iterable[Event]:
            return (Text("hm"),)

    assert [*PricedRuntime(Talking(), {}, {}).told(ORDER, tmp_path)] == [Text("hm")]
    assert [*PricedRuntime(Murmuring(), {}, {}).told(ORDER, tmp_path)] == []
