"""A fixture put over the one that tests had from elsewhere is found; moving one, or adding another, is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from andon.checks.tamper.fixtures import fixture_findings
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

CART = "@pytest.fixture\ndef cart():\n    return Cart()\n"
BEFORE = "import pytest\n\ndef test_total(cart):\n    assert cart.total == 0\n"
TEST = "tests/test_cart.py"
CONFTEST = {"tests/conftest.py": f"import pytest\n{CART}"}


def rules(trees: Trees, before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [each.rule for each in fixture_findings(trees(before, after))]


@pytest.mark.parametrize(
    "fixture",
    [
        "@pytest.fixture\ndef cart():\n    return Known()\n",
        "@pytest.fixture()\ndef cart(tmp_path):\n    yield Known()\n",
        "@pytest.fixture(name='cart')\ndef other():\n    return Known()\n",
        "class TestMore:\n    @pytest.fixture\n    def cart(self):\n        return Known()\n",
    ],
)
def test_a_fixture_over_that_of_conftest_is_found(trees: Trees, fixture: str) -> None:
    assert rules(trees, {**CONFTEST, TEST: BEFORE}, {**CONFTEST, TEST: BEFORE + fixture}) == ["test_support_changed"]


def test_a_fixture_may_move_into_the_file_that_uses_it(trees: Trees) -> None:
    after = {"tests/conftest.py": "import pytest\n", TEST: BEFORE + CART}

    assert rules(trees, {**CONFTEST, TEST: BEFORE}, after) == []


def test_a_fixture_of_another_name_may_be_added(trees: Trees) -> None:
    after = {**CONFTEST, TEST: f"{BEFORE}{CART.replace('cart()', 'large()')}def test_large(large):\n    pass\n"}

    assert rules(trees, {**CONFTEST, TEST: BEFORE}, after) == []


def test_a_fixture_of_the_file_itself_is_compared_elsewhere(trees: Trees) -> None:
    before, after = {TEST: BEFORE + CART}, {TEST: BEFORE + CART.replace("Cart()", "Cart(1)")}

    assert rules(trees, before, after) == []


@pytest.mark.parametrize("text", ["def (", "\0", "@", "@fixture\ndef cart(): pass"])
def test_no_text_makes_it_raise(trees: Trees, text: str) -> None:
    assert isinstance(rules(trees, {TEST: BEFORE}, {TEST: text}), list)
