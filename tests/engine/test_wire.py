"""Goals and results survive the way into a recorded step and back, whatever is in them."""

from __future__ import annotations

import json
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.engine import wire

TEXTS = st.text(st.characters(codec=None), max_size=20)
WORDS = st.lists(TEXTS, max_size=4).map(tuple)
NUMBERS = st.floats(0, 1e9)
GOALS = st.builds(
    Goal,
    TEXTS,
    st.lists(WORDS, max_size=3).map(tuple),
    st.none() | st.sampled_from(Verdict),
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    st.booleans(),
)
RESULTS = st.builds(
    CheckResult,
    TEXTS,
    st.sampled_from(Verdict),
    reason=TEXTS,
    command=WORDS,
    tree=TEXTS,
    exit_code=st.none() | st.integers(-255, 255),
    seconds=NUMBERS,
    sandbox=TEXTS,
    environment=TEXTS,
    output=TEXTS,
    output_digest=TEXTS,
    truncated=st.booleans(),
    signatures=WORDS,
    exits=st.lists(st.none() | st.integers(-255, 255), max_size=3).map(tuple),
    findings=st.lists(st.builds(Finding, TEXTS, TEXTS, st.integers(0, 10**6), TEXTS, TEXTS), max_size=3).map(tuple),
    tests=st.dictionaries(TEXTS, st.integers(0, 10**6), max_size=3),
    failing=WORDS,
    environment_error=st.booleans(),
)


@given(GOALS)
def test_a_goal_comes_back_equal(goal: Goal) -> None:
    assert wire.goal_from_json(json.loads(json.dumps(wire.goal_to_json(goal)))) == goal


@given(RESULTS)
def test_a_result_comes_back_equal(result: CheckResult) -> None:
    assert wire.result_from_json(json.loads(json.dumps(wire.result_to_json(result)))) == result


def test_the_samples_cover_every_field() -> None:
    """A field added later must be added here too, and then to wire.py."""
    known = ["name", "commands", "settled", "reason", "fix", "pattern", "stdin", "like", "ours"]
    assert [field.name for field in fields(Goal)] == known
    assert len(fields(CheckResult)) == 18
