from notify import mail


def test_there_is_a_way_to_send():
    assert callable(mail.send)
