"""What of a Python project lint, test, build and typecheck run: as the project itself does it, else as is usual."""

from __future__ import annotations

from dataclasses import replace

from andon.checks.facts import Python
from andon.checks.goal_parts import TESTS_FIRST, not_needed, runs
from andon.domain.goal import Goal

ERRORS = "E9,F63,F7,F82"
"""What counts where nobody lints: what cannot be meant. Style is a project's own business, and ruff's changes."""


def python_goal(name: str, python: Python) -> Goal:
    if not python.has_code and name != "build":
        return not_needed(name, "no Python code")
    if name == "test":
        return _test(python)
    if name == "build":
        if python.build_requires is None:
            return not_needed("build", "pyproject.toml has no [build-system]")
        return runs("build", "uv", "build", "--wheel", "--no-build-isolation", "--offline")
    if habit := python.habits.get(name):
        return Goal(name, habit.commands) if habit.commands else not_needed(name, f"andon does not run {habit.place}")
    return _lint(python) if name == "lint" else _typecheck(python)


def _test(python: Python) -> Goal:
    if not python.has_tests:
        return not_needed("test", "no tests found", TESTS_FIRST)
    return runs("test", "pytest", "tests/", "-v") if python.tests_folder else runs("test", "pytest", "-v")


def _lint(python: Python) -> Goal:
    place = "src/" if python.src_layout else "."
    if python.ruff:
        return runs("lint", "ruff", "check", place)
    return replace(runs("lint", "ruff", "check", place, "--select", ERRORS), ours=True)


def _typecheck(python: Python) -> Goal:
    if not python.mypy:
        only_pyright = "; pyright is configured, which andon does not run" if python.pyright else ""
        return not_needed("typecheck", f"mypy is not configured{only_pyright}")
    targets = () if python.mypy_names_files else ("src/" if python.src_layout else ".",)
    return replace(runs("typecheck", "mypy", *targets), ours=True)
