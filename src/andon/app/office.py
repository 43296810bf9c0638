"""What this machine can put to work: runtimes, roles, sandboxes, tools. What lies in a project is inventories.py.

A look starts real programs, which takes seconds; so it is made in the background and kept, and whoever asks gets what
is known now.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from andon.app.background import Kept
from andon.app.doctor import examine
from andon.app.doctor_rows import Finding
from andon.app.models import models
from andon.domain.auto.mode import AGENT_TYPES
from andon.domain.errors import UserError
from andon.domain.uam.agents import NAMES as UAM_AGENTS
from andon.pipelines.team.course import ROLES as TEAM_ROLES
from andon.roles.library import role, role_names
from andon.runtimes.installed import KNOWN

FRESH_SECONDS = 300.0
AGENT, SANDBOX = "agent ", "sandbox"
TOOLS = ("sqlite", "git", "bwrap", "npm")
"""Besides those that a scan looks for."""


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
class Office:
    runtimes: tuple[Runtime, ...]
    """Those that cannot work now first."""
    roles: tuple[Member, ...]
    tools: tuple[Finding, ...]
    sandboxes: tuple[Finding, ...]
    scanned_at: float | None
    """None: programs have not been asked yet."""


class Offices:
    """The last look, and the next one in the background."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.kept = Kept(self.look, FRESH_SECONDS)

    def now(self) -> Office:
        """What is known, at once."""
        return self.kept.now() or office(self._environment, [], None)

    def look(self) -> Office:
        """Ask every program now; seconds."""
        return office(self._environment, examine(self._environment, Path("/")), time.time())


def office(environment: Mapping[str, str], findings: Iterable[Finding], scanned_at: float | None) -> Office:
    found = {each.name: each for each in findings}
    return Office(
        runtimes=_runtimes(environment, found),
        roles=_members(environment),
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
        known = (("auto", AGENT_TYPES), ("uam", UAM_AGENTS), ("team", TEAM_ROLES))
        used = [word for word, names in known if name in names]
        place = ", ".join(used) or "task"
        made.append(Member(name, found.description, found.tier.value, found.writes, place, own.get(name, "")))
    return tuple(made)
