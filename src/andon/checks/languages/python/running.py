"""Runs uv inside the sandbox where things are built: with ready-made wheels and the shared cache as far as that goes,
and with a private cache where code of packages has to run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import uv

from andon.checks.building import Site, failed
from andon.checks.languages.python.interpreter import Interpreter
from andon.checks.prepared import NotPrepared

_NEEDS_BUILDING = re.compile(r"build|wheel|source dist", re.IGNORECASE)


async def run_uv(
    site: Site,
    name: str,
    arguments: tuple[str, ...],
    interpreter: Interpreter,
    *,
    cwd: Path,
    fix: str,
    code_runs: bool = False,
    env: Mapping[str, str] | None = None,
) -> NotPrepared | None:
    program = uv.find_uv_bin()
    readable = (program, *interpreter.readable)
    env = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", **(env or {})}
    what = f"uv {arguments[0]} {arguments[1]}" if arguments[0] == "pip" else f"uv {arguments[0]}"
    if not code_runs:
        shared = str(site.workshop.cache("uv"))
        no_build = ("--no-build",) if arguments[0] == "pip" else ()
        careful = (program, *arguments, *no_build, "--cache-dir", shared)
        step = await site.run(name, careful, cwd=cwd, env=env, readable=readable, writable=(shared,))
        if step.ok:
            return None
        problem = failed(step, what, fix)
        if not no_build or problem.environment_error or not _NEEDS_BUILDING.search(step.output):
            return problem
    private = (program, *arguments, "--cache-dir", str(site.made / "cache"))
    step = await site.run(f"{name}-building", private, cwd=cwd, env=env, readable=readable, code_runs=True)
    return None if step.ok else failed(step, what, fix)
