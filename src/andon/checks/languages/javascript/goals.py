"""What of a JavaScript project lint, test, build and typecheck run: as its scripts do it, else as is usual.

A test script that lints or checks types first is taken apart: what fails there is no failed test.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from andon.checks.facts import Node
from andon.checks.goal_parts import TESTS_FIRST, not_needed, runs
from andon.domain.goal import Goal

PLACEHOLDER_TEST = "no test specified"
NPX = ("npx", "--no-install")
SCRIPTS = {
    "lint": ("lint", "lint:js", "eslint", "lint:ci", "lint:eslint", "lint:check", "check:lint"),
    "typecheck": ("typecheck", "type-check", "check-types", "types", "tsc", "check:types", "lint:types", "types:check"),
}
LINTERS = ("eslint", "xo", "standard", "oxlint", "jshint", "tslint")
TYPERS = ("tsc", "vue-tsc")
# What looks at the project without running its tests, or needs a network.
LOOKING = frozenset({
    *LINTERS, *TYPERS, "prettier", "biome", "dprint", "publint", "attw", "tsd", "dtslint", "ls-engines", "evalmd",
    "auto-changelog", "in-publish", "not-in-publish", "safe-publish-latest", "npmignore", "markdownlint", "cspell",
    "stylelint", "commitlint", "knip", "depcheck", "madge", "size-limit", "aud", "installed-check", "check-dts",
    "arethetypeswrong", "eclint",
})  # fmt: skip
_SHELL = re.compile(r"[|;&<>()$`*?~#\\]|^\w+=")
_CHANGES = re.compile(r"--(?:fix|write|watch)\b")
_RUNS = re.compile(r"(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)?(?: -s| --silent)? ([\w:.-]+)$")
_NETWORK = re.compile(r"\bnpm@|\baudit\b|\bnpm (?:pack|install|ci)\b")
DEEPEST = 4


def node_goal(name: str, node: Node) -> Goal:
    if name == "test":
        return _test(node)
    if name == "build":
        build = node.scripts.get("build")
        return (
            runs("build", "npm", "run", "build") if build else not_needed("build", "package.json has no build script")
        )
    if own := _own(name, node):
        return Goal(name, own)
    if name == "lint":
        return _ours("lint", "eslint", ".") if node.eslint else not_needed("lint", "eslint is not configured")
    if not node.typescript or "typescript" not in node.dependencies:
        missing = "no tsconfig.json" if not node.typescript else "typescript is not among the dependencies"
        return not_needed("typecheck", missing)
    return _ours("typecheck", "tsc", "--noEmit")


def _ours(name: str, *words: str) -> Goal:
    return replace(runs(name, *NPX, *words), ours=True)


def _own(name: str, node: Node) -> tuple[tuple[str, ...], ...]:
    """The commands of the project's script for it, as far as they look and change nothing."""
    tools = LINTERS if name == "lint" else TYPERS
    script = next((each for each in SCRIPTS[name] if each in node.scripts), "")
    parts = _parts(node, node.scripts.get(script, ""), 0) if script else ()
    parts = parts or [part for part in _whole_test(node) if _program(part) in tools]
    wanted = [part for part in parts if _program(part) in tools and not _CHANGES.search(part)]
    return tuple(dict.fromkeys(_command(part) for part in wanted))


def _test(node: Node) -> Goal:
    script = node.scripts.get("test", "")
    if script and PLACEHOLDER_TEST not in script:
        parts = _whole_test(node)
        needed = [part for part in parts if _program(part) not in LOOKING and not _NETWORK.search(part)]
        if needed and needed != parts:
            return Goal("test", tuple(map(_command, needed)))
        return runs("test", "npm", "test", "--silent")
    # A runner without a test script: people start it through npx.
    if node.runner == "jest":
        return runs("test", *NPX, "jest")
    if node.runner == "vitest":
        return runs("test", *NPX, "vitest", "run")
    return not_needed("test", "no tests found: package.json has no test script", TESTS_FIRST)


def _whole_test(node: Node) -> list[str]:
    """What `npm test` does, one command after the other, before and after the script itself."""
    scripts = (node.scripts.get(name, "") for name in ("pretest", "test", "posttest"))
    return [part for script in scripts for part in _parts(node, script, 0)]


def _parts(node: Node, script: str, depth: int) -> list[str]:
    """Commands that have to succeed one after the other; what another script is called for stands in its place."""
    return list(_unfolded(node, script, depth)) if script else []


def _unfolded(node: Node, script: str, depth: int) -> Iterator[str]:
    for part in (each.strip() for each in script.split("&&")):
        called = _RUNS.match(part)
        name = called[1] if called else ""
        if name in node.scripts and depth < DEEPEST and name != "build" and "build" not in name:
            for each in (f"pre{name}", name, f"post{name}"):
                yield from _parts(node, node.scripts.get(each, ""), depth + 1)
        elif part:
            yield part


def _program(part: str) -> str:
    words = part.split()
    while words and (words[0] in ("npx", "--no-install", "--no", "cross-env", "-y", "--yes") or "=" in words[0]):
        words = words[1:]
    return words[0].rpartition("/")[2].partition("@")[0] if words else ""


def _command(part: str) -> tuple[str, ...]:
    """As words; or for the shell that npm itself uses, where only a shell understands them."""
    try:
        words = tuple(shlex.split(part))
    except ValueError:
        words = ()
    if not words or _SHELL.search(part):
        return (*NPX, "-c", part)
    if words[0] in ("node", "npm", "pnpm", "yarn", "bun"):
        return words
    return (*NPX, *(words[1:] if words[0] == "npx" else words))
