import unittest

import pytest

from shop import Cart, discounted


def test_a_cart_adds_up(cart):
    assert cart.total == 399


def test_an_empty_cart_costs_nothing():
    assert Cart().total == 0


def test_the_average_is_that_of_one_piece(cart):
    assert cart.average == pytest.approx(133.0, abs=0.01)


def test_a_count_must_be_positive(cart):
    with pytest.raises(ValueError):
        cart.add("plum", 10, 0)


class DiscountTest(unittest.TestCase):
    def test_rounding_is_for_the_customer(self):
        self.assertEqual(discounted(999, 10), 899)

    def test_everything_off(self):
        self.assertEqual(discounted(500, 100), 0)

    def test_more_than_everything_is_refused(self):
        with self.assertRaises(ValueError):
            discounted(500, 101)
