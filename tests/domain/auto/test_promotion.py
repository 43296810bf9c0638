"""A-63 to A-67, X-01, X-02: modes rise, never fall."""

from __future__ import annotations

import pytest

from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Cause, Facts, Promotion, promotion, retries_build, thrifty
from andon.domain.limits import AutoLimits

LIMITS = AutoLimits()
L, S, H = Mode.LIGHT, Mode.STANDARD, Mode.HEAVY


@pytest.mark.parametrize(
    ("mode", "facts", "after", "cause"),
    [
        (L, Facts(build_failures=1), None, None),
        (L, Facts(build_failures=2), S, Cause.BUILD_FAILURES),
        (S, Facts(build_failures=9), None, None),
        (L, Facts(failed_qa_cycles=9), None, None),
        (S, Facts(failed_qa_cycles=2), None, None),
        (S, Facts(failed_qa_cycles=3), H, Cause.QA_CYCLES),
        (L, Facts(affected_files=4), None, None),
        (L, Facts(affected_files=5), H, Cause.AFFECTED_FILES),
        (S, Facts(affected_files=5), H, Cause.AFFECTED_FILES),
        (S, Facts(affected_files=4), None, None),
        (L, Facts(build_failures=2, affected_files=5), H, Cause.AFFECTED_FILES),
        (H, Facts(9, 9, 9), None, None),
    ],
)
def test_A_63_A_64_A_65_promotion_table(mode: Mode, facts: Facts, after: Mode | None, cause: Cause | None) -> None:
    found = promotion(mode, 3, facts, LIMITS)

    assert (found.after if found else None, found.cause if found else None) == (after, cause)
    assert found is None or (found.before, found.phase) == (mode, 3)


@pytest.mark.parametrize(("failures", "retries"), [(0, False), (1, True), (2, False)])
def test_X_01_light_retries_once(failures: int, retries: bool) -> None:
    assert retries_build(Mode.LIGHT, failures, LIMITS) is retries


@pytest.mark.parametrize(("before", "after"), [(H, S), (S, L), (L, L), (H, H)])
def test_A_67_there_is_no_demotion(before: Mode, after: Mode) -> None:
    with pytest.raises(ValueError, match="not a promotion"):
        Promotion(before, after, Cause.QA_CYCLES, 3, 4)


def test_G_01_eco_halves_upwards() -> None:
    assert [thrifty(cycles, eco=True) for cycles in (1, 3, 5)] == [1, 2, 3]
    assert promotion(S, 4, Facts(failed_qa_cycles=2), LIMITS, eco=True) is not None
