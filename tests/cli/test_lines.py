"""Journal entries as people see them."""

from __future__ import annotations

from typing import Any

from andon.cli.lines import line
from andon.domain.auto.start import banner
from andon.domain.journal import Entry
from andon.domain.language import Language


def asked(text: str, **more: Any) -> str:
    data = {"hold": "r1/1.9", "question": text, "options": ["proceed", "revise"], "default": "proceed", **more}
    return line(Entry("r1", 1, 0.0, "hold_opened", data=data), 80) or ""


def test_A_140_nothing_stands_beside_the_frame_of_a_banner() -> None:
    frame = banner(Language.EN, 3, "a/worktree", (("impl-manager", "sonnet"),), "test passed")

    assert asked(frame, category="transition") == f"{frame}\n    andon answer r1/1.9"


def test_any_other_question_has_its_choices_beside_it() -> None:
    assert asked("Which?", category="question") == "  ? Which?  (proceed | revise)\n    andon answer r1/1.9"
    assert asked("Which?").startswith("  ? Which?  (proceed")  # written by an earlier version


def told(kind: str, **data: Any) -> str:
    return line(Entry("r1", 1, 0.0, kind, data=data), 80) or ""


def test_what_an_agent_says_first_is_shown_and_not_the_heading_above_it() -> None:
    diagnosis = "## Root Cause\n\nNOTES.md is missing.\n## Severity\nLOW"

    assert told("result", name="debugger-1", outcome="done", text=diagnosis).endswith("NOTES.md is missing.")
    assert told("result", name="planner", outcome="done", text="# PLAN: notes\n\nText").endswith("# PLAN: notes")
    assert told("result", name="empty", outcome="done", text="## Root Cause\n").endswith("## Root Cause")


def test_numbers_of_tokens_are_written_as_in_the_status() -> None:
    usage = {"input_tokens": 1500, "output_tokens": 6}
    assert "1,506 tokens" in told("result", name="reader", outcome="done", text="Done.", usage=usage)
    assert " 1 token  " in told("result", name="a", outcome="done", text="Done.", usage={"input_tokens": 1})


def test_of_an_answer_that_is_only_an_object_its_summary_is_shown() -> None:
    handed_in = '{\n  "status": "DONE",\n  "summary": "Four notes."\n}'

    assert told("result", name="reader", outcome="done", text=handed_in).endswith("tokens  Four notes.")
    assert told("result", name="reader", outcome="done", text=f"```json\n{handed_in}\n```").endswith("  Four notes.")
    assert told("result", name="reader", outcome="done", text=f"I looked.\n{handed_in}").endswith("  I looked.")
    assert told("result", name="reader", outcome="done", text='{"summary": ["no text"]}').endswith(" tokens")
    assert told("result", name="reader", outcome="done", text="{ broken").endswith(" tokens")


def test_B_57_a_reviewers_sentence_goes_on_over_lines_and_an_answer_is_told_whole() -> None:
    said = "Send it\nas a header, and test it.\n\nMore about it."
    round = told("ralph", iteration=1, most=5, verdict="REVISE", mean=None, title="Billing", feedback=said)
    long = "Why did we leave the message queue, and what would bring it back? A page."

    assert round.endswith("\n    Send it as a header, and test it.")
    assert " ".join(told("hold_answered", answer=long, by="kim").split()) == f"= {long} (kim)"


def test_a_check_that_printed_nothing_names_no_failure() -> None:
    failed = {"goal": "test -s NOTES.md", "verdict": "failed", "reason": "test -s NOTES.md: exit code 1"}

    assert told("check", **failed, signatures=["custom:no output"]) == "  ✗ test -s NOTES.md failed  exit code 1"
    assert told("check", **failed, signatures=["custom:E 1 == 2"]).endswith("\n      custom:E 1 == 2")
