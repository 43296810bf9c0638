"""Rules that andon finds broken in a diff: what counts as a lost test, and what makes work the same work."""

from __future__ import annotations

from typing import Any, cast

import pytest

from andon.domain.auto.options import Request
from andon.domain.auto.times import Times
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.rules import _digest, lost_tests
from andon.ports import Change

PLAN = "## Affected files\n- `tests/test_gone.py` is replaced\n"
DIFF = "diff --git a/src/a.py b/src/a.py\n+x = 1\n"
DOCUMENT = "diff --git a/docs/03-check/f.check.json b/docs/03-check/f.check.json\n+{}\n"


def cycle(plan: str = "") -> Cycle:
    return Cycle(cast("Any", None), Request("t"), "f", Language.EN, AutoLimits(), Times(), plan=plan)


@pytest.mark.parametrize(
    ("plan", "path", "lost"),
    [
        ("", "tests/test_gone.py", True),
        (PLAN, "tests/test_gone.py", False),  # declared
        (PLAN, "tests/test_other.py", True),
        ("", "src/gone.py", False),
    ],
)
def test_A_84_a_deleted_test_is_lost_unless_the_plan_names_it(plan: str, path: str, lost: bool) -> None:
    assert bool(lost_tests(cycle(plan), (Change(path, "deleted"),))) is lost


def test_a_verdict_is_about_the_work_and_not_about_andons_own_documents() -> None:
    assert _digest(DIFF) == _digest(DOCUMENT + DIFF)
    assert _digest(DIFF) != _digest(DIFF.replace("1", "2"))
