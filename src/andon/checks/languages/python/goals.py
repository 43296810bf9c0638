"""What of a Python project lint, test, build and typecheck run. Runs nothing itself."""

from __future__ import annotations

from collections.abc import Callable

from andon.checks.facts import Python
from andon.checks.goal_parts import TESTS_FIRST, not_needed, runs
from andon.domain.goal import Goal

ERRORS = "E4,E7,E9,F"
"""What counts where nobody has chosen rules: mistakes. Style is a project's own business, and ruff's changes."""


def _python_lint(python: Python) -> Goal:
    if not python.has_code:
        return not_needed("lint", "no Python code")
    chosen = () if python.ruff else ("--select", ERRORS)
    return runs("lint", "ruff", "check", "src/" if python.src_layout else ".", *chosen)


def _python_test(python: Python) -> Goal:
    if not python.has_tests:
        return (
            not_needed("test", "no tests found", TESTS_FIRST)
            if python.has_code
            else not_needed("test", "no Python code")
        )
    return runs("test", "pytest", "tests/", "-v") if python.tests_folder else runs("test", "pytest", "-v")


def _python_build(python: Python) -> Goal:
    if python.build_requires is None:
        return not_needed("build", "pyproject.toml has no [build-system]")
    return runs("build", "uv", "build", "--wheel", "--no-build-isolation", "--offline")


def _python_typecheck(python: Python) -> Goal:
    if not python.mypy:
        only_pyright = "; pyright is configured, which andon does not run" if python.pyright else ""
        return not_needed("typecheck", f"mypy is not configured{only_pyright}")
    if not python.has_code:
        return not_needed("typecheck", "no Python code")
    targets = () if python.mypy_names_files else ("src/" if python.src_layout else ".",)
    return runs("typecheck", "mypy", *targets)


PYTHON: dict[str, Callable[[Python], Goal]] = {
    "lint": _python_lint,
    "test": _python_test,
    "build": _python_build,
    "typecheck": _python_typecheck,
}
