"""E-17, A-28: what tokens cost, and how sure that is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.assignment import TeamRecord
from andon.domain.money import Price, in_dollars, priced, used, used_by_phase, used_by_role
from andon.domain.order import Usage

PRICE = Price(2, 10, 0.5)
COUNTS = st.integers(min_value=0, max_value=10**9)


def test_E_17_input_from_a_cache_has_a_price_of_its_own() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)

    assert PRICE.of(usage) == pytest.approx(1.2 + 0.2 + 1.0)
    assert Price(2, 10).of(usage) == pytest.approx(2.0 + 1.0)


def test_E_17_what_a_program_tells_counts() -> None:
    told = Usage(100, 10, 0, 0.25)

    assert priced(told, PRICE) == told


def test_E_17_what_it_does_not_tell_is_reckoned_and_marked() -> None:
    assert priced(Usage(1_000_000), PRICE) == Usage(1_000_000, money=2.0, estimated=2.0)


def test_E_17_without_a_price_money_is_unknown_and_not_nothing() -> None:
    found = priced(Usage(100, 10), None)

    assert found == Usage(100, 10, unpriced=110)
    assert in_dollars(found) == "unknown"


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (Usage(), ""),
        (Usage(100), ""),
        (Usage(100, money=1.234), "$1.23"),
        (Usage(100, money=1234.5), "$1,234.50"),
        (Usage(100, money=0.0004), "<$0.01"),
        (Usage(100, money=0.0004, estimated=0.0004), "<$0.01"),
        (Usage(100, money=1.234, estimated=0.1), "~$1.23"),
        (Usage(100, money=1.234, unpriced=5), "≥ $1.23"),
        (Usage(100, unpriced=100), "unknown"),
    ],
)
def test_E_17_a_sum_says_how_sure_it_is(usage: Usage, told: str) -> None:
    assert in_dollars(usage) == told


@given(COUNTS, COUNTS, st.one_of(st.none(), st.just(PRICE)))
def test_E_17_no_money_is_more_than_the_sum_and_nothing_is_priced_twice(
    read: int, written: int, price: Price | None
) -> None:
    once = priced(Usage(read, written), price)

    assert priced(once, price) == once
    assert once.estimated == once.money >= 0
    assert once.unpriced in (0, once.tokens)


def test_A_28_use_is_told_by_role_and_by_phase_and_adds_up() -> None:
    team = [
        TeamRecord("critic-1", "critic", "plan", "opus", Usage(10, 1, money=1.0), 2.0),
        TeamRecord("executor", "executor", "do", "sonnet", Usage(20, 2, 5, money=2.0, estimated=2.0), 3.0),
        TeamRecord("critic-2", "critic", "do", "opus", Usage(30, 3, unpriced=33), 4.0),
    ]

    roles, phases, total = used_by_role(team), used_by_phase(team), used("total", team)

    assert [(each.name, each.orders, each.usage.tokens) for each in roles] == [("critic", 2, 44), ("executor", 1, 22)]
    assert [(each.name, each.orders, each.usage.tokens) for each in phases] == [("plan", 1, 11), ("do", 2, 55)]
    assert total.usage == sum((each.usage for each in phases), Usage()) == sum((each.usage for each in roles), Usage())
    assert (total.orders, total.seconds, in_dollars(total.usage)) == (3, 9.0, "≥ $3.00")
    assert total.as_json()["unpriced"] == 33
