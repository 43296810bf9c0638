"""Prices as people write them, in cents; and shelf numbers."""

SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP"}
NUMERALS = [
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")),
    *((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
]


def parse_price(text: str) -> int:
    """`1,234.50` or `€ 12` as cents."""
    digits = text.lstrip("".join(SYMBOLS)).replace(",", "").strip()
    whole, _, cents = digits.partition(".")
    if not whole.isdigit() or (cents and not cents.isdigit()):
        raise ValueError(f"not a price: {text!r}")
    return int(whole) * 100 + int((cents + "00")[:2])


def roman(number: int) -> str:
    """A shelf number."""
    if number < 1:
        raise ValueError("shelves begin at 1")
    written = ""
    for value, letters in NUMERALS:
        written += letters * (number // value)
        number %= value
    return written
