"""What of a Go project lint, test, build and typecheck run. Runs nothing itself."""

from __future__ import annotations

from andon.checks.facts import Go
from andon.checks.goal_parts import not_needed, runs
from andon.domain.goal import Goal


def go_goal(name: str, go: Go) -> Goal:
    packages = tuple("./..." if module == "." else f"./{module}/..." for module in go.modules)
    if name == "typecheck":
        return not_needed(name, "Go's build checks types")
    if not go.has_code:
        return not_needed(name, "no Go code")
    if name == "test":
        # -v: without it, tests that were all skipped look like tests that passed.
        return runs(name, "go", "test", "-v", *packages) if go.has_tests else not_needed(name, "no tests found")
    return runs(name, "go", "vet" if name == "lint" else "build", *packages)
