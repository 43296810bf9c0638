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
