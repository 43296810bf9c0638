"""Prepares what Go checks need: the toolchain of this machine, and every required module, downloaded once.

`go mod download` runs no module's code. The checks themselves are offline.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.checks.building import Site, Workshop, digest_of, failed
from andon.checks.facts import Go
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import LOCK_BYTES, read_text, source_files, table
from andon.processes import readable_for, run

SECONDS = 60.0
FIX = "go mod download"
MANIFESTS = ("go.mod", "go.sum", "go.work", "go.work.sum")
INSTALL = "install Go from https://go.dev/dl"
# No other toolchain is downloaded: which one measures is the machine's choice.
LOCAL = {"GOTOOLCHAIN": "local", "GOENV": "off"}


@dataclass(frozen=True, slots=True)
class GoProgram:
    program: Path
    root: Path
    version: str

    @property
    def readable(self) -> tuple[str, ...]:
        return readable_for(self.program, self.root)


async def find_go(folder: Path, environ: Mapping[str, str]) -> GoProgram | NotPrepared:
    found = shutil.which("go", path=environ.get("PATH"))
    if not found:
        return NotPrepared("go is not installed", INSTALL, environment_error=True)
    env = {**{name: environ[name] for name in ("PATH", "HOME") if name in environ}, **LOCAL}
    asked = await asyncio.to_thread(run, (found, "env", "-json"), cwd=folder, env=env, seconds=SECONDS)
    try:
        told = table(json.loads(asked.stdout))
        root, version = Path(told["GOROOT"]), str(told["GOVERSION"])
    except (ValueError, KeyError, TypeError):
        return NotPrepared(f"{found} does not run", INSTALL, environment_error=True)
    program = root / "bin" / "go"
    return GoProgram(program if program.exists() else Path(found), root, version)


async def prepare_go(
    workshop: Workshop, tree: Path, facts: Go, folder: Path, frozen: str | None
) -> Environment | NotPrepared:
    go = await find_go(folder, workshop.environ)
    if isinstance(go, NotPrepared):
        return go
    files: dict[str, str] = json.loads(frozen) if frozen else _manifests(tree) if facts.has_dependencies else {}
    digest = digest_of("go", files, go.version)
    downloaded: dict[str, str] = {}
    readable = go.readable
    if files:
        made = await workshop.made(digest, lambda site: _download(site, files, facts, go))
        if isinstance(made, NotPrepared):
            return made
        downloaded = {"GOMODCACHE": str(made / "modules")}
        readable = (*readable, str(made / "modules"))
    return Environment(
        digest,
        paths=(str(go.program.parent),),
        variables={**LOCAL, "GOPROXY": "off", "GOSUMDB": "off", "GOFLAGS": "", **downloaded},
        readable=readable,
        caches={"GOCACHE": "go-build", "GOTMPDIR": "go-tmp"},
        frozen=json.dumps(files, sort_keys=True) if files else "",
    )


def _manifests(tree: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    for path in source_files(tree):
        text = read_text(tree, path, limit=LOCK_BYTES) if path.rpartition("/")[2] in MANIFESTS else None
        if isinstance(text, str):
            files[path] = text
    return files


async def _download(site: Site, files: Mapping[str, str], facts: Go, go: GoProgram) -> NotPrepared | None:
    site.begin(lambda made: _fill(made, files))
    # With go.work, one call at the top is about every module; without, the top is the only one.
    where = site.made / "project"
    env = {
        **LOCAL,
        "PATH": f"{go.program.parent}:/usr/local/bin:/usr/bin:/bin",
        "GOMODCACHE": str(site.made / "modules"),
        "GOFLAGS": "-modcacherw",
    }
    step = await site.run("download", (str(go.program), "mod", "download"), cwd=where, env=env, readable=go.readable)
    return None if step.ok else failed(step, FIX, FIX)


def _fill(made: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = made / "project" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
