from pathlib import Path


def test_the_receipt_is_as_printed(cart):
    expected = Path(__file__).with_name("data") / "receipt.txt"
    assert cart.receipt() == expected.read_text()
