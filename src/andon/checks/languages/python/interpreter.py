"""Finds the Python interpreter a project asks for: installed on the host, or else one that uv can fetch.

Only a version range ever reaches uv: an interpreter named by path in a repository would be run on the host.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import uv

from andon.checks.building import Site, Workshop, digest_of, failed
from andon.checks.facts import Python
from andon.checks.prepared import NotPrepared
from andon.processes import readable_for, run

SECONDS = 60.0
KEPT_SECONDS = 3600.0
_RANGE = re.compile(r"(~=|===?|!=|<=|>=|<|>)\s*\d[\w.*+!]*")
_HOST = ("PATH", "HOME", "UV_PYTHON_INSTALL_DIR", "XDG_DATA_HOME", "PYENV_ROOT")
_WHO = (
    "import json,sys,sysconfig;print(json.dumps([sys.version.split()[0], sysconfig.get_platform(), sys.base_prefix, "
    "sysconfig.get_path('stdlib')]))"
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    program: Path
    version: str
    platform: str
    readable: tuple[str, ...]

    @property
    def identity(self) -> tuple[str, str, str]:
        return (str(self.program), self.version, self.platform)


async def find_interpreter(
    requires: str, folder: Path, environ: Mapping[str, str], known: Path | None = None
) -> Interpreter | NotPrepared:
    """`folder`: any folder without a project in it, to look from. `known`: where what was found is kept for a while."""
    wanted = requires or ">=3.8"
    if not all(_RANGE.fullmatch(part.strip()) for part in wanted.rstrip(",").split(",")):
        return NotPrepared(f"requires-python is not a version range: {requires!r}", "mend requires-python")
    env = {name: environ[name] for name in _HOST if name in environ}
    record = known / f"{_digest(wanted, env)}.json" if known else None
    if record is not None and (interpreter := _recall(record)):
        return interpreter
    found = await asyncio.to_thread(_look, wanted, folder, env)
    if record is not None and isinstance(found, Interpreter):
        _remember(record, found)
    return found


async def interpreter_for(workshop: Workshop, python: Python, folder: Path) -> Interpreter | NotPrepared:
    """One that the project prefers, or at least allows; fetched only where none that it allows is installed."""
    known = workshop.home / "interpreters"
    found: Interpreter | NotPrepared | None = None
    for wanted in (*(",".join(filter(None, (python.requires, each))) for each in python.prefers), python.requires):
        found = await find_interpreter(wanted, folder, workshop.environ, known)
        if isinstance(found, Interpreter):
            return found
    assert isinstance(found, NotPrepared)
    return await _fetched(workshop, python.requires, folder) or found if found.environment_error else found


async def _fetched(workshop: Workshop, wanted: str, folder: Path) -> Interpreter | None:
    program = uv.find_uv_bin()

    async def fetch(site: Site) -> NotPrepared | None:
        words = (program, "python", "install", "--no-bin", "--install-dir", str(site.made / "python"), wanted)
        step = await site.run("python", words, cwd=site.made, env={"UV_NO_CACHE": "1"}, readable=(program,))
        return None if step.ok else failed(step, "uv python install", "uv python install")

    made = await workshop.made(digest_of("interpreter", wanted), fetch)
    programs = [] if isinstance(made, NotPrepared) else sorted(made.glob("python/*/bin/python3"))
    return _asked(programs[-1].resolve(), folder, {}) if programs else None


def _look(wanted: str, folder: Path, env: Mapping[str, str]) -> Interpreter | NotPrepared:
    options = ("--system", "--no-project", "--no-config", "--no-python-downloads", "--offline")
    find = (uv.find_uv_bin(), "python", "find", *options, "--", wanted)
    found = run(find, cwd=folder, env={**env, "UV_NO_CACHE": "1"}, seconds=SECONDS)
    path = found.stdout.decode(errors="replace").strip()
    if found.code != 0 or not path:
        return NotPrepared(
            f"no installed Python interpreter satisfies {wanted}",
            f"uv python install {re.sub(r'[^0-9.]', '', wanted.split(',')[0]) or '3'}",
            environment_error=True,
        )
    # Through every symlink: only what the name finally leads to can be made visible in a sandbox for certain.
    program = Path(path).resolve()
    return _asked(program, folder, env) or NotPrepared(f"{program} does not run", environment_error=True)


def _asked(program: Path, folder: Path, env: Mapping[str, str]) -> Interpreter | None:
    asked = run((str(program), "-I", "-c", _WHO), cwd=folder, env=env, seconds=SECONDS)
    try:
        version, platform, prefix, library = json.loads(asked.stdout)
    except ValueError:
        return None
    return Interpreter(program, version, platform, readable_for(program, Path(prefix), Path(library)))


def _digest(wanted: str, env: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps([wanted, sorted(env.items())]).encode()).hexdigest()


def _recall(record: Path) -> Interpreter | None:
    """What was found less than an hour ago, if the program is still the same: looking takes a quarter of a second."""
    try:
        told = json.loads(record.read_bytes())
        program = Path(told["program"])
        fresh = 0 <= time.time() - told["at"] < KEPT_SECONDS and program.stat().st_mtime_ns == told["changed"]
    except (OSError, ValueError, KeyError):
        return None
    return Interpreter(program, told["version"], told["platform"], tuple(told["readable"])) if fresh else None


def _remember(record: Path, found: Interpreter) -> None:
    told = {"program": str(found.program), "version": found.version, "platform": found.platform}
    told |= {"readable": found.readable, "at": time.time(), "changed": found.program.stat().st_mtime_ns}
    record.parent.mkdir(parents=True, exist_ok=True)
    draft = record.with_name(f"{record.name}.{os.getpid()}.tmp")
    draft.write_text(json.dumps(told))
    draft.replace(record)
