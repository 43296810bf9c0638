"""E-17: a run's budget warns once at 80 % and stops hard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.budget import Budget, Line, Spent
from andon.domain.errors import UserError
from andon.domain.order import Limits, Usage


def test_E_17_no_limit_never_warns_or_stops() -> None:
    much = Spent(10**12, 1e9, 1e9)

    assert Budget().warnings(Spent(), much) == ()
    assert Budget().exhausted(much) == ()


@pytest.mark.parametrize(
    ("before", "after", "warned"),
    [(0, 79, ()), (0, 80, (Line.TOKENS,)), (79, 80, (Line.TOKENS,)), (80, 81, ()), (0, 150, (Line.TOKENS,))],
)
def test_E_17_warns_once_when_80_per_cent_is_crossed(before: int, after: int, warned: tuple[Line, ...]) -> None:
    assert Budget(tokens=100).warnings(Spent(before), Spent(after)) == warned


def test_E_17_binary_fractions_do_not_move_the_mark() -> None:
    assert Budget(money=0.1).warnings(Spent(), Spent(money=0.08)) == (Line.MONEY,)


@pytest.mark.parametrize(("spent", "stopped"), [(99, ()), (100, (Line.TOKENS,)), (101, (Line.TOKENS,))])
def test_E_17_stops_at_the_limit(spent: int, stopped: tuple[Line, ...]) -> None:
    assert Budget(tokens=100).exhausted(Spent(spent)) == stopped


def test_E_17_every_line_stops_by_itself() -> None:
    budget = Budget(tokens=10, money=1.0, seconds=60.0)

    assert budget.exhausted(Spent(10, 1.0, 60.0)) == (Line.TOKENS, Line.MONEY, Line.SECONDS)
    assert budget.exhausted(Spent(1, 0.1, 60.0)) == (Line.SECONDS,)


def test_E_17_a_budget_of_nothing_is_used_up() -> None:
    assert Budget(money=0.0).exhausted(Spent()) == (Line.MONEY,)


def test_E_17_usage_adds_up() -> None:
    spent = Spent().plus(Usage(10, 5, 3, 0.5), 2.0).plus(Usage(1, 1, 0, 0.25), 1.0)

    assert spent == Spent(17, 0.75, 3.0)


@given(st.integers(0, 10**9), st.floats(0, 1e6), st.integers(1, 30))
def test_E_17_several_at_once_have_together_what_is_left(tokens: int, money: float, among: int) -> None:
    part = Budget(tokens=tokens, money=money, seconds=None).split(among)

    assert part.tokens is not None and tokens <= part.tokens * among < tokens + among
    assert part.money is not None and part.money * among == pytest.approx(money)
    assert part.seconds is None


def test_E_17_an_order_gets_what_is_left_at_most() -> None:
    budget = Budget(tokens=100, money=1.0, seconds=3600.0)

    limits = budget.limit_order(Limits(seconds=1800, tokens=None, money=0.1), Spent(70, 0.5, 3000.0))

    assert (limits.tokens, limits.money, limits.seconds) == (30, 0.1, 600.0)
    assert Budget().limit_order(Limits(), Spent(70)) == Limits()


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_E_17_the_rest_is_never_negative(limit: int, spent: int) -> None:
    rest = Budget(tokens=limit).remaining(Spent(spent)).tokens

    assert rest is not None and rest >= 0
    assert (rest == 0) == bool(Budget(tokens=limit).exhausted(Spent(spent))) or limit > spent


@given(st.integers(1, 1000), st.lists(st.integers(0, 300), max_size=20))
def test_E_17_each_line_is_warned_about_at_most_once(limit: int, steps: list[int]) -> None:
    budget, spent, warnings = Budget(tokens=limit), Spent(), 0
    for step in steps:
        after = spent.plus(Usage(input_tokens=step))
        warnings += len(budget.warnings(spent, after))
        spent = after

    assert warnings == (spent.tokens / limit >= 0.8 - 1e-9)


@pytest.mark.parametrize("bad", [{"tokens": -1}, {"money": -0.1}, {"seconds": float("nan")}])
def test_E_17_a_negative_budget_is_a_mistake(bad: dict[str, float]) -> None:
    with pytest.raises(UserError, match="budget of"):
        Budget(**bad)  # type: ignore[arg-type]
