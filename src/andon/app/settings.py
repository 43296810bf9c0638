"""Settings: the repository's andon.toml, the user's file, the environment, the command line, in rising order.

A repository's file is untrusted text: keys in `NEEDS_TRUST` count only after a person trusted that file, by digest.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from andon.app.home import Home
from andon.domain.errors import UserError

PROJECT_FILE = "andon.toml"
NEEDS_TRUST = ("runtime", "scenario", "trust_host", "budget", "lease_seconds", "worktree_root")
"""Keys that choose what runs, loosen the sandbox or raise a budget."""


class BudgetSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: int | None = Field(None, ge=0, description="Most tokens one run may use. Unset: no limit.")
    money: float | None = Field(None, ge=0, description="Most US dollars one run may cost. Unset: no limit.")
    seconds: float | None = Field(None, ge=0, description="Most seconds of work (agents and checks) of one run.")


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    runtime: str | None = Field(None, description="Which runtime carries out orders.")
    scenario: str | None = Field(None, description="Scenario file of the scripted runtime.")
    language: Literal["auto", "en", "ko"] = Field("auto", description="Language of artefacts; auto: the task's own.")
    trust_host: bool = Field(False, description="Count checks that ran without a sandbox. The evidence says so.")
    worktree_root: str | None = Field(None, description="Where `--worktree` puts visible worktrees.")
    lease_seconds: float = Field(600, gt=0, description="How long an agent outlives a vanished orchestrator.")
    agent_seconds: float = Field(1800, gt=0, description="Longest time one order to an agent may take.")
    budget: BudgetSettings = BudgetSettings(tokens=None, money=None, seconds=None)


def load_settings(
    home: Home, repository: Path | None, environment: Mapping[str, str], given: Mapping[str, Any]
) -> tuple[Settings, list[str]]:
    """The settings in force, and notes about keys that were left out because their file is not trusted."""
    notes: list[str] = []
    merged: dict[str, Any] = {}
    if repository is not None:
        path = repository / PROJECT_FILE
        project = _read_toml(path)
        if project and not is_trusted(home, path):
            held_back = [key for key in project if key in NEEDS_TRUST]
            project = {key: value for key, value in project.items() if key not in held_back}
            if held_back:
                notes.append(f"{PROJECT_FILE}: {', '.join(held_back)} not used, because the file is not trusted yet.")
        _check(project, path)
        _merge(merged, project)
    user = _read_toml(home.settings)
    _check(user, home.settings)
    _merge(merged, user)
    _merge(merged, _from_environment(environment))
    _merge(merged, {key: value for key, value in given.items() if value is not None})
    return _validate(merged, "settings"), notes


def is_trusted(home: Home, path: Path) -> bool:
    return _digest(path) in _trusted(home)


def trust(home: Home, path: Path) -> str:
    """Remember that a person trusted this file as it is now. Returns its digest."""
    if not path.is_file():
        raise UserError(f"There is no {path.name} here", "andon.toml lies at the top of a repository.")
    digest = _digest(path)
    home.make()
    home.trust.write_text(json.dumps(sorted({*_trusted(home), digest}), indent=2))
    return digest


def _trusted(home: Home) -> set[str]:
    try:
        return set(json.loads(home.trust.read_text()))
    except (FileNotFoundError, ValueError):
        return set()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}", "The file is left as it is; mend it or move it away.") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in Settings.model_fields:
        value = environment.get(f"ANDON_{key.upper()}")
        if value is not None and key != "budget":
            found[key] = value
    budget = {k: v for k in BudgetSettings.model_fields if (v := environment.get(f"ANDON_BUDGET_{k.upper()}"))}
    return {**found, **({"budget": budget} if budget else {})}


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], cast("Mapping[str, Any]", value))
        else:
            into[key] = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


def _check(values: Mapping[str, Any], path: Path) -> None:
    for key in values:
        if key not in Settings.model_fields:
            near = difflib.get_close_matches(key, Settings.model_fields, n=1)
            known = ", ".join(Settings.model_fields)
            raise UserError(
                f"{path}: unknown setting `{key}`",
                f"Did you mean `{near[0]}`?" if near else f"Known settings: {known}.",
            )
    _validate(values, str(path))


def _validate(values: Mapping[str, Any], where: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UserError(
            f"{where}: {name}: {first['msg']}", "docs/reference/settings.md describes every key."
        ) from error
