"""Finds the Python interpreter a project asks for among those installed on the host; downloads none.

Only a version range ever reaches uv: an interpreter named by path in a repository would be run on the host.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import uv

from andon.checks.prepared import NotPrepared
from andon.processes import readable_for, run

SECONDS = 60.0
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


async def find_interpreter(requires: str, folder: Path, environ: Mapping[str, str]) -> Interpreter | NotPrepared:
    """`folder`: any folder without a project in it, to look from."""
    wanted = requires or ">=3.8"
    if not all(_RANGE.fullmatch(part.strip()) for part in wanted.rstrip(",").split(",")):
        return NotPrepared(f"requires-python is not a version range: {requires!r}", "mend requires-python")
    env = {name: environ[name] for name in _HOST if name in environ}
    options = ("--system", "--no-project", "--no-config", "--no-python-downloads", "--offline")
    find = (uv.find_uv_bin(), "python", "find", *options, "--", wanted)
    found = await asyncio.to_thread(run, find, cwd=folder, env={**env, "UV_NO_CACHE": "1"}, seconds=SECONDS)
    path = found.stdout.decode(errors="replace").strip()
    if found.code != 0 or not path:
        return NotPrepared(
            f"no installed Python interpreter satisfies {wanted}",
            f"uv python install {re.sub(r'[^0-9.]', '', wanted.split(',')[0]) or '3'}",
            environment_error=True,
        )
    # Through every symlink: only what the name finally leads to can be made visible in a sandbox for certain.
    program = Path(path).resolve()
    asked = await asyncio.to_thread(run, (str(program), "-I", "-c", _WHO), cwd=folder, env=env, seconds=SECONDS)
    try:
        version, platform, prefix, library = json.loads(asked.stdout)
    except ValueError:
        return NotPrepared(f"{program} does not run", environment_error=True)
    return Interpreter(program, version, platform, readable_for(program, Path(prefix), Path(library)))
