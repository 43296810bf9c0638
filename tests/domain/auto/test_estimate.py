"""A-04, G-01: what `--dry-run` says a run would use up."""

from __future__ import annotations

import pytest

from andon.domain.auto.estimate import SPREAD, TYPICAL, WITHOUT_MODEL, PriceList, Sample, Tokens, estimate
from andon.domain.auto.mode import Mode, Teammate, line_up, post_of, teammate
from andon.domain.money import Price
from andon.domain.order import Tier

TIERS = {Tier.HAIKU: Price(1, 5), Tier.SONNET: Price(3, 15), Tier.OPUS: Price(5, 25)}
PRICES = PriceList({"": TIERS})


def mates(mode: Mode, *, eco: bool = False, opus: bool = False) -> list[Teammate]:
    return [teammate(name, mode, eco=eco, opus=opus) for name in line_up(mode)]


def ran(tokens: int) -> Sample:
    return {"planner": Tokens(tokens // 2, 0), "executor": Tokens(tokens // 2, 0)}


@pytest.mark.parametrize("mode", Mode)
def test_A_04_every_post_of_a_line_up_is_guessed_at_or_has_no_model(mode: Mode) -> None:
    posts = {post_of(name) for name in line_up(mode)}

    assert posts <= {*TYPICAL, *WITHOUT_MODEL}


def test_A_04_a_bigger_mode_is_dearer_and_every_range_has_two_ends() -> None:
    found = [estimate(mode, mates(mode), (), PRICES) for mode in (Mode.LIGHT, Mode.STANDARD, Mode.HEAVY)]

    assert [each.runs for each in found] == [0, 0, 0]
    money = [each.money or (0, 0) for each in found]
    assert all(each.tokens[0] < each.tokens[1] for each in found) and all(low < high for low, high in money)
    assert money[0][1] < money[1][1] < money[2][1]


def test_G_01_eco_is_cheaper_and_opus_dearer_for_the_same_tokens() -> None:
    plain, eco, opus = (
        estimate(Mode.HEAVY, mates(Mode.HEAVY, **chosen), (), PRICES) for chosen in ({}, {"eco": True}, {"opus": True})
    )

    assert plain.tokens == eco.tokens == opus.tokens
    assert plain.money and eco.money and opus.money
    assert eco.money[1] < plain.money[1] < opus.money[1]


def test_A_04_one_finished_run_sets_the_middle_and_three_set_the_range() -> None:
    one = estimate(Mode.LIGHT, mates(Mode.LIGHT), [ran(100_000)], PRICES)
    three = estimate(Mode.LIGHT, mates(Mode.LIGHT), [ran(100_000), ran(200_000), ran(300_000)], PRICES)

    low, high = SPREAD[Mode.LIGHT]
    assert one.tokens == (100_000 * low, 100_000 * high) and one.runs == 1
    assert three.tokens == (100_000, 300_000) and three.runs == 3


def test_A_04_runs_that_used_nothing_say_nothing() -> None:
    assert estimate(Mode.LIGHT, mates(Mode.LIGHT), [{"planner": Tokens()}], PRICES).runs == 0


def test_A_04_repairs_of_earlier_runs_count_although_no_line_up_has_them() -> None:
    sample: Sample = {"planner": Tokens(1_000, 0), "fixer": Tokens(9_000, 0)}

    assert estimate(Mode.LIGHT, mates(Mode.LIGHT), [sample] * 3, PRICES).tokens == (10_000, 10_000)


def test_A_04_a_role_with_a_runtime_of_its_own_has_its_prices() -> None:
    plain = estimate(Mode.LIGHT, mates(Mode.LIGHT), (), PRICES).money
    [role] = {mate.type for mate in mates(Mode.LIGHT) if mate.name == "executor"}
    free = PriceList({"": TIERS, role: {tier: Price(0, 0) for tier in TIERS}})
    cheaper = estimate(Mode.LIGHT, mates(Mode.LIGHT), (), free).money

    assert plain and cheaper and cheaper[1] < plain[1]


def test_A_04_money_is_unknown_rather_than_wrong_where_a_price_is_not_known() -> None:
    found = estimate(Mode.LIGHT, mates(Mode.LIGHT), (), PriceList({"": {Tier.HAIKU: Price(1, 5)}}))

    assert found.money is None and found.tokens[1] > 0
    assert found.as_json()["money"] is None
