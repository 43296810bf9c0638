"""The parts of configuration files that set test runners, coverage and commands, as plain values by place.

Reads text into values and compares nothing: formatting and everything else in a shared file is left out.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, cast

from andon.checks.reading import table

Values = dict[str, object]
"""Place, with dots → what stands there."""

_RUNNERS_OF_SCRIPTS = ("jest", "mocha", "vitest", "ava", "tap", "jasmine", "playwright", "wtr")
_COVERAGE_OF_SCRIPTS = ("nyc", "c8")
_TASKS = ("poe.tasks", "taskipy.tasks", "pdm.scripts", "hatch.scripts", "rye.scripts")
_TOOLS = (
    *("pytest", "py.test", "tox", "nox", "coverage", "python", "python3", "pip", "pip3", "uv", "ruff", "mypy"),
    *("pyright", "make", "git", "sh", "bash", "env", "node", "npm"),
)
"""Commands that tests and builds are run by: a package that installs one of these stands in for it."""
WATCHED = re.compile(
    r"(?:pre|post)?(?:tests?|check|lint|build|type-?check|tsc|verify|ci|coverage|cov)(?:[:_-].*)?", re.IGNORECASE
)
"""Names of scripts, targets and tasks that tests and builds are run by."""


def parse(path: str, text: str) -> Mapping[str, Any] | None:
    """None: it cannot be read as what it is called."""
    name = path.rpartition("/")[2]
    try:
        if name.endswith(".toml"):
            return tomllib.loads(text)
        if name.endswith((".ini", ".cfg")) or name.startswith(".coveragerc"):
            return _sections(text)
        value: object = json.loads(text)
        return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None
    except (ValueError, RecursionError, configparser.Error):
        return None


def _sections(text: str) -> dict[str, dict[str, str | None]]:
    parser = configparser.RawConfigParser(allow_no_value=True, strict=False)
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def pytest_values(path: str, value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """None: the file says nothing of pytest."""
    name = path.rpartition("/")[2]
    if name.endswith("pyproject.toml"):
        found = table(table(value.get("tool")).get("pytest"))
        own = {key: each for key, each in found.items() if key != "ini_options"}
        return {**own, **table(found.get("ini_options"))} if found else None
    if name.endswith("pytest.toml"):
        return table(value.get("pytest")) or value
    for section in ("tool:pytest",) if name == "setup.cfg" else ("pytest", "tool:pytest"):
        if section in value:
            return table(value[section])
    return {} if name.endswith("pytest.ini") else None


def runner_values(path: str, value: Mapping[str, Any]) -> Values:
    """Of other runners than pytest, as far as they are set by values."""
    name = path.rpartition("/")[2]
    if name in ("pyproject.toml", "setup.cfg"):
        return {f"pytest11.{key}": each for key, each in entry_points(name, value, "pytest11").items()}
    if name == "package.json":
        return flat({key: value[key] for key in _RUNNERS_OF_SCRIPTS if key in value})
    if name == "Cargo.toml":
        package = table(value.get("package"))
        kept = {key: value[key] for key in ("test", "bench") if key in value}
        kept |= {"package": {key: package[key] for key in ("autotests", "autobins") if key in package}}
        kept |= {
            "lib": {key: each for key, each in table(value.get("lib")).items() if key in ("test", "doctest", "harness")}
        }
        kept |= {"profile": {"test": table(value.get("profile")).get("test", {})}}
        return flat(kept)
    if name.endswith((".json", "rc")) or name in ("nextest.toml", "tarpaulin.toml", ".tarpaulin.toml"):
        return flat(value)
    return {}


def coverage_values(path: str, value: Mapping[str, Any]) -> Values:
    name = path.rpartition("/")[2]
    if name.endswith("pyproject.toml"):
        return flat(table(table(value.get("tool")).get("coverage")))
    if name in ("setup.cfg", "tox.ini"):
        return flat({key.partition(":")[2]: each for key, each in value.items() if key.startswith("coverage:")})
    if name.startswith(".coveragerc"):
        return flat(value)
    if name == "package.json":
        return flat({key: value[key] for key in _COVERAGE_OF_SCRIPTS if key in value})
    return {}


def command_values(path: str, value: Mapping[str, Any]) -> Values:
    """Commands by the name they are called with, of those names that tests and builds are run by."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return {key: each for key, each in table(value.get("scripts")).items() if WATCHED.fullmatch(key)}
    if name == "tox.ini":
        keys = ("commands", "commands_pre", "commands_post", "ignore_errors", "ignore_outcome", "setenv", "set_env")
        environments = {section: table(each) for section, each in value.items() if section.startswith("testenv")}
        return {f"{section}.{key}": each[key] for section, each in environments.items() for key in keys if key in each}
    installed = {
        f"[scripts] {key}": each for key, each in entry_points(name, value, "scripts").items() if key in _TOOLS
    }
    if name == "setup.cfg":
        return installed
    if name == "pyproject.toml":
        found = installed
        for place in _TASKS:
            tasks = table(value.get("tool"))
            for part in place.split("."):
                tasks = table(tasks.get(part))
            found |= {f"{place}.{key}": each for key, each in tasks.items() if WATCHED.fullmatch(key)}
        for name_of, environment in table(table(table(value.get("tool")).get("hatch")).get("envs")).items():
            scripts = table(table(environment).get("scripts"))
            found |= {f"hatch.{name_of}.{key}": each for key, each in scripts.items() if WATCHED.fullmatch(key)}
        return found
    return {}


def entry_points(name: str, value: Mapping[str, Any], group: str) -> Mapping[str, Any]:
    """What an installed package adds to commands (`scripts`) or to a tool, by name; of pyproject.toml or setup.cfg."""
    if name == "setup.cfg":
        told = table(value.get("options.entry_points")).get("console_scripts" if group == "scripts" else group)
        pairs = (line.partition("=") for line in lines(told))
        return {key.strip(): target.strip() for key, _, target in pairs}
    project, poetry = table(value.get("project")), table(table(value.get("tool")).get("poetry"))
    if group == "scripts":
        return {**table(poetry.get(group)), **table(project.get("gui-scripts")), **table(project.get(group))}
    return {**table(table(poetry.get("plugins")).get(group)), **table(table(project.get("entry-points")).get(group))}


def flat(value: object, place: str = "", deep: int = 0) -> Values:
    if not isinstance(value, dict) or deep > 20:
        return {place: value}
    found: Values = {}
    for key, each in cast("dict[object, object]", value).items():
        found |= flat(each, f"{place}.{key}" if place else str(key), deep + 1)
    return found


def words(value: object) -> list[str]:
    """A list, however it is written: one value a line, or with commas or blanks between them."""
    if isinstance(value, list):
        return [str(each) for each in cast("list[object]", value)]
    return [each for each in re.split(r"[\s,]+", str(value or "")) if each]


def lines(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(each).strip() for each in cast("list[object]", value)]
    return [each.strip() for each in str(value or "").splitlines() if each.strip()]
