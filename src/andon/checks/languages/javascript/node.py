"""Finds Node.js: the machine's, or one from the package registry where the machine's is not what a project asks for."""

from __future__ import annotations

import asyncio
import json
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from andon.checks.building import Site, Workshop, digest_of, failed
from andon.checks.prepared import NotPrepared
from andon.checks.reading import read_table, read_text, table
from andon.processes import readable_for, run

SECONDS = 60.0
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
INSTALL = "install Node.js from https://nodejs.org"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
# npm brings the library by which ranges of versions are understood everywhere.
ASK = """
const path = require('path'), fs = require('fs'), wanted = JSON.parse(process.argv[2]);
let fits = wanted.map(() => true);
try {
  const semver = require(require.resolve('semver', {paths: [path.dirname(fs.realpathSync(process.argv[1]))]}));
  fits = wanted.map((range) => !semver.validRange(range) || semver.satisfies(process.version, range));
} catch (error) {}
console.log(JSON.stringify([process.execPath, process.version, fits]));
"""


@dataclass(frozen=True, slots=True)
class NodeProgram:
    program: Path
    npm: str
    version: str
    misfit: str = ""
    """The range of versions that the project asks for, where this is none of it."""
    notes: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        return str(self.program.parent)

    @property
    def readable(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*readable_for(self.program), *readable_for(self.npm))))


async def node_for(workshop: Workshop, tree: Path, folder: Path, given: str) -> NodeProgram | NotPrepared:
    """`given`: what andon.toml asks for."""
    found = await find_node(folder, workshop.environ, tuple(_wanted(tree, given)))
    if isinstance(found, NotPrepared) or not found.misfit:
        return found
    wanted = found.misfit
    made = await workshop.made(digest_of("node program", wanted, found.npm), lambda site: _fetch(site, found, wanted))
    programs = [] if isinstance(made, NotPrepared) else sorted(made.glob("node_modules/node-*/bin/node"))
    if not programs:
        return replace(found, notes=(f"Node {wanted} is asked for and cannot be had: {found.version} of this machine",))
    version = json.loads((programs[0].parents[1] / "package.json").read_bytes())["version"]
    return NodeProgram(programs[0], found.npm, f"v{version}", notes=(f"Node {version}, as asked for: {wanted}",))


def _wanted(tree: Path, given: str) -> Iterator[str]:
    """The first of these counts."""
    manifest = table(read_table(tree, "package.json"))
    pinned = (read_text(tree, name) for name in (".nvmrc", ".node-version"))
    texts = (given, table(manifest.get("engines")).get("node"), table(manifest.get("volta")).get("node"), *pinned)
    yield from (text.strip() for text in texts if isinstance(text, str) and re.search(r"\d", text))


async def _fetch(site: Site, node: NodeProgram, wanted: str) -> NotPrepared | None:
    """The registry has the programs of every version, each in a package of its own."""
    name = f"node-{sys.platform}-{MACHINES.get(platform.machine().lower(), platform.machine())}@{wanted}"
    cache = str(site.workshop.cache("npm"))
    words = (node.npm, "install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--cache", cache, name)
    env = {"PATH": f"{node.folder}:{SYSTEM_PATH}"}
    step = await site.run("node", words, cwd=site.made, env=env, readable=node.readable, writable=(cache,))
    return None if step.ok else failed(step, "npm install node", INSTALL)


async def find_node(
    folder: Path, environ: Mapping[str, str], wanted: tuple[str, ...] = ()
) -> NodeProgram | NotPrepared:
    """The real programs behind whatever shims PATH leads to."""
    path = environ.get("PATH")
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not node or not npm:
        return NotPrepared(f"{'npm' if node else 'node'} is not installed", INSTALL, environment_error=True)
    env = {name: environ[name] for name in ("PATH", "HOME") if name in environ}
    asking = (node, "-e", ASK, npm, json.dumps(wanted[:1]))
    asked = await asyncio.to_thread(run, asking, cwd=folder, env=env, seconds=SECONDS)
    try:
        program, version, fits = json.loads(asked.stdout)
    except ValueError:
        return NotPrepared(f"{node} does not run", INSTALL, environment_error=True)
    beside = Path(program).with_name("npm")
    misfit = "" if all(fits) else wanted[0]
    return NodeProgram(Path(program).resolve(), str(beside) if beside.exists() else npm, version, misfit)


def playwright_browsers(environ: Mapping[str, str]) -> str | None:
    """The folder of the browsers that Playwright downloaded for this person; andon downloads none."""
    own = environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    home = environ.get("HOME", "")
    folder = Path(own) if own.startswith("/") else Path(home, ".cache/ms-playwright")
    return str(folder) if folder.is_absolute() and folder.is_dir() else None
