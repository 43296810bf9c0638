import unittest

import pytest

from stock import Shelf

SHELF = Shelf()


def test_what_is_put_is_there():
    SHELF.put("apple", 2)
    assert SHELF.count() == 2


def test_the_shelf_is_kept():
    SHELF.put("pear")
    assert SHELF.count() == 3


def test_too_much_cannot_be_taken():
    shelf = Shelf()
    shelf.put("apple")
    with pytest.raises(ValueError):
        shelf.take("apple", 2)


def test_it_is_there():
    assert True


class TakingTest(unittest.TestCase):
    def setUp(self):
        self.shelf = Shelf()
        self.shelf.put("plum", 5)

    def test_taking_leaves_the_rest(self):
        self.assertEqual(self.shelf.take("plum", 2), 3)

    def test_taking_one(self):
        self.shelf.take("plum")
        self.assertEqual(self.shelf.count(), 4)
