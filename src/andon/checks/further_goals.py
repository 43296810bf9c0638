"""What is measured besides the six goals: end-to-end tests and coverage. Planned from facts; runs nothing itself."""

from __future__ import annotations

from andon.checks.facts import Node, Project, Python
from andon.checks.goal_parts import joined, not_measured, not_needed, runs
from andon.domain.goal import Goal


def plan_further_goals(project: Project) -> tuple[Goal, ...]:
    """e2e, the same with its details, and coverage."""
    return (_e2e("e2e", "list", project), _e2e("e2e-details", "line", project), _coverage(project))


def _e2e(name: str, reporter: str, project: Project) -> Goal:
    if not project.playwright_config:
        return not_needed(name, "no Playwright configuration at the top of the repository")
    if project.node is None:
        return not_measured(name, f"{project.playwright_config} without a package.json", "npm init playwright")
    if problem := project.problem_with("package.json"):
        return not_measured(name, problem, "mend package.json")
    return runs(name, "npx", "--no-install", "playwright", "test", f"--reporter={reporter}")


def _coverage(project: Project) -> Goal:
    parts: list[Goal] = []
    if project.python:
        parts.append(_python_coverage(project.python))
    if project.node:
        problem = project.problem_with("package.json")
        broken = not_measured("coverage", problem, "mend package.json")
        parts.append(broken if problem else _node_coverage(project.node))
    return joined("coverage", parts) if parts else not_needed("coverage", "no tool here measures coverage")


def _python_coverage(python: Python) -> Goal:
    if not python.has_tests:
        return not_needed("coverage", "no Python tests found")
    if not python.pytest_cov:
        return not_needed("coverage", "pytest-cov is not among the project's dependencies")
    return runs("coverage", "pytest", "--cov", "--cov-report=term-missing")


def _node_coverage(node: Node) -> Goal:
    if node.runner == "jest" and "jest" in node.dependencies:
        return runs("coverage", "npx", "--no-install", "jest", "--coverage")
    if node.runner == "vitest" and any(name.startswith("@vitest/coverage-") for name in node.dependencies):
        return runs("coverage", "npx", "--no-install", "vitest", "run", "--coverage")
    return not_needed("coverage", "neither jest nor vitest with coverage is among the dependencies of package.json")
