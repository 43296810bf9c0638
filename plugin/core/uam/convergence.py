"""Whether fixing leads anywhere, told by pass rates alone, and what follows from it (C-51, C-53, X-34, X-35)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW = 3
MIN_IMPROVEMENT = 0.05
REGRESSION = -0.10
SAME_ERROR = 3
FEW = 2
_TOLERANCE = 1e-9
"""In floats 0.9 - 1.0 is more than -0.10."""

IMPROVING, STAGNATING, DIVERGING, UNCLEAR = "improving", "stagnating", "diverging", "unclear"
FIX, RESET, REPLAN = "fix", "reset", "replan"
"""Immediate fix in the same session; a new session with another approach; the circuit breaker, back to planning."""


def trend(
    rates: Sequence[float],
    window: int = WINDOW,
    min_improvement: float = MIN_IMPROVEMENT,
    regression: float = REGRESSION,
) -> str:
    """A single step down is enough to diverge; to stagnate takes a whole window."""
    if len(rates) >= 2 and rates[-1] - rates[-2] <= regression + _TOLERANCE:
        return DIVERGING
    if len(rates) >= window and rates[-1] - rates[-window] < min_improvement - _TOLERANCE:
        return STAGNATING
    return IMPROVING if len(rates) >= 2 and rates[-1] > rates[0] else UNCLEAR


def strategy(failing: int, total: int, same_error: int, rates: Sequence[float]) -> str:
    """What to do about `failing` of `total` tests, with the same error so many times in a row. The order decides:
    a suite of one test that fails is no structural failure."""
    found = trend(rates)
    if found == DIVERGING:
        return REPLAN
    if same_error >= SAME_ERROR or found == STAGNATING:
        return RESET
    if failing <= FEW:
        return FIX
    return REPLAN if failing * 2 > total else FIX
