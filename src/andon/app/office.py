"""What this machine can put to work: runtimes, roles, skills, commands, MCP servers, tools, sandboxes.

A look starts real programs, which takes seconds; so it is made in the background and kept, and whoever asks gets what
is known now.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from andon.app.doctor import examine
from andon.app.doctor_rows import Finding
from andon.app.models import models
from andon.app.plugin import plugin_folder
from andon.domain.auto.mode import AGENT_TYPES
from andon.domain.errors import UserError
from andon.domain.uam.agents import NAMES as UAM_AGENTS
from andon.roles.library import role, role_names
from andon.runtimes.installed import KNOWN

FRESH_SECONDS = 300.0
LARGEST_FILE = 1_000_000
AGENT, SANDBOX = "agent ", "sandbox"
TOOLS = ("python", "sqlite", "git", "bwrap", "node", "npm", "gh", "tmux")


@dataclass(frozen=True, slots=True)
class Runtime:
    name: str
    ready: bool
    detail: str
    fix: str = ""
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A role that can be handed orders."""

    name: str
    description: str
    tier: str
    writes: bool
    used_by: str
    runtime: str = ""
    """Where settings name one of its own."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A skill, a command or an MCP server."""

    name: str
    description: str
    source: str
    """`andon` for what comes with it, `you` for what lies in the person's home folder."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Office:
    runtimes: tuple[Runtime, ...]
    """Those that cannot work now first."""
    agents: tuple[Member, ...]
    skills: tuple[Resource, ...]
    commands: tuple[Resource, ...]
    servers: tuple[Resource, ...]
    tools: tuple[Finding, ...]
    sandboxes: tuple[Finding, ...]
    scanned_at: float | None
    """None: programs have not been asked yet."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Offices:
    """The last look, and the next one in the background."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._lock = threading.Lock()
        self._known: Office | None = None
        self._looking: threading.Thread | None = None

    def now(self) -> Office:
        """What is known, at once."""
        with self._lock:
            known, busy = self._known, self._looking is not None and self._looking.is_alive()
            old = known is None or time.time() - (known.scanned_at or 0.0) > FRESH_SECONDS
            if old and not busy:
                self._looking = threading.Thread(target=self.look, name="andon-office", daemon=True)
                self._looking.start()
        return known or office(self._environment, [], None)

    def look(self) -> Office:
        """Ask every program now; seconds."""
        made = office(self._environment, examine(self._environment, Path("/")), time.time())
        with self._lock:
            self._known = made
        return made


def office(environment: Mapping[str, str], findings: Iterable[Finding], scanned_at: float | None) -> Office:
    found = {each.name: each for each in findings}
    home = Path(environment.get("HOME", "/nonexistent"))
    ours = plugin_folder()
    return Office(
        runtimes=_runtimes(environment, found),
        agents=_members(environment),
        skills=(*_skills(ours / "skills", "andon"), *_skills(home / ".claude" / "skills", "you")),
        commands=(*_commands(ours / "commands", "andon"), *_commands(home / ".claude" / "commands", "you")),
        servers=_servers(home / ".claude.json"),
        tools=tuple(found[name] for name in TOOLS if name in found),
        sandboxes=tuple(each for name, each in found.items() if name.startswith(SANDBOX)),
        scanned_at=scanned_at,
    )


def _runtimes(environment: Mapping[str, str], found: Mapping[str, Finding]) -> tuple[Runtime, ...]:
    serving = _models(environment)
    made = list[Runtime]()
    for program in KNOWN:
        told = found.get(f"{AGENT}{program.runtime}") or _glance(environment, program.runtime)
        named = serving.get(program.runtime, ())
        made.append(Runtime(program.runtime, told.state == "ok", told.detail, told.fix, named))
    if api := found.get(f"{AGENT}api"):
        made.append(Runtime("api", api.state == "ok", api.detail, api.fix, serving.get("api", ())))
    made.append(Runtime("scripted", True, "plays a scenario, without a model", "", ()))
    return tuple(sorted(made, key=lambda each: each.ready))


def _glance(environment: Mapping[str, str], runtime: str) -> Finding:
    """As far as one can tell without starting the program."""
    program = next(each for each in KNOWN if each.runtime == runtime)
    if program.path(environment) is None:
        return Finding(runtime, "degraded", "not installed", f"If you want it: {program.install}")
    by = program.signed_in(environment)
    return Finding(runtime, "ok", f"signed in by {by}") if by else _signed_out(runtime, program.sign_in)


def _signed_out(runtime: str, fix: str) -> Finding:
    return Finding(runtime, "degraded", "nobody is signed in", fix)


def _models(environment: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    named: dict[str, list[str]] = {}
    try:
        for each in models(environment, None).models:
            named.setdefault(each.runtime, []).append(f"{each.tier}: {each.model}")
    except UserError:  # settings that cannot be read are told on their own page
        return {}
    return {name: tuple(each) for name, each in named.items()}


def _members(environment: Mapping[str, str]) -> tuple[Member, ...]:
    own: Mapping[str, str] = {}
    with suppress(UserError):
        own = models(environment, None).roles
    made = list[Member]()
    for name in role_names():
        found = role(name)
        used = [word for word, known in (("auto", AGENT_TYPES), ("uam", UAM_AGENTS)) if name in known]
        place = ", ".join(used) or "task"
        made.append(Member(name, found.description, found.tier.value, found.writes, place, own.get(name, "")))
    return tuple(made)


def _skills(folder: Path, source: str) -> list[Resource]:
    return [_described(file, file.parent.name, source) for file in sorted(folder.glob("*/SKILL.md"))]


def _commands(folder: Path, source: str) -> list[Resource]:
    return [_described(file, file.stem, source) for file in sorted(folder.glob("*.md"))]


def _described(file: Path, name: str, source: str) -> Resource:
    """By the head of its file. One that cannot be read is listed with the reason."""
    try:
        if file.stat().st_size > LARGEST_FILE:
            return Resource(name, "", source, f"{file} is larger than a megabyte")
        text = file.read_text("utf-8")
        head: object = yaml.safe_load(text.split("---", 2)[1]) if text.startswith("---") else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, IndexError) as error:
        return Resource(name, "", source, f"{file}: {str(error).splitlines()[0]}")
    if not isinstance(head, dict):
        return Resource(name, "", source, f"{file}: its head is not a table")
    told = cast("dict[str, Any]", head)
    return Resource(str(told.get("name") or name), str(told.get("description") or ""), source)


def _servers(file: Path) -> tuple[Resource, ...]:
    """Names and programs only: what else stands there may be secret."""
    try:
        found: object = json.loads(file.read_text("utf-8")) if file.stat().st_size <= 20 * LARGEST_FILE else None
    except (OSError, ValueError):
        return ()
    servers: object = cast("dict[str, Any]", found).get("mcpServers") if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        return ()
    made = list[Resource]()
    for name, how in sorted(cast("dict[str, Any]", servers).items()):
        told = cast("dict[str, Any]", how) if isinstance(how, dict) else {}
        kind = Path(str(told["command"])).name if "command" in told else str(told.get("type", "http"))
        made.append(Resource(name, kind, "you"))
    return tuple(made)
