"""What takes a while is looked at once, in the background, and kept."""

from __future__ import annotations

import threading

import pytest

from andon.app.background import Kept
from patience import until

SECONDS = 30


class Looking:
    """A look that goes on until it is let go, and counts."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        assert self.go.wait(SECONDS)
        return self.count


def test_whoever_asks_while_a_look_goes_on_gets_what_is_known_and_starts_no_other() -> None:
    look = Looking()
    kept = Kept(look, 600)

    assert [kept.now() for _ in range(5)] == [None] * 5 and kept.busy
    both = kept.again(), kept.again()
    look.go.set()

    assert [each.result(SECONDS) for each in both] == [1, 1] and kept.now() == 1 and look.count == 1


def test_what_is_old_is_shown_while_it_is_looked_at_again() -> None:
    look = Looking()
    look.go.set()
    kept = Kept(look, 0)
    kept.again().result(SECONDS)
    look.go.clear()

    assert kept.now() == 1 and kept.busy
    look.go.set()
    until("second look", lambda: kept.known == 2)


def test_a_look_that_fails_is_told_and_not_tried_at_every_glance() -> None:
    tries = list[int]()

    def look() -> int:
        tries.append(1)
        raise OSError("the disk is away")

    kept = Kept(look, 600)
    with pytest.raises(OSError, match="away"):
        kept.again().result(SECONDS)

    assert [kept.now() for _ in range(3)] == [None] * 3 and len(tries) == 1 and kept.problem == "the disk is away"


def test_looks_of_another_kind_wait_for_their_turn() -> None:
    look = Looking()
    kept = Kept(look, 600)
    first, second = kept.again(), kept.again("other", lambda: 100)
    assert not second.done()
    look.go.set()

    assert (first.result(SECONDS), second.result(SECONDS)) == (1, 100) and kept.known == 100
