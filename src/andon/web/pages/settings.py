"""Settings: what applies to a project and who wins; reviews, look, and who may come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andon.app.access import Role
from andon.app.reminding import auto_approval
from andon.app.settings_view import Explained, explained
from andon.domain.errors import UserError
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site

GROUPS: Mapping[str, tuple[str, ...]] = {
    "runs": ("runtime", "scenario", "language", "agent_seconds", "lease_seconds", "budget", "role_seconds"),
    "loops": ("limits", "uam"),
    "checks": ("trust_host", "interactive_command", "worktree_root", "link_claude"),
    "more": (),
}
"""By the first word of a key; the last group has the rest."""
NOTHING_WRONG: Mapping[str, Any] = {"key": "", "value": "", "error": None}
"""What was typed last and will not do."""
SHOWN = 8
"""Of what nobody has set so many stand open."""


def settings(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    repositories = sorted(site.store.runs.repositories())
    chosen = query.get("repository", "")
    project = chosen if chosen in repositories else ""
    problem: UserError | None = None
    try:
        found = explained(site.store.home, Path(project) if project else None, site.environment)
    except UserError as error:
        found, problem = [], error
    admin = reader.visitor.role.includes(Role.ADMIN)
    values: dict[str, Any] = {
        "groups": _grouped(found),
        "shown": SHOWN,
        "problem": problem,
        "wrong": NOTHING_WRONG,
        "repositories": _named(repositories),
        "project": project,
        "file": str(site.store.home.settings),
        "approval": auto_approval(site.store),
        "admin": admin,
        "tokens": site.access.tokens() if admin else [],
        "sessions": site.access.sessions() if admin else [],
        "roles": [role.value for role in Role],
    }
    return View("settings.html", reader.say("Settings"), "settings", values)


def _named(repositories: list[str]) -> list[tuple[str, str]]:
    """By their last part; with the one before it where two end alike."""
    names = Counter(Path(each).name for each in repositories)
    return [
        (each, path.name if names[path.name] == 1 else f"{path.parent.name}/{path.name}")
        for each in repositories
        for path in (Path(each),)
    ]


def _grouped(found: list[Explained]) -> dict[str, list[Explained]]:
    """What somebody has set stands first."""
    named = {key for keys in GROUPS.values() for key in keys}
    made: dict[str, list[Explained]] = {}
    for group, keys in GROUPS.items():
        own = [each for each in found if _first(each) in keys or (not keys and _first(each) not in named)]
        made[group] = sorted(own, key=lambda each: (each.quiet, keys.index(_first(each)) if keys else 0))
    return made


def _first(setting: Explained) -> str:
    return setting.key.partition(".")[0]
