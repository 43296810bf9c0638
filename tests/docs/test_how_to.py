"""The how-to pages say what the program says."""

from __future__ import annotations

from pathlib import Path

from andon.domain.auto.discovery import LONGEST_FINDING, NEARLY_FULL, TIERS
from andon.domain.auto.proposals import LONG_FILE, LONG_FUNCTION

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/let-andon-find-work.md").read_text(encoding="utf-8")


def test_A_150_the_page_on_finding_work_has_the_table_of_tiers() -> None:
    rows = [line for line in PAGE.splitlines() if line[:3] in {f"| {int(tier)}" for tier in TIERS}]

    assert rows == [f"| {int(tier)} {tier.name} | {why} | {what} |" for tier, (why, what) in TIERS.items()]


def test_the_page_on_finding_work_names_the_real_numbers() -> None:
    text = " ".join(PAGE.split())
    for told in (
        f"more than {LONG_FUNCTION} lines",
        f"files of more than {LONG_FILE}",
        f"one line of {LONGEST_FINDING} characters",
        f"Below {NEARLY_FULL:g},",
    ):
        assert told in text
