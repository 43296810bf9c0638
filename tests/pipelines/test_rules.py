"""Rules that andon finds broken in a diff: what counts as a lost test, and what makes work the same work."""

from __future__ import annotations

from typing import Any, cast

import pytest

from andon.domain.auto.options import Request
from andon.domain.auto.times import Times
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.rules import _declared, _digest, lost_tests
from andon.ports import Change

PLAN = "## Affected files\n- `tests/test_gone.py` is replaced\n"
DIFF = "diff --git a/src/a.py b/src/a.py\n+x = 1\n"
DOCUMENT = "diff --git a/docs/03-check/f.check.json b/docs/03-check/f.check.json\n+{}\n"


def cycle(plan: str = "", task: str = "t") -> Cycle:
    return Cycle(cast("Any", None), Request(task), "f", Language.EN, AutoLimits(), Times(), plan=plan)


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


@pytest.mark.parametrize(
    ("plan", "task", "change", "declared"),
    [
        ("- `ruff.toml`", "t", Change("ruff.toml", "modified"), True),
        ("- `src/a.py`", "t", Change("ruff.toml", "modified"), False),
        ("- `pyproject.toml`: add httpx", "t", Change("pyproject.toml", "modified"), False),
        ("- `pyproject.toml`: add httpx", "Make ruff stricter", Change("pyproject.toml", "modified"), True),
        ("- `pyproject.toml`: ruff reads `src/`", "t", Change("pyproject.toml", "modified"), True),
        ("- `src/a.py`", "Make ruff stricter", Change("pyproject.toml", "modified"), False),
        ("- `packages/api/` (new)", "t", Change("packages/api/tsconfig.json", "added"), True),
        ("- `packages/api/` (new)", "t", Change("packages/api/package.json", "added"), True),
        ("- `packages/api/` (new)", "t", Change("packages/api/tsconfig.json", "modified"), False),
        ("- `packages/api/`", "t", Change("packages/api/tsconfig.json", "added"), False),
        ("- `packages/api/` (new)", "t", Change("packages/web/tsconfig.json", "added"), False),
        ("- `packages/api/` (new)", "t", Change("packages/api/.gitignore", "added"), False),
        ("- `src/` (new)", "t", Change("src/ruff.toml", "added"), False),  # the folder was there before
    ],
)
def test_A_79_settings_change_unseen_only_where_the_plan_says_so(
    plan: str, task: str, change: Change, declared: bool
) -> None:
    changes = (change, Change("src/a.py", "modified"))

    assert _declared(cycle(f"## Affected files\n{plan}\n", task), change, changes) is declared


def test_a_verdict_is_about_the_work_and_not_about_andons_own_documents() -> None:
    assert _digest(DIFF) == _digest(DOCUMENT + DIFF)
    assert _digest(DIFF) != _digest(DIFF.replace("1", "2"))
