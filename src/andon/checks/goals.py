"""The six goals a run is measured by, planned from facts about the project, in a fixed order.

Decides what would be run, and why not. Runs nothing; no command here may modify what it measures.
"""

from __future__ import annotations

from collections.abc import Callable

from andon.checks.facts import Node, Project, Python
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict

PLACEHOLDER_TEST = "no test specified"


def plan_goals(project: Project, *, custom: str | None, interactive: bool) -> tuple[Goal, ...]:
    planned = {name: _combined(name, project) for name in ("lint", "test", "build", "typecheck")}
    return (*planned.values(), _custom(custom, planned), _interactive(interactive))


def _not_needed(name: str, reason: str) -> Goal:
    return Goal(name, settled=Verdict.NOT_NEEDED, reason=reason)


def _run(name: str, *argv: str) -> Goal:
    return Goal(name, commands=(argv,))


def _combined(name: str, project: Project) -> Goal:
    """One goal out of what each language of the repository needs."""
    parts: list[Goal] = []
    if project.python:
        parts.append(PYTHON[name](project.python))
    if project.node:
        broken = project.problem_with("package.json")
        parts.append(_broken(name, broken) if broken else NODE[name](project.node))
    if not parts:
        return _not_needed(name, "neither a Python nor a Node project")
    unmeasured = next((part for part in parts if part.settled is Verdict.NOT_MEASURED), None)
    if unmeasured:
        return unmeasured
    commands = tuple(command for part in parts for command in part.commands)
    reasons = "; ".join(part.reason for part in parts if part.reason)
    return Goal(name, commands) if commands else _not_needed(name, reasons)


def _broken(name: str, problem: str) -> Goal:
    return Goal(name, settled=Verdict.NOT_MEASURED, reason=problem, fix="mend package.json")


def _python_lint(python: Python) -> Goal:
    if not python.has_code:
        return _not_needed("lint", "no Python code")
    return _run("lint", "ruff", "check", "src/" if python.src_layout else ".")


def _python_test(python: Python) -> Goal:
    if not python.has_tests:
        return _not_needed("test", "no tests found" if python.has_code else "no Python code")
    return _run("test", "pytest", "tests/", "-v") if python.tests_folder else _run("test", "pytest", "-v")


def _python_build(python: Python) -> Goal:
    if python.build_requires is None:
        return _not_needed("build", "pyproject.toml has no [build-system]")
    return _run("build", "uv", "build", "--wheel", "--no-build-isolation", "--offline")


def _python_typecheck(python: Python) -> Goal:
    if not python.mypy:
        only_pyright = "; pyright is configured, which andon does not run" if python.pyright else ""
        return _not_needed("typecheck", f"mypy is not configured{only_pyright}")
    if not python.has_code:
        return _not_needed("typecheck", "no Python code")
    targets = () if python.mypy_names_files else ("src/" if python.src_layout else ".",)
    return _run("typecheck", "mypy", *targets)


def _node_lint(node: Node) -> Goal:
    if not node.eslint:
        return _not_needed("lint", "eslint is not configured")
    return _run("lint", "npx", "--no-install", "eslint", ".")


def _node_test(node: Node) -> Goal:
    script = node.scripts.get("test", "")
    if script and PLACEHOLDER_TEST not in script:
        return _run("test", "npm", "test", "--silent")
    # A runner without a test script: people start it through npx.
    if node.runner == "jest":
        return _run("test", "npx", "--no-install", "jest")
    if node.runner == "vitest":
        return _run("test", "npx", "--no-install", "vitest", "run")
    return _not_needed("test", "no tests found: package.json has no test script")


def _node_build(node: Node) -> Goal:
    if not node.scripts.get("build"):
        return _not_needed("build", "package.json has no build script")
    return _run("build", "npm", "run", "build")


def _node_typecheck(node: Node) -> Goal:
    if not node.typescript:
        return _not_needed("typecheck", "no tsconfig.json")
    return _run("typecheck", "npx", "--no-install", "tsc", "--noEmit")


PYTHON: dict[str, Callable[[Python], Goal]] = {
    "lint": _python_lint,
    "test": _python_test,
    "build": _python_build,
    "typecheck": _python_typecheck,
}
NODE: dict[str, Callable[[Node], Goal]] = {
    "lint": _node_lint,
    "test": _node_test,
    "build": _node_build,
    "typecheck": _node_typecheck,
}


def _custom(pattern: str | None, planned: dict[str, Goal]) -> Goal:
    """A person's own success pattern, looked for in what the tests print, or else the build or the linter."""
    if not pattern:
        return _not_needed("custom", "only with --custom")
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
        return _not_needed("interactive", "only with --interactive")
    return _not_needed("interactive", "no interactive command is configured")
