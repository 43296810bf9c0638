"""`python -m shop 1.50 2.50`: what prices come to."""

import sys

from shop.prices import parse_price


def main(words: list[str]) -> int:
    print(f"{sum(map(parse_price, words)) / 100:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
