"""The plugin for Claude Code: where it lies, a copy installed for a person or a project, and what is wrong with it.

Installing never needs a network. The copy has the path of a real interpreter in its hooks: a version manager's shim
would cost ten times as much at every event.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import andon
from andon.app.home import Home
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.uam import layout
from andon.processes import run
from andon.runtimes.installed import CLAUDE
from andon.workspace.files import write_atomic

NAME, MARKETPLACE = "uam", "andon"
ID = f"{NAME}@{MARKETPLACE}"
USER, PROJECT = "user", "project"
PORTABLE = "python3"
"""What the hooks start where nobody has installed them."""
READ = (".md", ".json", ".py")
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
"""Installing from a folder asks nobody."""
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Installed:
    scope: str
    folder: str
    interpreter: str
    by: str
    """`claude`, or the settings file that was written without it."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Problem:
    file: str
    problem: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def plugin_folder() -> Path:
    """Part of the installed package, or beside it in a checkout."""
    package = Path(andon.__file__).parent
    for folder in (package / "plugin", package.parents[1] / "plugin"):
        if (folder / layout.MANIFEST).is_file():
            return folder
    raise EnvironmentProblem("The plugin is not part of this installation of andon", "Install andon anew.")


def lint(folder: Path) -> list[Problem]:
    """What the vendor's validator does not see."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder")
    files = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in READ and "__pycache__" not in path.parts
    }
    found = layout.problems(files, lambda program: shutil.which(program) is not None)
    return [Problem(file, problem) for file, problem in found]


def install(environment: Mapping[str, str], scope: str, project: Path) -> Installed:
    """A copy in andon's data folder, made known to Claude Code for a person or a project."""
    interpreter = _interpreter()
    copy = _copied(environment, interpreter)
    if found := lint(copy):
        raise UserError("The copy is not whole: " + "; ".join(f"{each.file}: {each.problem}" for each in found))
    claude = CLAUDE.path(environment)
    if claude is None:
        return Installed(scope, str(copy), interpreter, str(_write_settings(environment, scope, project, copy.parent)))
    for words in (
        ("marketplace", "add", str(copy.parent), "--scope", scope),
        ("install", ID, "--scope", scope),
    ):
        _ask(claude, words, environment, project)
    return Installed(scope, str(copy), interpreter, "claude")


def uninstall(environment: Mapping[str, str], scope: str, project: Path) -> bool:
    """Whether there was anything to take away. The copy goes with a person's installation; projects may share it."""
    claude = CLAUDE.path(environment)
    path = _settings_path(environment, scope, project)
    settings = _settings(path)
    there = ID in settings.get("enabledPlugins", {})
    shared = scope == USER and ID in _settings(_settings_path(environment, PROJECT, project)).get("enabledPlugins", {})
    if shared and not there:
        hint = "`andon plugin uninstall --project` takes it away from here."
        raise UserError("It is installed for this project, not for you alone", hint)
    if claude is not None and there:
        _ask(claude, ("uninstall", ID, "--scope", scope, "--yes"), environment, project)
        _ask(claude, ("marketplace", "remove", MARKETPLACE, "--scope", scope), environment, project)
        settings = _settings(path)
    for key, name in (("enabledPlugins", ID), ("extraKnownMarketplaces", MARKETPLACE)):
        if settings.get(key, {}).pop(name, None) is not None:
            settings = {each: value for each, value in settings.items() if value or each != key}
            write_atomic(path, json.dumps(settings, indent=2) + "\n")
    copy = _place(environment)
    if scope == USER and copy.exists() and not shared:
        shutil.rmtree(copy)
        there = True
    return there


def _place(environment: Mapping[str, str]) -> Path:
    return Home.of(environment).root / "plugin"


def _interpreter() -> str:
    """The one behind this environment: it stays when the environment goes."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _copied(environment: Mapping[str, str], interpreter: str) -> Path:
    """The folder above it is a marketplace. It is put in place as a whole: hooks may run meanwhile."""
    Home.of(environment).make()
    place = _place(environment)
    fresh = place.with_name(f"plugin-{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(plugin_folder(), fresh / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    hooks = fresh / NAME / layout.HOOKS
    _say_interpreter(hooks, f'"command": "{PORTABLE}"', f'"command": {json.dumps(interpreter)}')
    _say_interpreter(fresh / NAME / "bin/uam", f"exec {PORTABLE} ", f"exec '{interpreter}' ")
    (fresh / NAME / "bin/uam").chmod(0o755)
    entry = {"name": NAME, "source": f"./{NAME}", "description": "Unified Agent Methodology"}
    told = {"name": MARKETPLACE, "owner": {"name": MARKETPLACE}, "description": "Of andon.", "plugins": [entry]}
    (fresh / ".claude-plugin").mkdir()
    (fresh / ".claude-plugin/marketplace.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    old = place.with_name(f"plugin-old-{os.getpid()}")
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)
    return place / NAME


def _say_interpreter(path: Path, portable: str, real: str) -> None:
    text = path.read_text(encoding="utf-8")
    if portable not in text:
        raise EnvironmentProblem(f"{path} does not start {PORTABLE}", "Install andon anew.")
    path.write_text(text.replace(portable, real), encoding="utf-8")


def _ask(claude: Path, words: tuple[str, ...], environment: Mapping[str, str], project: Path) -> None:
    done = run([str(claude), "plugin", *words], cwd=project, env={**environment, **QUIET}, seconds=SECONDS)
    if done.code != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise EnvironmentProblem(
            f"`claude plugin {' '.join(words)}` failed: {said[-400:]}", "`claude doctor` tells more."
        )


def _settings_path(environment: Mapping[str, str], scope: str, project: Path) -> Path:
    if scope == PROJECT:
        return project / ".claude/settings.json"
    folder = environment.get("CLAUDE_CONFIG_DIR") or Path(environment.get("HOME") or Path.home(), ".claude")
    return Path(folder, "settings.json")


def _settings(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}", "Put it right first; nothing was changed.") from error
    if not isinstance(found, dict):
        raise UserError(f"{path} is not a JSON object", "Put it right first; nothing was changed.")
    return found  # pyright: ignore[reportUnknownVariableType]


def _write_settings(environment: Mapping[str, str], scope: str, project: Path, marketplace: Path) -> Path:
    """As `claude plugin install` would leave them; everything else in the file stays."""
    path = _settings_path(environment, scope, project)
    settings = _settings(path)
    known = {MARKETPLACE: {"source": {"source": "directory", "path": str(marketplace)}}}
    settings["extraKnownMarketplaces"] = {**settings.get("extraKnownMarketplaces", {}), **known}
    settings["enabledPlugins"] = {**settings.get("enabledPlugins", {}), ID: True}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(settings, indent=2) + "\n")
    return path
