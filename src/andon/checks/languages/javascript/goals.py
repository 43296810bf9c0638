"""What of a Node or TypeScript project lint, test, build and typecheck run. Runs nothing itself."""

from __future__ import annotations

from collections.abc import Callable

from andon.checks.facts import Node
from andon.checks.goal_parts import TESTS_FIRST, not_needed, runs
from andon.domain.goal import Goal

PLACEHOLDER_TEST = "no test specified"


def _node_lint(node: Node) -> Goal:
    if not node.eslint:
        return not_needed("lint", "eslint is not configured")
    return runs("lint", "npx", "--no-install", "eslint", ".")


def _node_test(node: Node) -> Goal:
    script = node.scripts.get("test", "")
    if script and PLACEHOLDER_TEST not in script:
        return runs("test", "npm", "test", "--silent")
    # A runner without a test script: people start it through npx.
    if node.runner == "jest":
        return runs("test", "npx", "--no-install", "jest")
    if node.runner == "vitest":
        return runs("test", "npx", "--no-install", "vitest", "run")
    return not_needed("test", "no tests found: package.json has no test script", TESTS_FIRST)


def _node_build(node: Node) -> Goal:
    if not node.scripts.get("build"):
        return not_needed("build", "package.json has no build script")
    return runs("build", "npm", "run", "build")


def _node_typecheck(node: Node) -> Goal:
    if not node.typescript:
        return not_needed("typecheck", "no tsconfig.json")
    return runs("typecheck", "npx", "--no-install", "tsc", "--noEmit")


NODE: dict[str, Callable[[Node], Goal]] = {
    "lint": _node_lint,
    "test": _node_test,
    "build": _node_build,
    "typecheck": _node_typecheck,
}
