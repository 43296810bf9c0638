"""Reads the facts of a Node or TypeScript project from package.json and the files beside it. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andon.checks.facts import Node
from andon.checks.languages.javascript.installers import lock_of
from andon.checks.reading import Unreadable, is_folder, read_bytes, read_table, strings, table

ESLINT_FILES = (
    *(f"eslint.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts", "cts")),
    *(f".eslintrc{ending}" for ending in ("", ".js", ".cjs", ".json", ".yml", ".yaml")),
)
SCRIPT_ENDINGS = ("js", "mjs", "cjs", "ts", "mts", "cts")
MOST_WORKSPACES = 200
DEPENDENCY_KINDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def detect_node(folder: Path) -> tuple[Node | None, tuple[Unreadable, ...]]:
    manifest = read_table(folder, "package.json")
    if manifest is None:
        return None, ()
    if isinstance(manifest, Unreadable):
        return Node(), (manifest,)
    names = _dependencies(manifest)
    scripts = {key: value for key, value in table(manifest.get("scripts")).items() if isinstance(value, str)}
    packages = _workspaces(manifest)
    everywhere = {*names, *(name for each in _manifests(folder, packages) for name in _dependencies(each))}
    return (
        Node(
            scripts=scripts,
            dependencies=names,
            lock=lock_of(folder),
            typescript=_exists(folder, "tsconfig.json"),
            eslint="eslintConfig" in manifest or any(_exists(folder, name) for name in ESLINT_FILES),
            runner=_runner(folder, scripts, names, manifest),
            react="react" in everywhere,
            next="next" in everywhere or _configured(folder, "next"),
            playwright="@playwright/test" in names or _configured(folder, "playwright"),
            workspaces=bool(packages) or _exists(folder, "pnpm-workspace.yaml"),
        ),
        (),
    )


def _dependencies(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(sorted({name for kind in DEPENDENCY_KINDS for name in table(manifest.get(kind))}))


def _workspaces(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Globs of the folders that a monorepo's packages are in."""
    declared = manifest.get("workspaces")
    return tuple(strings(declared) or strings(table(declared).get("packages")))


def _manifests(folder: Path, packages: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """The package.json of each workspace, as far as they can be read: for what a project is made with (X-13)."""
    for pattern in packages:
        if pattern.startswith(("/", "!")) or ".." in pattern:
            continue
        for path in sorted(folder.glob(f"{pattern.rstrip('/')}/package.json"))[:MOST_WORKSPACES]:
            found = read_table(folder, str(path.relative_to(folder)))
            if isinstance(found, Mapping):
                yield found


def _exists(folder: Path, path: str) -> bool:
    """Present in any form: a linked or oversized configuration still means the tool is meant to run."""
    return read_bytes(folder, path) is not None and not is_folder(folder, path)


def _configured(folder: Path, tool: str) -> bool:
    return any(_exists(folder, f"{tool}.config.{ending}") for ending in SCRIPT_ENDINGS)


def playwright_config(folder: Path) -> str:
    names = (f"playwright.config.{ending}" for ending in SCRIPT_ENDINGS)
    return next((name for name in names if _exists(folder, name)), "")


def _runner(folder: Path, scripts: Mapping[str, str], names: tuple[str, ...], manifest: Mapping[str, Any]) -> str:
    script = scripts.get("test", "")
    for runner in ("vitest", "jest"):
        if runner in script:
            return runner
    if "node" in script and "--test" in script:
        return "node"
    for runner in ("vitest", "jest"):
        if runner in names or runner in manifest or _configured(folder, runner):
            return runner
    return ""
