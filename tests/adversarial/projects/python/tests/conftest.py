import pytest

from shop import Cart


@pytest.fixture
def cart() -> Cart:
    cart = Cart()
    cart.add("apple", 150, 2)
    cart.add("pear", 99)
    return cart
