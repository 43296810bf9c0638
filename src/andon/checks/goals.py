"""The six goals a run is measured by, planned from facts about the project, in a fixed order.

Decides what would be run, and why not. Runs nothing; no command here may modify what it measures.
"""

from __future__ import annotations

from collections.abc import Iterator

from andon.checks.facts import Make, Project
from andon.checks.goal_parts import joined, not_measured, not_needed
from andon.checks.interactive import plan_interactive
from andon.checks.languages.go.goals import go_goal
from andon.checks.languages.java.goals import java_goal
from andon.checks.languages.java.project import GRADLE_FILES
from andon.checks.languages.javascript.goals import node_goal
from andon.checks.languages.python.goals import python_goal
from andon.checks.languages.rust.goals import rust_goal
from andon.checks.machine import Machine
from andon.checks.make_project import MAKEFILES, make_goal
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict

LANGUAGES = "a Python, Node, Go, Rust or Java project, nor a Makefile"
NO_MACHINE = Machine()


def plan_goals(
    project: Project,
    *,
    custom: str | None,
    interactive: bool,
    machine: Machine = NO_MACHINE,
    interactive_command: str = "",
) -> tuple[Goal, ...]:
    planned = {name: _combined(name, project, machine) for name in ("lint", "test", "build", "typecheck")}
    return (*planned.values(), _custom(custom, planned), plan_interactive(interactive, interactive_command, machine))


def _combined(name: str, project: Project, machine: Machine) -> Goal:
    """One goal out of what each language of the repository needs; a Makefile answers what no language does."""
    parts = list(_parts(name, project, machine))
    goal = joined(name, parts) if parts else None
    if project.make and (goal is None or goal.settled is Verdict.NOT_NEEDED):
        made = _make(name, project, project.make)
        return made if goal is None or made.settled is not Verdict.NOT_NEEDED else goal
    return goal or not_needed(name, f"neither {LANGUAGES}")


def _parts(name: str, project: Project, machine: Machine) -> Iterator[Goal]:
    if project.python:
        yield python_goal(name, project.python)
    if project.node:
        yield _broken(name, project, "package.json") or node_goal(name, project.node)
    if project.go:
        yield _broken(name, project, "go.mod", "go.work") or go_goal(name, project.go)
    if project.rust:
        yield _broken(name, project, "Cargo.toml") or rust_goal(name, project.rust, clippy=machine.clippy)
    if project.java:
        yield _broken(name, project, "pom.xml", *GRADLE_FILES) or java_goal(name, project.java)


def _make(name: str, project: Project, make: Make) -> Goal:
    return (project.only_make and _broken(name, project, *MAKEFILES)) or make_goal(name, make)


def _broken(name: str, project: Project, *manifests: str) -> Goal | None:
    """A manifest that cannot be read leaves open what there is to measure."""
    for manifest in manifests:
        if problem := project.problem_with(manifest):
            return not_measured(name, problem, f"mend {manifest}")
    return None


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
