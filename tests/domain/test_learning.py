"""Learnings: which are to the point of a task, and how few of them are told."""

from __future__ import annotations

from andon.domain.learning import (
    BY_HAND,
    OFFERED_ALL,
    OFFERED_EACH,
    Learning,
    offered,
    relevant,
    verdict_of,
)
from andon.domain.run import Ending, Status


def made(id: int, text: str, at: float = 0.0, **more: str) -> Learning:
    return Learning(id, text, at, **more)  # type: ignore[arg-type]


def test_E_14_what_has_rare_words_in_common_comes_first_and_chance_is_left_out() -> None:
    known = [
        made(1, "The parser of dates refuses a leap day"),
        made(2, "The parser of dates is slow on long texts"),
        made(3, "Buttons need a label"),
        made(4, "Totals are rounded to the cent"),
    ]

    found = relevant("Teach the date parser about dates with a leap day", known)

    assert [each.id for each in found] == [1, 2]
    assert relevant("the and of", known) == relevant("", known) == ()
    assert relevant("parser", known)[0].id in (1, 2)  # of a task of one word, one is enough


def test_E_14_of_the_same_text_the_newest_and_of_equals_the_newest_first() -> None:
    known = [made(1, "cache keys  collide", 1.0), made(2, "Cache keys collide", 5.0), made(3, "cache keys expire", 3.0)]

    assert [each.id for each in relevant("cache keys", known)] == [2, 3]


def test_E_14_korean_words_are_found_whatever_particle_follows() -> None:
    known = [made(1, "결제모듈이 느리다"), made(2, "버튼 색상")]

    assert [each.id for each in relevant("결제모듈을 고쳐줘", known)] == [1]


def test_E_14_what_is_told_has_its_origin_and_a_bound() -> None:
    long = [made(n, "x" * 5_000, run=f"r{n}", verdict="passed") for n in range(20)]

    told = offered(long)
    [line] = offered([made(1, "Mind\nthe gap", 86_400.0, run="r7", verdict="did not pass: limit")]).splitlines()

    assert line == "- (run r7, 1970-01-02, did not pass: limit) Mind the gap"
    assert len(told) <= OFFERED_ALL and all(len(each) < OFFERED_EACH + 80 for each in told.splitlines())
    assert offered([]) == ""
    assert made(1, "x").origin == f"a person, 1970-01-01, {BY_HAND}"


def test_E_14_only_a_run_that_is_done_has_passed() -> None:
    told = {status: verdict_of(Ending(status, "limit")) for status in Status}

    assert [status for status, verdict in told.items() if verdict == "passed"] == [Status.DONE]
    assert told[Status.FAILED] == "did not pass: limit"
