"""Builds a Node project's environment: node_modules from npm's lock file, or from one that is made once and frozen.

The project's own scripts never run here; packages' install scripts run after, and apart from, the downloads.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.checks.building import Site, Workshop, digest_of, failed
from andon.checks.facts import Node, Project
from andon.checks.prepared import NotPrepared
from andon.checks.reading import LOCK_BYTES, is_folder, read_table, read_text, source_files
from andon.processes import readable_for, run

SECONDS = 60.0
# Some tools keep caches inside node_modules and fail when they cannot.
WRITTEN_BY_TOOLS = (".cache", ".vite", ".vite-temp", ".vitest")
KEPT_KEYS = (
    *("name", "version", "type", "workspaces", "overrides", "engines", "bundleDependencies", "peerDependenciesMeta"),
    *("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bin"),
)
_NPMRC_LINE = re.compile(r"\s*(?:registry|@[\w.-]+:registry|legacy-peer-deps|install-strategy|install-links)\s*=")
_QUIET = ("--no-audit", "--no-fund", "--no-update-notifier", "--no-progress")
PACKAGES = 500


@dataclass(frozen=True, slots=True)
class NodeProgram:
    program: Path
    npm: str
    version: str

    @property
    def folder(self) -> str:
        return str(self.program.parent)

    @property
    def readable(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*readable_for(self.program), *readable_for(self.npm))))


@dataclass(frozen=True, slots=True)
class NodeBuilt:
    digest: str
    lock: str
    linked: tuple[tuple[str, str], ...]
    scratch: tuple[str, ...]


async def find_node(folder: Path, environ: Mapping[str, str]) -> NodeProgram | NotPrepared:
    """The real programs behind whatever shims PATH leads to."""
    path = environ.get("PATH")
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not node or not npm:
        missing = "node" if not node else "npm"
        return NotPrepared(
            f"{missing} is not installed", "install Node.js from https://nodejs.org", environment_error=True
        )
    env = {name: environ[name] for name in ("PATH", "HOME") if name in environ}
    asking = (node, "-p", "JSON.stringify([process.execPath, process.version])")
    asked = await asyncio.to_thread(run, asking, cwd=folder, env=env, seconds=SECONDS)
    try:
        program, version = json.loads(asked.stdout)
    except ValueError:
        return NotPrepared(f"{node} does not run", "install Node.js from https://nodejs.org", environment_error=True)
    beside = Path(program).with_name("npm")
    return NodeProgram(Path(program).resolve(), str(beside) if beside.exists() else npm, version)


def playwright_browsers(environ: Mapping[str, str]) -> str | None:
    """The folder of the browsers that Playwright downloaded for this person; andon downloads none."""
    own = environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    home = environ.get("HOME", "")
    folder = Path(own) if own.startswith("/") else Path(home, ".cache/ms-playwright")
    return str(folder) if folder.is_absolute() and folder.is_dir() else None


async def build_node(
    workshop: Workshop, tree: Path, project: Project, node: NodeProgram, frozen: str | None
) -> NodeBuilt | NotPrepared:
    facts = project.node or Node()
    problem = project.problem_with("package.json")
    if problem:
        return NotPrepared(problem, "mend package.json")
    if facts.lock and facts.lock.problem:
        return NotPrepared(facts.lock.problem, facts.lock.fix, environment_error=True)
    if not facts.dependencies and not facts.workspaces:
        return NodeBuilt(digest_of("node", node.version), "", (), ())
    files = _manifests(tree)
    lock = frozen if frozen is not None else await _lock(workshop, tree, facts, files, node)
    if isinstance(lock, NotPrepared):
        return lock
    digest = digest_of("node", files, lock, node.version)
    made = await workshop.made(digest, lambda site: _install(site, files, lock, node))
    if isinstance(made, NotPrepared):
        return made
    folders = [path.removesuffix("package.json") + "node_modules" for path in files if path.endswith("package.json")]
    linked = tuple((str(made / "project" / path), path) for path in folders if is_folder(made, f"project/{path}"))
    return NodeBuilt(digest, lock, linked, tuple(f"{path}/{name}" for _, path in linked for name in WRITTEN_BY_TOOLS))


def _manifests(tree: Path) -> dict[str, str]:
    """Every package.json without its scripts, and of .npmrc what says where packages come from."""
    files: dict[str, str] = {}
    for path in [path for path in source_files(tree) if path.rpartition("/")[2] == "package.json"][:PACKAGES]:
        manifest = read_table(tree, path)
        if isinstance(manifest, Mapping):
            files[path] = json.dumps({key: manifest[key] for key in KEPT_KEYS if key in manifest}, sort_keys=True)
    settings = read_text(tree, ".npmrc")
    if isinstance(settings, str):
        files[".npmrc"] = "".join(f"{line}\n" for line in settings.splitlines() if _NPMRC_LINE.match(line))
    return files


async def _lock(
    workshop: Workshop, tree: Path, facts: Node, files: Mapping[str, str], node: NodeProgram
) -> str | NotPrepared:
    """The project's own lock file, or one made for these manifests once and for all."""
    if facts.lock:
        text = read_text(tree, facts.lock.path, limit=LOCK_BYTES)
        return text if isinstance(text, str) else NotPrepared(f"{facts.lock.path} cannot be read", "npm install")
    made = await workshop.made(digest_of("locked", files, node.version), lambda site: _resolve(site, files, node))
    if isinstance(made, NotPrepared):
        return made
    text = read_text(made, "project/package-lock.json", limit=LOCK_BYTES)
    return text if isinstance(text, str) else NotPrepared("npm left no lock file", "npm install")


def _fill(made: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = made / "project" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


async def _resolve(site: Site, files: Mapping[str, str], node: NodeProgram) -> NotPrepared | None:
    site.begin(lambda made: _fill(made, files))
    return await _npm(site, "resolve", ("install", "--package-lock-only", "--ignore-scripts"), node)


async def _install(site: Site, files: Mapping[str, str], lock: str, node: NodeProgram) -> NotPrepared | None:
    site.begin(lambda made: _fill(made, {**files, "package-lock.json": lock}))
    problem = await _npm(site, "install", ("ci", "--ignore-scripts"), node)
    if problem is None and _has_install_scripts(lock):
        problem = await _npm(site, "scripts", ("rebuild",), node, code_runs=True)
    if problem is None:
        places = [
            f"project/{path.removesuffix('package.json')}node_modules" for path in files if "package.json" in path
        ]
        for place in places:
            if is_folder(site.made, place):
                _make_room(site.made / place)
    return problem


def _make_room(modules: Path) -> None:
    """Empty folders for writable ones to be mounted on."""
    for name in WRITTEN_BY_TOOLS:
        if not (modules / name).is_symlink():
            (modules / name).mkdir(exist_ok=True)


def _has_install_scripts(lock: str) -> bool:
    # Lock files of npm 6 do not say, so there it has to be tried.
    return '"hasInstallScript": true' in lock or '"lockfileVersion": 1' in lock


async def _npm(
    site: Site, name: str, arguments: tuple[str, ...], node: NodeProgram, *, code_runs: bool = False
) -> NotPrepared | None:
    cache = str(site.made / "cache" if code_runs else site.workshop.cache("npm"))
    step = await site.run(
        name,
        (node.npm, *arguments, *_QUIET, "--cache", cache),
        cwd=site.made / "project",
        env={"PATH": f"{node.folder}:/usr/local/bin:/usr/bin:/bin"},
        readable=node.readable,
        writable=() if code_runs else (cache,),
        code_runs=code_runs,
    )
    return None if step.ok else failed(step, f"npm {arguments[0]}", "npm install")
