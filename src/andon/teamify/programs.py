"""Programs of the command line, and their versions (B-08, B-09, G-47). Only those of this machine: what lies in a
repository is never started."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from andon.domain.errors import EnvironmentProblem
from andon.domain.teams.panes import Platform
from andon.domain.teams.resources import Program
from andon.domain.teams.tool_paths import MATRIX, Function
from andon.processes.run import run

SECONDS = 10.0
MOST_BYTES = 4096
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.-]*|\b\d+[a-z]?\b")


@dataclass(frozen=True, slots=True)
class Known:
    name: str
    use: str
    asked: tuple[str, ...]
    """How it is asked for its version."""
    through: tuple[str, ...] = ()
    """Another way to it, which must not install anything."""
    not_on: tuple[Platform, ...] = ()


KNOWN = (
    Known("playwright", "browser automation", ("--version",), ("npx", "--no-install", "playwright", "--version")),
    Known("marker_single", "PDF to Markdown", ("--help",)),
    Known("node", "run time", ("--version",)),
    Known("python", "run time", ("--version",)),
    Known("tmux", "split panes", ("-V",), not_on=(Platform.WINDOWS,)),
    Known("gh", "GitHub", ("--version",)),
    Known("obsidian-cli", "Obsidian vault", ("--version",)),
)


def programs(
    environment: Mapping[str, str],
    platform: Platform,
    repository: Path | None = None,
    functions: Sequence[Function] = MATRIX,
) -> list[Program]:
    """Those that are known, and those by which a function is reached: what is not known is looked for, not started."""
    places = _places(environment, repository)
    wanted = [each for each in KNOWN if platform not in each.not_on]
    with ThreadPoolExecutor(len(wanted)) as pool:
        asked = [pool.submit(_program, each, environment, places, platform) for each in wanted]
        found = [each.result() for each in asked]
    names = {each.name for each in KNOWN}
    more = {each.program: each.title for each in functions if each.program and each.program not in names}
    return found + [Program(name, use, path=shutil.which(name, path=places) or "") for name, use in more.items()]


def _places(environment: Mapping[str, str], repository: Path | None) -> str:
    """Folders of PATH that are not the repository's own."""
    inside = repository.resolve() if repository else None
    kept = list[str]()
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        if not Path(folder).is_absolute():
            continue
        if inside is None or not Path(folder).resolve().is_relative_to(inside):
            kept.append(folder)
    return os.pathsep.join(kept)


def _program(known: Known, environment: Mapping[str, str], places: str, platform: Platform) -> Program:
    called = "python3" if known.name == "python" and platform is not Platform.WINDOWS else known.name
    if path := shutil.which(called, path=places):
        version, problem = _asked([path, *known.asked], environment, places)
        return Program(known.name, known.use, version, path, problem)
    path = shutil.which(known.through[0], path=places) if known.through else None
    if path and _npm_has(known.name, environment, Path(path)):
        version, _ = _asked([path, *known.through[1:]], environment, places)
        return Program(known.name, known.use, version, path if version else "")
    return Program(known.name, known.use)


def _npm_has(name: str, environment: Mapping[str, str], npx: Path) -> bool:
    """Tell whether npx could start a program without installing it: from its cache, or from the global packages.

    Starting npx to find out costs a third of a second, and nearly always finds nothing.
    """
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or os.sep)
    cache = Path(environment.get("npm_config_cache") or environment.get("NPM_CONFIG_CACHE") or home / ".npm")
    prefix = Path(environment.get("npm_config_prefix") or environment.get("NPM_CONFIG_PREFIX") or npx.parent.parent)
    cached = any(cache.glob(f"_npx/*/node_modules/.bin/{name}*"))
    return cached or any((prefix / folder / name).exists() for folder in ("lib/node_modules", "node_modules", "bin"))


def _asked(words: list[str], environment: Mapping[str, str], places: str) -> tuple[str, str]:
    """Its version, and what went wrong."""
    clean = {**environment, "PATH": places, "NO_UPDATE_NOTIFIER": "1"}
    try:
        ended = run(words, cwd="/", env=clean, seconds=SECONDS, output_bytes=MOST_BYTES)
    except EnvironmentProblem as error:
        return "", error.message
    if ended.timed_out:
        return "", f"it did not answer within {SECONDS:.0f} s"
    text = (ended.stdout or ended.stderr).decode("utf-8", "replace")
    found = _VERSION.search(text) if ended.code == 0 else None
    return (found[0] if found else ""), ("" if ended.code == 0 else f"it ended with {ended.code}")
