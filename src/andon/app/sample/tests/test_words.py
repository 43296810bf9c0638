from tally import words


def test_words_are_counted_in_lower_case():
    assert words("To be or not to be") == {"to": 2, "be": 2, "or": 1, "not": 1}


def test_no_text_has_no_words():
    assert words("") == {}
