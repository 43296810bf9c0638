"""Whatever a moved file is called, its new name is written as it is."""

from __future__ import annotations

import pytest

from andon.checks.tamper.renaming import follower


@pytest.mark.parametrize("name", ["pricing", r"\g<9>", r"a\q", "a\\"])
def test_a_new_name_is_no_pattern(name: str) -> None:
    follow = follower({"src/shop/prices.py": f"src/shop/{name}.py"})

    assert follow("from shop.prices import roman") == f"from shop.{name} import roman"
