"""A state that somebody edited by hand: what cannot be is left out, and everything else is gone on from."""

from __future__ import annotations

from typing import Any

import pytest

from andon.app.uam_files import sound

LANE = {"name": "todo-1", "base": "a", "tree": "b", "attempt": 1, "done": True}


def test_C_14_a_state_as_andon_wrote_it_is_taken_as_it_is() -> None:
    told = {
        "current_phase": "phase2-sprint",
        "verified": [1],
        "lanes": [LANE],
        "convergence": {"pass_rate_history": [0.5]},
    }

    assert sound(told) == told


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fix_loop_count", "three"),
        ("verified", "all"),
        ("signatures", None),
        ("gate_results", [True]),
        ("convergence", {"pass_rate_history": ["x"]}),
        ("convergence", {"since": "now"}),
        ("sprint_status", 3),
    ],
)
def test_C_90_what_cannot_be_is_left_out(key: str, value: Any) -> None:
    assert sound({"run": "r1", key: value}) == {"run": "r1", "lanes": []}


@pytest.mark.parametrize("lane", [1, {}, {**LANE, "name": "../../home"}, {**LANE, "tree": None}, {"name": "todo-1"}])
def test_C_90_a_lane_that_cannot_be_is_left_out(lane: Any) -> None:
    assert sound({"lanes": [lane, LANE]})["lanes"] == [LANE]
