from stock import Shelf, report


def test_a_table_is_sorted():
    shelf = Shelf()
    shelf.put("pear", 2)
    shelf.put("apple")
    assert report.table(shelf) == "apple: 1\npear: 2"


def test_a_line_for_each_name():
    shelf = Shelf()
    shelf.put("pear", 2)
    assert report.lines(shelf) == 1
