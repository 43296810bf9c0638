"""The programs that make node_modules: npm, pnpm, yarn of both kinds and bun, each with its own lock file.

All but npm come from the registry, in the version that the project asks for. Runs nothing but that download.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from andon.checks.building import Site, Workshop, digest_of, failed
from andon.checks.languages.javascript.node import SYSTEM_PATH, NodeProgram
from andon.checks.prepared import NotPrepared
from andon.checks.reading import LOCK_BYTES, is_present, read_table, read_text, table

_ASKED = re.compile(r"(npm|pnpm|yarn|bun)@(\d+(?:\.\d+)*)")
_PNPM = {"5": "7", "6": "8"}
_BERRY = {"4": "2", "5": "3", "6": "3", "7": "3", "8": "4.9"}
"""Which version of the program writes which version of its lock file; any other is the newest's."""
YARN_SETTINGS = ("npmRegistryServer", "catalog", "catalogs", "packageExtensions", "supportedArchitectures")


@dataclass(frozen=True, slots=True)
class Installer:
    name: str
    lock: str
    frozen: tuple[str, ...]
    """Just what the lock file says."""
    lenient: tuple[str, ...] = ()
    """The same, where the lock file is not quite what the manifests say."""
    quiet: tuple[str, ...] = ()
    package: str = ""
    """Where the registry has it; npm comes with Node.js."""
    version: str = ""
    name_told: str = ""
    """What it went by, where that is no lock file."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    def environ(self, cache: str, machine: Mapping[str, str]) -> dict[str, str]:
        registry = machine.get("npm_config_registry") or machine.get("NPM_CONFIG_REGISTRY") or ""
        own = {"YARN_NPM_REGISTRY_SERVER": registry} if registry and self.name == "yarn" else {}
        return {name: value.replace("CACHE", cache) for name, value in self.variables.items()} | own


NPM = Installer(
    "npm",
    "package-lock.json",
    ("ci", "--ignore-scripts"),
    ("ci", "--ignore-scripts", "--legacy-peer-deps"),
    ("--no-audit", "--no-fund", "--no-update-notifier", "--no-progress"),
    variables={"npm_config_cache": "CACHE"},
)
PNPM = Installer(
    "pnpm",
    "pnpm-lock.yaml",
    ("install", "--frozen-lockfile", "--ignore-scripts"),
    ("install", "--no-frozen-lockfile", "--ignore-scripts"),
    ("--config.confirmModulesPurge=false", "--config.manage-package-manager-versions=false", "--reporter=append-only"),
    "pnpm",
    variables={"npm_config_store_dir": "CACHE", "XDG_DATA_HOME": "CACHE", "XDG_CACHE_HOME": "CACHE", "CI": "1"},
)
YARN = Installer(
    "yarn",
    "yarn.lock",
    ("install", "--frozen-lockfile", "--ignore-scripts"),
    ("install", "--ignore-scripts", "--ignore-engines"),
    ("--non-interactive", "--no-progress"),
    "yarn",
    "1",
    variables={"YARN_CACHE_FOLDER": "CACHE"},
)
BERRY = Installer(
    "yarn",
    "yarn.lock",
    ("install", "--immutable", "--mode=skip-build"),
    ("install", "--no-immutable", "--mode=skip-build"),
    (),
    "@yarnpkg/cli-dist",
    "4",
    variables={
        "YARN_NODE_LINKER": "node-modules",
        "YARN_ENABLE_GLOBAL_CACHE": "false",
        "YARN_CACHE_FOLDER": "CACHE",
        "YARN_GLOBAL_FOLDER": "CACHE",
        "YARN_ENABLE_TELEMETRY": "0",
        "YARN_ENABLE_HARDENED_MODE": "0",
        "YARN_UNSAFE_HTTP_WHITELIST": "*",
        "YARN_IGNORE_PATH": "1",
    },
)
BUN = Installer(
    "bun",
    "bun.lock",
    ("install", "--frozen-lockfile", "--ignore-scripts"),
    ("install", "--ignore-scripts"),
    (),
    "bun",
    "1",
    variables={"BUN_INSTALL_CACHE_DIR": "CACHE"},
)
LOCKS = {
    "npm-shrinkwrap.json": replace(NPM, lock="npm-shrinkwrap.json"),
    "package-lock.json": NPM,
    "pnpm-lock.yaml": PNPM,
    "yarn.lock": YARN,
    "bun.lock": BUN,
}


def lock_of(tree: Path) -> str:
    """The lock file of the program that package.json names, or the first that is there."""
    asked = _ASKED.match(str(table(read_table(tree, "package.json")).get("packageManager", "")))
    found = [name for name in (*LOCKS, "bun.lockb") if is_present(tree, name)]
    own = [name for name in found if asked and name in LOCKS and LOCKS[name].name == asked[1]]
    return next(iter((*own, *found)), "")


def installer_of(tree: Path) -> Installer:
    asked = _ASKED.match(str(table(read_table(tree, "package.json")).get("packageManager", "")))
    name = lock_of(tree)
    found = LOCKS.get(name, NPM)
    version = asked[2] if asked and asked[1] == found.name else ""
    lock = read_text(tree, name, limit=LOCK_BYTES) if name else ""
    lock = lock if isinstance(lock, str) else ""
    if found is PNPM:
        return replace(found, version=version or _wrote(_PNPM, r"lockfileVersion: '?(\d+)", lock, "10"))
    if found is YARN and ("__metadata:" in lock or version[:1] > "1"):
        return replace(
            BERRY,
            version=version or _wrote(_BERRY, r"__metadata:\s+version: (\d+)", lock, "4"),
            settings=_yarn_settings(tree),
        )
    return replace(found, version=version or found.version) if found.package else found


def _wrote(versions: Mapping[str, str], pattern: str, lock: str, newest: str) -> str:
    told = re.search(pattern, lock)
    return versions.get(told[1] if told else "", newest)


def _yarn_settings(tree: Path) -> dict[str, str]:
    """Neither plugins nor a program of the repository's own: those would be code."""
    text = read_text(tree, ".yarnrc.yml")
    try:
        told = table(yaml.safe_load(text) if isinstance(text, str) else None)
    except (yaml.YAMLError, ValueError, RecursionError):
        told = table(None)
    kept = {key: told[key] for key in YARN_SETTINGS if key in told}
    return {".yarnrc.yml": json.dumps(kept)} if kept else {}


async def fetched(workshop: Workshop, installer: Installer, node: NodeProgram) -> Path | NotPrepared | None:
    """The program; None for npm, which is there."""
    if not installer.package:
        return None

    async def fetch(site: Site) -> NotPrepared | None:
        cache = str(site.made / "cache")
        what = f"{installer.package}@{installer.version}"
        scripts = () if installer.name == BUN.name else ("--ignore-scripts",)
        words = (node.npm, "install", "--no-save", "--no-audit", "--no-fund", "--cache", cache, *scripts, what)
        env = {"PATH": f"{node.folder}:{SYSTEM_PATH}"}
        step = await site.run("program", words, cwd=site.made, env=env, readable=node.readable, code_runs=not scripts)
        return None if step.ok else failed(step, f"installing {what}", f"npm install --global {what}")

    made = await workshop.made(digest_of("installer", installer.package, installer.version, node.version), fetch)
    return made if isinstance(made, NotPrepared) else made / "node_modules" / ".bin" / installer.name
