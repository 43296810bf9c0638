"""Verdicts of Gates 2 and 3 from what reviewers counted and scenarios came to (C-46 to C-49, X-31 to X-33)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHIP, NEEDS_FIXES, SKIPPED, DEGRADED = "SHIP", "NEEDS_FIXES", "SKIPPED", "DEGRADED"
"""The last two say of a reviewer, or of the whole gate, that nothing was judged: not installed; failed or too slow."""
WARNINGS = 2
FEWEST_RUNS, MOST_RUNS = 3, 5
SHARE = 0.8


def verdict_of(critical: int, warnings: int) -> str:
    """One reviewer's, from its own counts."""
    return SHIP if critical == 0 and warnings <= WARNINGS else NEEDS_FIXES


def review_verdict(statuses: Sequence[str]) -> tuple[bool | None, str]:
    """Whether Gate 2 is passed (None: nobody judged) and its status, from each reviewer's status."""
    judged = [status for status in statuses if status in (SHIP, NEEDS_FIXES)]
    if not judged:
        return None, DEGRADED if DEGRADED in statuses else SKIPPED
    return NEEDS_FIXES not in judged, NEEDS_FIXES if NEEDS_FIXES in judged else SHIP


def scenario_passed(results: Sequence[bool]) -> bool:
    """By its share of runs that passed. Too few runs are no proof."""
    return len(results) >= FEWEST_RUNS and sum(results) >= SHARE * len(results)
