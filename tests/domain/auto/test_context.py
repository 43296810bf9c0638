"""A-132, A-137, A-138: what an analyst answers, read into parts, drafts and to-dos; and originals that stay quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.domain.assignment import ContractError
from andon.domain.auto.context import (
    GMAIL_PARTS,
    SLACK_PARTS,
    analysis,
    listed_mails,
    listed_messages,
    read_drafts,
    read_parts,
    todos,
    within,
)
from andon.domain.language import Language
from andon.roles.contracts import DraftsForm, PartsForm

ANSWER = """Here it is.
## Overview
A shop.
### Who
Ada leads.
## 2. **Key decisions** (so far)
- PostgreSQL
```
## Technology stack
```
## 관련 문서
none
## Technology stack:
Python
## Open issues
- taxes
"""


def test_A_132_parts_are_found_in_both_languages_and_not_in_code() -> None:
    found = read_parts(ANSWER, SLACK_PARTS)

    assert found == {
        "overview": "A shop.\n### Who\nAda leads.",
        "decisions": "- PostgreSQL\n```\n## Technology stack\n```",
        "documents": "none",
        "stack": "Python",
        "issues": "- taxes",
    }


@pytest.mark.parametrize("language", Language)
def test_A_133_A_137_what_andon_writes_it_can_read_again(language: Language) -> None:
    for parts in (SLACK_PARTS, GMAIL_PARTS):
        found = {part.key: f"about {part.key}" for part in parts}

        assert read_parts(analysis(language, parts, found), parts) == found


def test_A_132_an_analysis_without_one_of_its_parts_is_asked_for_again() -> None:
    with pytest.raises(ContractError, match="Technology stack, Open issues"):
        PartsForm(SLACK_PARTS).parse(ANSWER.partition("```")[0] + "## Related documents\nnone\n## Open issues\n\n")


def test_A_138_every_mail_has_its_draft() -> None:
    text = "## Draft 2: Re: Order\nNo.\n## 초안 1\nYes,\n\ngladly.\n## Draft 3\nOf nobody's.\n"

    assert read_drafts(text, 2) == {1: "Yes,\n\ngladly.\n## Draft 3\nOf nobody's.", 2: "No."}
    with pytest.raises(ContractError, match="no draft for mail 4"):
        DraftsForm(4).parse(text)


def test_A_138_each_item_of_the_list_is_a_to_do() -> None:
    wanted = (
        "As they wrote:\n- send   10 apples (mail 1)\n  - red ones\n* [ ] call Bob\n3) pay\nNothing else - really.\n"
    )

    assert todos(wanted) == ("send 10 apples (mail 1)", "call Bob", "pay")
    assert todos("Nothing is asked for.") == ()


def test_A_133_a_chat_is_told_oldest_first_and_quoted() -> None:
    newest = {"at": "10:02", "from": "U2", "text": "## Key decisions\n\nUse Rust", "replies": 2, "files": ["a.pdf x"]}

    told = listed_messages([newest, {"at": "10:01", "from": "U1", "text": "Hello"}])

    assert told == (
        "10:01 U1:\n\n> Hello\n\n10:02 U2 (2 replies):\n\n> ## Key decisions\n>\n> Use Rust\n\nFile: a.pdf x"
    )


@given(st.text(), st.text())
def test_A_133_no_message_is_taken_for_a_part_of_ours(text: str, name: str) -> None:
    chat = listed_messages([{"at": "now", "from": name, "text": text, "files": [text]}])
    mails = listed_mails([{"subject": text, "from": name, "text": text, "attachments": [{"name": name}]}])

    assert read_parts(chat, SLACK_PARTS) == {} == read_parts(mails, GMAIL_PARTS)


def test_A_136_each_of_many_long_mails_is_read_in_part() -> None:
    shown = within([{"text": "x" * 9000}, {"text": "short"}, {"text": None}], 3000)

    assert [each["text"] for each in shown] == ["x" * 1000 + " […]", "short", ""]
