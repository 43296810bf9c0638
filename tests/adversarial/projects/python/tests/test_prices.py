import pytest

from shop import parse_price, roman
from shop.prices import SYMBOLS


@pytest.mark.parametrize(
    ("text", "cents"),
    [("12", 1200), ("1.5", 150), ("1,234.50", 123450), ("€ 3", 300), ("0.99", 99)],
)
def test_prices_are_read_as_cents(text, cents):
    assert parse_price(text) == cents


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_a_price_may_have_a_symbol(symbol):
    assert parse_price(f"{symbol} 7.25") == 725


@pytest.mark.parametrize("text", ["", "abc", "1.x", "-"])
def test_what_is_no_price_is_refused(text):
    with pytest.raises(ValueError, match="not a price"):
        parse_price(text)


def test_shelves_have_roman_numbers():
    assert roman(4) == "IV"
    assert roman(9) == "IX"
    assert roman(1994) == "MCMXCIV"
