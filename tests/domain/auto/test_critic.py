"""A-48, A-52 to A-56, G-04, G-24: rounds of the plan's review and the feedback carried on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.auto.critic import Feedback, RoundEnd, compress, end_round, estimate_tokens, gist, with_warning
from andon.domain.auto.quality_gates import GateResult
from andon.domain.grammar import read_critic
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.verdict import Finding, Verdict

LIMITS = AutoLimits()
APPROVE, REVISE = read_critic("VERDICT: APPROVE"), read_critic("VERDICT: REVISE\nfix X")
FAILED_GATE = GateResult("QG1", Verdict.FAILED, (Finding("src/x.py does not exist", "src/x.py", 3),))
OPEN_GATE = GateResult("QG2", Verdict.NOT_MEASURED)


@pytest.mark.parametrize(
    ("iteration", "reply", "gates", "end", "text"),
    [
        (1, APPROVE, (), RoundEnd.APPROVED, None),
        (5, APPROVE, (OPEN_GATE,), RoundEnd.APPROVED, None),
        (1, REVISE, (), RoundEnd.AGAIN, "fix X"),
        (4, REVISE, (), RoundEnd.AGAIN, "fix X"),
        (5, REVISE, (), RoundEnd.FORCED, "fix X"),
        (1, APPROVE, (FAILED_GATE,), RoundEnd.AGAIN, "QG1 FAIL, line 3: src/x.py does not exist"),
        (2, REVISE, (FAILED_GATE,), RoundEnd.AGAIN, "fix X\nQG1 FAIL, line 3: src/x.py does not exist"),
        (1, read_critic("계획 작성 완료"), (), RoundEnd.AGAIN, "계획 작성 완료"),
    ],
)
def test_A_52_A_53_A_55_A_56_G_04_end_of_a_round(iteration, reply, gates, end, text) -> None:  # type: ignore[no-untyped-def]
    found = end_round(iteration, reply, gates, LIMITS)

    assert found.end is end
    assert (found.feedback.text if found.feedback else None) == text


def _feedback(number: int, tokens: int) -> Feedback:
    return Feedback(number, f"head {number}\n".ljust(tokens * 4, chr(96 + number)))


def test_A_54_four_of_2000_tokens_keep_the_newest_three() -> None:
    given_ = [_feedback(number, 2000) for number in (1, 2, 3, 4)]

    text = compress(given_, LIMITS)

    assert "Iteration 1: head 1\n" in text and "aaa" not in text
    assert all(each.text in text for each in given_[1:])


def test_A_54_up_to_5000_tokens_everything_is_kept() -> None:
    given_ = [_feedback(number, 1250) for number in (1, 2, 3, 4)]

    assert all(each.text in compress(given_, LIMITS) for each in given_)
    assert given_[0].text not in compress([*given_, _feedback(5, 1)], LIMITS)


def test_G_24_a_back_ends_own_count_is_used() -> None:
    given_ = [_feedback(number, 10) for number in (1, 2, 3, 4)]

    assert given_[0].text not in compress(given_, LIMITS, tokens=lambda text: 5000)
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


@given(st.lists(st.text(max_size=40), max_size=8), st.integers(1, 40))
def test_A_54_the_newest_three_are_always_whole(texts: list[str], budget: int) -> None:
    given_ = [Feedback(number, text) for number, text in enumerate(texts, start=1)]

    text = compress(given_, AutoLimits(feedback_tokens=budget))

    assert all(f"Iteration {each.iteration}:\n{each.text}" in text for each in given_[-3:])
    assert all(f"Iteration {each.iteration}:" in text for each in given_)


@given(st.text())
def test_A_54_a_gist_is_one_short_line(text: str) -> None:
    assert len(gist(text)) <= 120 and len(gist(text).splitlines()) <= 1


def test_A_55_the_warning_is_at_the_top_once() -> None:
    once = with_warning("# Plan", Language.KO, 5)

    assert once.splitlines()[0] == "> WARNING: Critic 5회 반복으로 강제 승인"
    assert once.endswith("# Plan") and with_warning(once, Language.KO, 5) == once
