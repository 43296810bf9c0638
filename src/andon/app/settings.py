"""Settings: the repository's andon.toml, the user's file, the environment, the command line, in rising order.

A repository's file is untrusted text: keys in `NEEDS_TRUST` count only after a person trusted that file, by digest.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from andon.app.environment_settings import EnvironmentSettings
from andon.app.home import Home
from andon.app.memory_settings import MemorySettings
from andon.app.notify_settings import McpSettings, NotifySettings, ServeSettings
from andon.app.runtime_settings import PriceSettings, RoleSettings, RuntimeSettings
from andon.app.server_settings import ServerSettings
from andon.app.settings_sources import PROJECT_FILE, CommandLine, Environment, File, Source
from andon.app.trust import is_trusted
from andon.domain.auto.mode import AGENT_TYPES
from andon.domain.errors import UserError
from andon.domain.limits import MEANINGS, AutoLimits, WrongLimit
from andon.domain.uam.agents import NAMES as UAM_AGENTS
from andon.domain.uam_settings import NAMES as UAM_KEYS
from andon.domain.uam_settings import UamSettings, WrongUamSetting

NEEDS_TRUST = (
    *("runtime", "scenario", "trust_host", "budget", "limits", "lease_seconds", "worktree_root", "link_claude"),
    *("prices", "interactive_command", "runtimes", "roles", "uam", "notify", "mcp", "serve", "memory", "team_tables"),
    "servers",
)
"""Keys that choose what runs, loosen the sandbox, raise what a run may use up, make it look cheaper than it is, or
send word of it somewhere."""
ROLES = (*AGENT_TYPES, *UAM_AGENTS)
TABLES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "runtimes": ((), tuple(RuntimeSettings.model_fields)),
    "roles": (ROLES, tuple(RoleSettings.model_fields)),
    "prices": ((), tuple(PriceSettings.model_fields)),
    "servers": ((), tuple(ServerSettings.model_fields)),
}
"""Tables of tables: the names they may have (none: any), and the keys of each. They stand in files only."""
PATHS = ("scenario", "worktree_root", "team_tables")
"""Relative ones are meant from where they are written: a file's folder, else the working folder."""


class BudgetSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: int | None = Field(
        None, ge=0, description="Most tokens one run may use. Unset: no limit.", examples=[2_000_000]
    )
    money: float | None = Field(
        None, ge=0, description="Most US dollars one run may cost. Unset: no limit.", examples=[5.0]
    )
    seconds: float | None = Field(
        None,
        ge=0,
        description="Most seconds of work (agents and checks) of one run. Unset: no limit.",
        examples=[3600.0],
    )


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    runtime: str | None = Field(None, description="Which runtime carries out orders.", examples=["claude"])
    scenario: str | None = Field(None, description="Scenario file of the scripted runtime.", examples=["scenario.yaml"])
    language: Literal["auto", "en", "ko"] = Field("auto", description="Language of artefacts; auto: the task's own.")
    trust_host: bool = Field(False, description="Count checks that ran without a sandbox. The evidence says so.")
    worktree_root: str | None = Field(
        None, description="Where `--worktree` puts visible worktrees.", examples=["../worktrees"]
    )
    link_claude: bool = Field(False, description="Link the checkout's own `.claude` into worktrees of `--worktree`.")
    interactive_command: str | None = Field(
        None,
        description="What `--interactive` types into a terminal of tmux, as goal 6. Unset: that goal is not needed.",
        examples=["python -m your_package"],
    )
    team_tables: str | None = Field(
        None,
        description="Folder with tables in place of those that teams are made by. Unset: the built-in ones.",
        examples=["team-tables"],
    )
    lease_seconds: float = Field(600, gt=0, description="How long an agent outlives a vanished orchestrator.")
    agent_seconds: float | None = Field(
        None,
        gt=0,
        description="Longest time one order may take, for roles without a time of their own. Unset: by kind of work.",
        examples=[1800.0],
    )
    role_seconds: dict[str, Annotated[float, Field(gt=0)]] = Field(
        {}, description="Longest time one order to a role may take."
    )
    budget: BudgetSettings = Field(
        BudgetSettings(tokens=None, money=None, seconds=None), description="What one run may use up."
    )
    environment: EnvironmentSettings = Field(
        EnvironmentSettings(python=None, node=None, install=None), description="What checks run with."
    )
    limits: AutoLimits = Field(AutoLimits(), description="What bounds the loops of `auto` (E-15).")
    uam: UamSettings = Field(UamSettings(), description="What bounds the loops of `uam`, and how it decides.")
    notify: NotifySettings = Field(
        NotifySettings(urls=None, admin_urls=None, events=None), description="Whom to tell, and about what."
    )
    mcp: McpSettings = Field(McpSettings(may_decide=False), description="What programs may do through `andon mcp`.")
    serve: ServeSettings = Field(ServeSettings(folders=None), description="What others may do through `andon serve`.")
    memory: MemorySettings = Field(
        MemorySettings.model_validate({}), description="What runs learn, and what `andon memory` asks."
    )
    runtimes: dict[str, RuntimeSettings] = Field({}, description="Programs and models of runtimes, by name.")
    roles: dict[str, RoleSettings] = Field({}, description="Roles with a runtime of their own.")
    prices: dict[str, PriceSettings] = Field({}, description="What models cost, by name; `*` stands for anything.")
    servers: dict[str, ServerSettings] = Field({}, description="MCP servers that members of teams may use, by name.")


def known_keys() -> dict[str, tuple[str, ...]]:
    """Every key, with the keys of its table when it is one."""
    nested = {"budget": tuple(BudgetSettings.model_fields), "limits": tuple(MEANINGS)}
    nested |= {"role_seconds": ROLES, "uam": UAM_KEYS, "notify": tuple(NotifySettings.model_fields)}
    nested |= {"mcp": tuple(McpSettings.model_fields), "serve": tuple(ServeSettings.model_fields)}
    nested |= {"environment": tuple(EnvironmentSettings.model_fields)}
    nested |= {"memory": tuple(MemorySettings.model_fields)}
    return {key: nested.get(key, ()) for key in Settings.model_fields}


def load_settings(
    home: Home, repository: Path | None, environment: Mapping[str, str], given: Mapping[str, Any]
) -> tuple[Settings, list[str]]:
    """The settings in force, and notes about keys that were left out because their file is not trusted."""
    notes: list[str] = []
    sources: list[Source] = [
        File.read(home.settings),
        Environment.read(environment, {key: below for key, below in known_keys().items() if key not in TABLES}),
        CommandLine.read(given),
    ]
    if repository is not None:
        file = File.read(repository / PROJECT_FILE)
        _check(file)
        held_back = [] if is_trusted(home, file.digest) else [key for key in file.values if key in NEEDS_TRUST]
        if held_back:
            keys = ", ".join(held_back)
            notes.append(f"{PROJECT_FILE}: {keys} not used, because the file is not trusted; see `andon trust`.")
        sources.insert(0, file.without(held_back))
    merged: dict[str, Any] = {}
    for source in sources:
        _check(source)
        _merge(merged, _with_absolute_paths(source))
    return Settings.model_validate(merged), notes


def checked_text(path: Path, text: str) -> None:
    """Refuse what the user's file must not say, before it is written."""
    file = File(path, tomllib.loads(text), text)
    _check(file)
    _with_absolute_paths(file)


def needing_trust(file: File) -> dict[str, Any]:
    """What of a repository's file counts only once it is trusted. Of addresses, which may be secret, how many."""
    _check(file)
    found = {key: value for key, value in file.values.items() if key in NEEDS_TRUST}
    told = {key: f"({len(value)})" if key.endswith("urls") else value for key, value in found.get("notify", {}).items()}
    return found | {"notify": told} if told else found


def checked_budget(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Limits of a run, from the command line, after the rules of the settings."""
    source = CommandLine.read({"budget": dict(limits)})
    _check(source)
    return BudgetSettings.model_validate(limits).model_dump()


def _check(source: Source) -> None:
    """Refuse unknown keys by the nearest known one, and values of the wrong kind, where they stand."""
    known = known_keys()
    for key, value in source.values.items():
        _refuse_unknown(source, (key,), known)
        if known[key] and isinstance(value, Mapping):
            for below in cast("Mapping[str, Any]", value):
                _refuse_unknown(source, (key, below), known[key])
        elif key in TABLES and isinstance(value, Mapping):
            _check_table(source, key, cast("Mapping[str, Any]", value))
    try:
        Settings.model_validate(source.values)
    except WrongLimit as wrong:
        raise UserError(f"{source.place(('limits', wrong.name))} should be {wrong.rule}", source.remark) from wrong
    except WrongUamSetting as wrong:
        raise UserError(f"{source.place(('uam', wrong.name))} should be {wrong.rule}", source.remark) from wrong
    except ValidationError as error:
        mistake = error.errors()[0]
        location = tuple(str(part) for part in mistake["loc"])
        said = "is missing" if mistake["type"] == "missing" else mistake["msg"].removeprefix("Input ")
        hint = f"docs/reference/settings.md describes every key. {source.remark}"
        raise UserError(f"{source.place(location)} {said}", hint.strip()) from error


def _check_table(source: Source, key: str, table: Mapping[str, Any]) -> None:
    names, keys = TABLES[key]
    for name, value in table.items():
        if names:
            _refuse_unknown(source, (key, name), names)
        for below in cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else ():
            _refuse_unknown(source, (key, name, below), keys)


def _refuse_unknown(source: Source, location: tuple[str, ...], known: Iterable[str]) -> None:
    names = list(known)
    if location[-1] in names:
        return
    near = difflib.get_close_matches(location[-1], names, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else f"Known are: {', '.join(names)}."
    raise UserError(f"{source.place(location)}: there is no such setting", f"{hint} {source.remark}".strip())


def _with_absolute_paths(source: Source) -> dict[str, Any]:
    values = dict(source.values)
    for key in PATHS:
        if values.get(key) is not None:
            values[key] = _absolute(source, (key,), values[key])
    if values.get("serve", {}).get("folders") is not None:
        told = ServeSettings.model_validate(values["serve"]).folders or ()
        values["serve"] = {"folders": tuple(_absolute(source, ("serve", "folders"), each) for each in told)}
    return values


def _absolute(source: Source, location: tuple[str, ...], path: str) -> str:
    try:
        return str(source.folder / Path(path).expanduser())
    except RuntimeError as error:
        raise UserError(f"{source.place(location)}: nobody is called {path.split('/')[0]}", source.remark) from error


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], cast("Mapping[str, Any]", value))
        else:
            into[key] = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value
