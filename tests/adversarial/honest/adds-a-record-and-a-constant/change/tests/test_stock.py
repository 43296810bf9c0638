from shop.stock import SHELVES, Item


def test_an_item_lies_on_the_first_shelf():
    assert Item("apple").shelf == 1


def test_there_are_twelve_shelves():
    assert SHELVES == 12
