from shop.__main__ import main


def test_the_sum_is_printed(capsys):
    assert main(["1.50", "2.50"]) == 0
    assert capsys.readouterr().out == "4.00\n"
