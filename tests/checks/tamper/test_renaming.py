"""Whatever a moved file is called, its new name is written as it is."""

from __future__ import annotations

import pytest

from andon.checks.tamper.renaming import follower


@pytest.mark.parametrize("name", ["pricing", r"\g<9>", r"a\q", "a\\"])
def test_a_new_name_is_no_pattern(name: str) -> None:
    follow = follower({"src/shop/prices.py": f"src/shop/{name}.py"})

    assert follow("from shop.prices import roman") == f"from shop.{name} import roman"


@pytest.mark.parametrize(
    "text",
    [
        "from shop import prices",
        "from shop import Cart, prices",
        "from shop import Cart as C, prices, taxes",
        "from shop import (prices)",
        "from shop import (\n    Cart,\n    prices,\n)",
        "from shop import prices as p",
    ],
)
def test_a_module_is_followed_wherever_it_stands_in_an_import(text: str) -> None:
    follow = follower({"src/shop/prices.py": "src/shop/costs.py"})

    assert follow(text) == text.replace("prices", "costs")


def test_a_module_may_keep_its_old_name_in_a_file() -> None:
    follow = follower({"src/shop/prices.py": "src/shop/costs.py"})

    assert follow("from shop import costs as prices\nprices.roman(4)") == (
        "from shop import costs as costs\ncosts.roman(4)"
    )


def test_a_value_of_the_same_name_is_left_alone() -> None:
    follow = follower({"src/shop/prices.py": "src/shop/costs.py"})

    assert follow("assert total(cart, prices) == 3") == "assert total(cart, prices) == 3"
