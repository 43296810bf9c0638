"""A-156, G-41: how long an order may take is a matter of its role."""

from __future__ import annotations

import pytest

from andon.domain.auto.mode import Mode, teammate
from andon.domain.auto.times import Times


@pytest.mark.parametrize(
    ("name", "agent_type", "seconds"),
    [("verifier", "", 1200), ("planner", "", 1800), ("executor", "", 3600), ("fixer-1", "security-reviewer", 3600)],
)
def test_A_156_with_nothing_set_the_kind_of_work_decides(name: str, agent_type: str, seconds: float) -> None:
    assert Times().of(teammate(name, Mode.STANDARD, agent_type=agent_type)) == seconds


def test_A_156_a_time_for_all_holds_where_a_role_has_none_of_its_own() -> None:
    times = Times(600.0, {"executor-high": 7200.0})

    assert times.of(teammate("impl-manager", Mode.HEAVY)) == 7200.0
    assert times.of(teammate("impl-manager", Mode.STANDARD)) == 600.0
