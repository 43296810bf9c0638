"""Decides which test comes when, and which share a worker."""

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
    ("docs", "bench", "connect"),
    ("pipelines", "agents", "adversarial", "web", "app", "cli", "plugin"),
)
"""What fails most cheaply comes first: the shape of the code, rules, what does input and output, doors."""
ONE_WORKER = ("browser",)
"""Folders whose tests share one worker: two browsers would take turns on the same processors."""
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


def _parts(item: pytest.Item) -> tuple[str, ...]:
    return item.path.relative_to(TESTS).parts


def _shares(item: pytest.Item) -> bool:
    fixtures = getattr(item, "_fixtureinfo", None)
    known = fixtures.name2fixturedefs.values() if fixtures is not None else ()
    return any(each.scope == "module" for definitions in known for each in definitions)
