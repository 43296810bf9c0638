"""What this machine offers a run: programs, sandbox tiers with a real probe, runtimes, the data folder."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from andon import processes
from andon.app.home import Home
from andon.domain.errors import UserError

LOW_DISK = 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    state: str
    """ok, degraded (andon works, less well) or missing (something does not work)."""
    detail: str = ""
    fix: str = ""

    def as_json(self) -> dict[str, str]:
        return asdict(self)


PROGRAMS = (
    ("git", True, "every run needs it", "install git with your package manager"),
    ("bwrap", False, "the sandbox", "install bubblewrap with your package manager"),
    ("node", False, "checks of Node projects", "install Node.js"),
    ("npm", False, "checks of Node projects", "install Node.js"),
    ("gh", False, "related issues are not looked up", "install the GitHub CLI"),
    ("tmux", False, "interactive checks", "install tmux"),
)


def examine(environment: Mapping[str, str]) -> list[Finding]:
    return [
        Finding("python", "ok", platform.python_version()),
        _data_folder(environment),
        Finding("sqlite", "ok", sqlite3.sqlite_version),
        *(_program(environment, *row) for row in PROGRAMS),
        *_sandboxes(environment),
        *_runtimes(),
    ]


def _program(environment: Mapping[str, str], name: str, needed: bool, use: str, fix: str) -> Finding:
    path = shutil.which(name, path=environment.get("PATH"))
    if path is None:
        return Finding(name, "missing" if needed else "degraded", f"not found ({use})", fix)
    asked = "-V" if name == "tmux" else "--version"
    done = processes.run([path, asked], cwd="/", env={"PATH": environment.get("PATH", ""), "HOME": "/"}, seconds=10)
    said = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return Finding(name, "ok", said[0] if said else path)


def _data_folder(environment: Mapping[str, str]) -> Finding:
    home = Home.of(environment)
    try:
        home.make()
    except UserError as error:
        return Finding("data folder", "missing", error.message, error.hint)
    free = shutil.disk_usage(home.root).free
    detail = f"{home.root} ({free // 1024**2} MiB free)"
    if free < LOW_DISK:
        return Finding(
            "data folder", "degraded", detail, "free some space: a run keeps worktrees and environments there"
        )
    return Finding("data folder", "ok", detail)


def _sandboxes(environment: Mapping[str, str]) -> list[Finding]:
    from andon.workspace.sandbox import probe

    reports = probe(Home.of(environment).root / "sandbox")
    best = next(report.tier for report in reports if report.usable)
    found: list[Finding] = []
    for report in reports:
        if report.tier == "none":
            continue
        used = " (used)" if report.tier == best else ""
        state = "ok" if report.usable else "degraded"
        detail = f"works{used}" + (f"; {'; '.join(report.notes)}" if report.notes else "")
        found.append(Finding(f"sandbox {report.tier}", state, detail if report.usable else report.reason, report.fix))
    if best == "none":
        text = "no tier works: checks are not measured unless you use --trust-host"
        found.append(Finding("sandbox", "missing", text, "see the reasons above"))
    return found


def _runtimes() -> list[Finding]:
    from andon.runtimes.registry import names

    return [Finding("runtimes", "ok", ", ".join(names()))]


def repository_finding(path: Path) -> Finding:
    from andon.workspace.repository import Repository

    try:
        repository = Repository.open(path)
    except UserError as error:
        return Finding("repository", "degraded", error.message, error.hint)
    dirty = repository.dirty()
    detail = f"{repository.root} on {repository.branch or 'a detached HEAD'}"
    return Finding("repository", "ok", detail + (f", {len(dirty)} uncommitted changes" if dirty else ""))
