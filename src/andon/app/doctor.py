"""What this machine offers a run: programs, data folder and database, sandbox tiers with a real probe, agents."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from andon import processes
from andon.app.doctor_rows import Finding, database, port
from andon.app.home import Home
from andon.app.statefile import without_ours
from andon.domain.errors import UserError
from andon.runtimes.installed import AgentProgram
from andon.workspace.repository import Repository
from andon.workspace.sandbox import probe

LOW_DISK = 1024**3
NOT_BUILT = ("bwrap+cgroup",)
"""Tiers nobody can have yet: no news about this machine."""


PROGRAMS = (
    ("git", True, "every run needs it", "Install git with your package manager."),
    ("bwrap", False, "the best sandbox needs it", "Install bubblewrap with your package manager."),
    ("node", False, "projects with a package.json cannot be checked", "Install Node.js."),
    ("npm", False, "projects with a package.json cannot be checked", "Install Node.js."),
    ("gh", False, "related issues are not looked up", "Install the GitHub CLI."),
    ("tmux", False, "interactive checks are not made", "Install tmux."),
)


def examine(environment: Mapping[str, str], folder: Path) -> list[Finding]:
    """Everything, from the person's working folder. Reports what it cannot look at instead of giving up."""
    found = [
        Finding("python", "ok", platform.python_version()),
        Finding("sqlite", "ok", sqlite3.sqlite_version),
        *(_program(environment, *row) for row in PROGRAMS),
    ]
    try:
        home = Home.of(environment)
        home.make()
    except UserError as error:
        found.append(Finding("data folder", "missing", error.message, error.hint))
    else:
        found += [_data_folder(home), database(home), *_sandboxes(home)]
    return [*found, port(), *_agents(environment), _repository(folder)]


def _program(environment: Mapping[str, str], name: str, needed: bool, use: str, fix: str) -> Finding:
    path = shutil.which(name, path=environment.get("PATH"))
    if path is None:
        return Finding(name, "missing" if needed else "degraded", f"not found: {use}", fix)
    asked = "-V" if name == "tmux" else "--version"
    try:
        done = processes.run([path, asked], cwd="/", env={"PATH": environment.get("PATH", ""), "HOME": "/"}, seconds=10)
    except UserError as error:
        return Finding(name, "missing" if needed else "degraded", error.message, fix)
    said = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return Finding(name, "ok", said[0] if said else path)


def _data_folder(home: Home) -> Finding:
    free = shutil.disk_usage(home.root).free
    detail = f"{home.root} ({free // 1024**2} MiB free)"
    if free < LOW_DISK:
        return Finding("data folder", "degraded", detail, "Make room: a run keeps its files and environments there.")
    return Finding("data folder", "ok", detail)


def _sandboxes(home: Home) -> list[Finding]:
    reports = [report for report in probe(home.root / "sandbox") if report.tier not in NOT_BUILT]
    best = next(report.tier for report in reports if report.usable)
    found: list[Finding] = []
    for report in reports:
        if report.tier == "none":
            continue
        used = "used" if report.tier == best else "works, not needed"
        detail = "; ".join((used, *(report.notes if report.tier == best else ()))) if report.usable else report.reason
        found.append(Finding(f"sandbox {report.tier}", "ok" if report.usable else "degraded", detail, report.fix))
    if best == "none":
        text = "no tier works: runs are refused unless you use --trust-host"
        found.append(Finding("sandbox", "missing", text, "The reasons stand above."))
    return found


def _agents(environment: Mapping[str, str]) -> list[Finding]:
    """Whose programs are there and who is signed in: by what, never the secret itself."""
    from andon.runtimes.installed import KNOWN
    from andon.runtimes.registry import names

    others = [name for name in names() if name not in {each.runtime for each in KNOWN} | {"api"}]
    agents = (_agent(environment, each) for each in KNOWN)
    return [*agents, _api(environment), Finding("other runtimes", "ok", ", ".join(others))]


def _api(environment: Mapping[str, str]) -> Finding:
    from andon.runtimes.api import ApiRuntime
    from andon.runtimes.setup import Setup

    name = "agent api"
    try:
        runtime = ApiRuntime(Setup(environment=environment))
    except UserError as problem:
        return Finding(name, "degraded", problem.message, f"If you want it: {problem.hint}")
    return Finding(name, "ok", f"signed in by {runtime.signed_in}")


def _agent(environment: Mapping[str, str], agent: AgentProgram) -> Finding:
    name = f"agent {agent.runtime}"
    path = agent.path(environment)
    if path is None:
        return Finding(name, "degraded", "not installed", f"If you want it: {agent.install}")
    try:
        done = processes.run([str(path), "--version"], cwd="/", env={"PATH": environment.get("PATH", "")}, seconds=20)
        version = done.stdout.decode("utf-8", "replace").strip().splitlines()[:1] or ["no version"]
    except UserError as error:
        return Finding(name, "degraded", error.message, f"Install it anew: {agent.install}")
    by = agent.signed_in(environment)
    if not by:
        return Finding(name, "degraded", f"{version[0]}, nobody is signed in", agent.sign_in)
    return Finding(name, "ok", f"{version[0]}, signed in by {by}")


def _repository(folder: Path) -> Finding:
    try:
        repository = Repository.open(folder)
        dirty = without_ours(repository.dirty())
    except UserError as error:
        return Finding("repository here", "degraded", error.message, error.hint)
    detail = f"{repository.root} on {repository.branch or 'a detached HEAD'}"
    return Finding("repository here", "ok", detail + (f", uncommitted changes: {len(dirty)}" if dirty else ""))
