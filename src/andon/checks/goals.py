"""The six goals a run is measured by, planned from facts about the project, in a fixed order.

Decides what would be run, and why not. Runs nothing; no command here may modify what it measures.
"""

from __future__ import annotations

from andon.checks.facts import Project
from andon.checks.goal_parts import joined, not_measured, not_needed
from andon.checks.node_goals import NODE
from andon.checks.python_goals import PYTHON
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict


def plan_goals(project: Project, *, custom: str | None, interactive: bool) -> tuple[Goal, ...]:
    planned = {name: _combined(name, project) for name in ("lint", "test", "build", "typecheck")}
    return (*planned.values(), _custom(custom, planned), _interactive(interactive))


def _combined(name: str, project: Project) -> Goal:
    """One goal out of what each language of the repository needs."""
    parts: list[Goal] = []
    if project.python:
        parts.append(PYTHON[name](project.python))
    if project.node:
        broken = project.problem_with("package.json")
        parts.append(_broken(name, broken) if broken else NODE[name](project.node))
    if not parts:
        return not_needed(name, "neither a Python nor a Node project")
    return joined(name, parts)


def _broken(name: str, problem: str) -> Goal:
    return not_measured(name, problem, "mend package.json")


def _custom(pattern: str | None, planned: dict[str, Goal]) -> Goal:
    """A person's own success pattern, looked for in what the tests print, or else the build or the linter."""
    if not pattern:
        return not_needed("custom", "only with --custom")
    source = next((planned[name] for name in ("test", "build", "lint") if planned[name].commands), None)
    if source is None:
        return Goal(
            "custom",
            settled=Verdict.NOT_MEASURED,
            reason=f"nothing is run whose output could contain {pattern!r}",
            fix="add a test, or a build script that prints it",
            pattern=pattern,
        )
    return Goal("custom", commands=source.commands, pattern=pattern)


def _interactive(asked_for: bool) -> Goal:
    if not asked_for:
        return not_needed("interactive", "only with --interactive")
    return not_needed("interactive", "no interactive command is configured")
