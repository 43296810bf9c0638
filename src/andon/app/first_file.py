"""`andon init`: a repository's andon.toml to begin with. Every setting with its meaning and default, all as comments.

Made from the settings themselves, so that it cannot go stale. Keys are dotted: each line counts by itself once its # is
taken away, whatever stands above it.
"""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from andon.app.environment_settings import EnvironmentSettings
from andon.app.home import Home
from andon.app.memory_settings import MemorySettings
from andon.app.notify_settings import McpSettings, NotifySettings, ServeSettings
from andon.app.runtime_settings import PriceSettings, RoleSettings, RuntimeSettings
from andon.app.server_settings import ServerSettings
from andon.app.settings import NEEDS_TRUST, ROLES, BudgetSettings, Settings, load_settings
from andon.app.settings_sources import PROJECT_FILE
from andon.checks.goals import plan_goals
from andon.checks.machine import Machine
from andon.checks.project import detect
from andon.domain.errors import UserError
from andon.domain.limits import MEANINGS, AutoLimits
from andon.domain.order import Tier
from andon.domain.uam_settings import MEANINGS as UAM_MEANINGS
from andon.domain.uam_settings import UamSettings
from andon.runtimes.installed import KNOWN, ready
from andon.runtimes.prices import DATED, PRICES
from andon.runtimes.providers import models_of
from andon.workspace.files import write_contained

COLUMNS = 80
FIRST = ("runtime", "budget", "roles", "runtimes", "prices")
"""What people change first; everything else follows in the order of the settings."""
EXAMPLE_ROLE, EXAMPLE_PRICE, EXAMPLE_SERVER = "critic", "gpt-6-luna", "obsidian"
ACP = ("kind", "mode", "keys", "files")
"""Settings of an agent that andon does not know by name."""
EXAMPLE_SECONDS = 1800.0
EXAMPLE_REVIEWERS = "codex, gemini"
TITLES = {
    "runtime": "Who works",
    "budget": "What one run may use up",
    "roles": "Another program for a role: a plan is judged best by one that did not write it",
    "runtimes": "Programs and models of runtimes",
    "prices": f"What models cost, where it is not what `andon models` shows (as of {DATED})",
    "scenario": "Other settings",
    "role_seconds": "Longest time of an order, role by role",
    "environment": "What checks run with: docs/how-to/environments.md; `andon env --write`",
    "limits": "What bounds the loops of `auto`",
    "uam": "What bounds the loops of `uam`, and how it decides",
    "notify": "Whom to tell, and about what: docs/how-to/be-told.md",
    "mcp": "What programs may do through `andon mcp`",
    "serve": "What others may do through `andon serve`: docs/how-to/share-the-page.md",
    "memory": "What runs learn, and what `andon memory` asks: docs/how-to/share-memory.md",
    "servers": "MCP servers that members of teams may use: docs/how-to/make-a-team.md",
}


@dataclass(frozen=True, slots=True)
class Setting:
    key: str
    """As TOML has it."""
    value: Any
    """The default, or an example where there is none."""
    meaning: str
    unset: bool
    """Whether the value is an example only."""


@dataclass(frozen=True, slots=True)
class FirstFile:
    path: Path
    text: str
    agents: Mapping[str, str]
    """Runtime → how it stands here."""
    commands: Mapping[str, str]
    """Goal → what andon will run here, or why nothing."""

    def as_json(self) -> dict[str, Any]:
        return {"file": str(self.path), "agents": dict(self.agents), "commands": dict(self.commands)}


def first_file(environment: Mapping[str, str], folder: Path) -> FirstFile:
    """The file as it would be written for the repository of this folder."""
    root = _top(folder.absolute())
    program = ready(environment)
    agents = {each.runtime: _stands(environment, each.runtime) for each in KNOWN}
    commands = _commands(root)
    runtime = program.runtime if program else KNOWN[0].runtime
    return FirstFile(root / PROJECT_FILE, _text(agents, commands, runtime), agents, commands)


def write_first_file(environment: Mapping[str, str], made: FirstFile, *, force: bool) -> None:
    """Write it. A file that is there is somebody's work, and stays unless they say otherwise."""
    if not force and (made.path.exists() or made.path.is_symlink()):
        hint = "--force writes it anew, --print shows what would be written."
        raise UserError(f"There is an {PROJECT_FILE} already: {made.path}", hint)
    write_contained(made.path.parent, PROJECT_FILE, made.text)
    load_settings(Home.of(environment), made.path.parent, environment, {})


def _top(folder: Path) -> Path:
    """Of the repository, which may have no commit yet."""
    found = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    if found is None:
        raise UserError(f"{folder} is in no git repository", "`git init` makes it one; or name another with --repo.")
    return found


def _stands(environment: Mapping[str, str], runtime: str) -> str:
    [agent] = [each for each in KNOWN if each.runtime == runtime]
    if agent.path(environment) is None:
        return "not installed"
    return "installed, signed in" if agent.signed_in(environment) else "installed, nobody is signed in"


def _commands(root: Path) -> dict[str, str]:
    goals = plan_goals(detect(root), custom=None, interactive=False, machine=Machine.of())
    return {
        goal.name: " && ".join(shlex.join(command) for command in goal.commands) or goal.reason
        for goal in goals
        if goal.name not in ("custom", "interactive")
    }


# --- the text -------------------------------------------------------------------------------------------------------


def settings_in_order(runtime: str) -> dict[str, list[Setting]]:
    """Every setting, by section, those that people change first at the top."""
    rest = [name for name in Settings.model_fields if name not in FIRST]
    plain = [name for name in rest if name not in TITLES or name == "scenario"]
    tables = [name for name in rest if name not in plain]
    sections: dict[str, list[Setting]] = {name: list(_of(name, runtime)) for name in FIRST}
    sections["scenario"] = [each for name in plain for each in _of(name, runtime)]
    return sections | {name: list(_of(name, runtime)) for name in tables}


def _of(name: str, runtime: str) -> Iterator[Setting]:
    match name:
        case "budget":
            yield from _fields(BudgetSettings, "budget.", {})
        case "environment":
            yield from _fields(EnvironmentSettings, "environment.", {})
        case "notify":
            yield from _fields(NotifySettings, "notify.", {})
        case "mcp":
            yield from _fields(McpSettings, "mcp.", {})
        case "serve":
            yield from _fields(ServeSettings, "serve.", {})
        case "memory":
            yield from _fields(MemorySettings, "memory.", {})
        case "servers":
            yield from _fields(ServerSettings, f"servers.{EXAMPLE_SERVER}.", {})
        case "roles":
            yield from _fields(RoleSettings, f"roles.{EXAMPLE_ROLE}.", {"runtime": _other_than(runtime)})
        case "runtimes":
            yield from _fields(RuntimeSettings, f"runtimes.{runtime}.", {"program": runtime}, skip=("models", *ACP))
            known = models_of(runtime, {}, {})
            meaning = RuntimeSettings.model_fields["models"].description or ""
            for tier in Tier:
                key = f"runtimes.{runtime}.models.{_quoted(tier)}"
                yield Setting(key, known[tier], meaning, unset=False)
            others = [key for key in RuntimeSettings.model_fields if key not in ACP]
            yield from _fields(RuntimeSettings, "runtimes.my-agent.", {}, skip=others)
        case "prices":
            # One line for all three: a price without one of them is none.
            listed = asdict(PRICES[EXAMPLE_PRICE])
            meaning = " ".join(f"{key}: {field.description}" for key, field in PriceSettings.model_fields.items())
            yield Setting(f"prices.{_quoted(EXAMPLE_PRICE)}", listed, meaning, unset=True)
        case "limits":
            for limit in fields(AutoLimits):
                value = EXAMPLE_SECONDS if limit.default is None else limit.default
                yield Setting(f"limits.{limit.name}", value, MEANINGS[limit.name], limit.default is None)
        case "uam":
            for each in fields(UamSettings):
                value = EXAMPLE_REVIEWERS if each.default is None else each.default
                yield Setting(f"uam.{each.name}", value, UAM_MEANINGS[each.name], each.default is None)
        case "role_seconds":
            meaning = Settings.model_fields[name].description or ""
            for role in ROLES:
                yield Setting(f"role_seconds.{role}", EXAMPLE_SECONDS, meaning, unset=True)
        case _:
            field = Settings.model_fields[name]
            example = runtime if name == "runtime" else (field.examples or [None])[0]
            value = example if field.default is None else field.default
            yield Setting(name, value, field.description or "", field.default is None)


def _fields(
    model: type[BaseModel], lead: str, values: Mapping[str, Any], skip: Sequence[str] = ()
) -> Iterator[Setting]:
    for key, field in model.model_fields.items():
        if key not in skip:
            unset = field.is_required() or field.default is None
            value = values.get(key, (field.examples or [None])[0] if unset else field.default)
            yield Setting(f"{lead}{key}", value, field.description or "", unset)


def _text(agents: Mapping[str, str], commands: Mapping[str, str], runtime: str) -> str:
    lines = list(_head(agents, commands))
    for name, settings in settings_in_order(runtime).items():
        title = f"# --- {TITLES[name]} "
        lines += ["", title.ljust(COLUMNS, "-"), "#"]
        said = ""
        for setting in settings:
            lines += _lines(setting, said)
            said = setting.meaning
    return "\n".join(lines) + "\n"


def _head(agents: Mapping[str, str], commands: Mapping[str, str]) -> Iterator[str]:
    yield from _wrapped(
        "Settings of andon for this repository. All of it is commented out and shows what holds anyway; values marked "
        "`example` are none. Take the # away before a key to set it. Your own settings, for all repositories, lie in "
        "andon's data folder (`andon doctor` shows it) as settings.toml, and count more than these; `ANDON_…` "
        "variables and the command line count more still."
    )
    yield "#"
    trusted = ", ".join(NEEDS_TRUST)
    yield from _wrapped(
        f"A repository's file may be a stranger's. These keys count only after you have said `andon trust`, and again "
        f"after each change: {trusted}."
    )
    yield "#"
    yield "# Found when this was written:"
    yield from (f"#   agent {name:<11} {stands}" for name, stands in agents.items())
    yield from (f"#   check {name:<11} {_one_line(command)}" for name, command in commands.items())
    yield "# Checks need no settings: andon finds the project's own commands, as above."


def _lines(setting: Setting, said: str) -> Iterator[str]:
    if setting.meaning != said:
        yield from _wrapped(setting.meaning)
    yield f"#{setting.key} = {_toml(setting.value)}{'  # example' if setting.unset else ''}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, COLUMNS, initial_indent="# ", subsequent_indent="# ", break_long_words=False, break_on_hyphens=False
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:COLUMNS]


def _toml(value: Any) -> str:
    """JSON is TOML for text, numbers, truth and lists."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{key} = {_toml(each)}" for key, each in cast("dict[str, Any]", value).items())
        return f"{{{pairs}}}"
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)  # pyright: ignore[reportUnknownArgumentType]


def _other_than(runtime: str) -> str:
    return next(each.runtime for each in KNOWN if each.runtime != runtime)


def _quoted(key: str) -> str:
    return json.dumps(key) if not key.replace("_", "").replace("-", "").isalnum() else key
