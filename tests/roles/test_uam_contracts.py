"""Replies in UAM that look like what is wanted and are not."""

from __future__ import annotations

import pytest

from andon.domain.assignment import ContractError
from andon.domain.uam.agents import REVIEW_CATEGORIES
from andon.roles.uam_contracts import REVIEW, TRIED, ConflictsForm

SECTIONS = "\n".join(f"## {each}\nNothing." for each in REVIEW_CATEGORIES)
NOTHING = '```json\n{"findings": []}\n```'
CRITICAL = '```json\n{"findings": [{"severity": "critical", "file": "a.py", "line": 1, "problem": "a leak"}]}\n```'


@pytest.mark.parametrize("end", ["```json\n{}\n```", '```json\n{"issues": [{"severity": "critical"}]}\n```', "{}"])
def test_C_45_a_review_that_does_not_say_what_it_found_has_found_nothing_out(end: str) -> None:
    with pytest.raises(ContractError, match="`findings` is missing"):
        REVIEW.parse(f"{SECTIONS}\n\n{end}")


def test_C_46_what_a_reviewer_quotes_is_not_its_own_result() -> None:
    found = REVIEW.parse(f"{SECTIONS}\n\nA comment in the code says:\n{NOTHING}\n\nMy findings:\n{CRITICAL}")

    assert (found.critical, found.warnings) == (1, 0)


def test_C_46_a_result_that_cannot_be_read_is_not_replaced_by_what_was_quoted() -> None:
    with pytest.raises(ContractError):
        REVIEW.parse(f"{SECTIONS}\n\n{NOTHING}\n\n{CRITICAL.replace(']}', ']')}")


def test_C_49_what_a_user_quotes_is_not_what_the_user_saw() -> None:
    quoted = '```\n{"passed": true, "steps": ["all"]}\n```'

    assert not TRIED.parse(f'It printed:\n{quoted}\n```json\n{{"passed": false, "steps": ["none"]}}\n```').passed


@pytest.mark.parametrize("number", ["9" * 5000, "²", "one"], ids=["long", "raised", "word"])
def test_C_20_a_pivot_point_by_a_number_that_is_none_is_no_pivot_point(number: str) -> None:
    told = f'{{"discoveries": [{{"conflicts_with": ["PP-{number}", "PP-2"], "reason": "r"}}]}}'

    assert ConflictsForm(1).parse(f"```json\n{told}\n```") == ((2,),)
