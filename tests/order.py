"""Decides which test comes when, which share a worker, and which are the heart that `make test-fast` runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
STAGES: Sequence[Sequence[str]] = (
    ("test_architecture.py", "test_house.py", "test_spec.py"),
    ("domain", "roles"),
    ("model_server", "processes", "workspace", "memory", "runtimes", "teamify", "checks", "engine"),
    # Doors. Those with the longest chains come first, so that no worker is left alone with one at the end.
    ("browser",),
    ("chaos",),
    ("docs", "bench", "wild", "connect"),
    ("pipelines", "agents", "adversarial", "web", "app", "cli", "plugin"),
)
"""What fails most cheaply comes first: the shape of the code, rules, what does input and output, doors."""
ONE_WORKER = ("browser",)
"""Folders whose tests share one worker: two browsers would take turns on the same processors."""
HEART = (
    # The shape of the code, rules, what does input and output.
    *("test_architecture.py", "test_house.py", "test_spec.py", "domain", "roles", "model_server", "processes"),
    *("workspace", "memory", "runtimes", "checks", "engine", "plugin"),
    # auto: a LIGHT run, one whose checks fail first, one whose checks never pass
    "pipelines/test_doing.py::test_A_68_S_01",
    "pipelines/test_qa_cycles.py::test_A_99_A_100_S_02",
    "pipelines/test_qa_cycles.py::test_A_107_S_05_S_11",
    "pipelines/test_uam_fixing.py",
    "pipelines/test_tasks.py",
    "pipelines/test_team_run.py::test_B_2",
    "pipelines/test_team_run.py::test_B_53",
    "cli/test_verifying.py::test_a_fine_change",
    "cli/test_verifying.py::test_a_skipped_test",
    "cli/test_verifying.py::test_a_person_accepts",
    "cli/test_refusals.py",
    "cli/test_mcp.py::test_a_program_starts_a_run",
    "web/test_gate.py",
    "web/test_pages.py",
    "web/test_api.py::test_D_111",
)
"""Folders, files, or beginnings of tests: what every door is for, in under two minutes."""
NOT_HEART = (
    *("checks/results/test_script_reporters.py", "checks/results/test_channel.py", "checks/test_end_to_end.py"),
    *("checks/verifying/test_literals.py", "checks/test_further_goals.py", "engine/test_two_machines.py"),
    *("engine/test_ledger.py", "engine/test_uam_sprint.py", "engine/test_durable.py", "engine/test_task_phases.py"),
    *("engine/test_parked.py", "engine/test_rework.py", "memory/test_mcp.py", "runtimes/test_acp_client.py"),
    *("workspace/test_kill.py", "pipelines/test_tasks.py::test_D_35_code"),
)
"""Of these folders and files: what takes longest."""
ONE_IN_TWELVE = "adversarial"
"""Folder of cheats and honest changes: every twelfth belongs to the heart."""
_STAGE = {name: stage for stage, names in enumerate(STAGES) for name in names}


def arrange(items: list[pytest.Item]) -> None:
    """Sort tests by stage, and keep those together that share what their module makes: it is then made once."""
    items.sort(key=lambda item: _STAGE.get(_parts(item)[0], len(STAGES)))
    for item in items:
        folder, *rest = _parts(item)
        if folder in ONE_WORKER:
            item.add_marker(pytest.mark.xdist_group(folder))
        elif item.get_closest_marker("xdist_group") is None and _shares(item):
            item.add_marker(pytest.mark.xdist_group("/".join((folder, *rest))))


def mark_heart(items: list[pytest.Item]) -> None:
    """Mark what `pytest -m heart` selects."""
    drawn = 0
    for item in items:
        place = f"{'/'.join(_parts(item))}::{item.name}"
        if place.startswith(ONE_IN_TWELVE):
            drawn += 1
        heart = drawn % 12 == 1 if place.startswith(ONE_IN_TWELVE) else place.startswith(HEART)
        if heart and not place.startswith(NOT_HEART) and item.get_closest_marker("postgres") is None:
            item.add_marker("heart")


def _parts(item: pytest.Item) -> tuple[str, ...]:
    return item.path.relative_to(TESTS).parts


def _shares(item: pytest.Item) -> bool:
    fixtures = getattr(item, "_fixtureinfo", None)
    known = fixtures.name2fixturedefs.values() if fixtures is not None else ()
    return any(each.scope == "module" for definitions in known for each in definitions)
