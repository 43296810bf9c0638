"""`andon env`: what a repository's checks run with. Shown, tried, written into andon.toml."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from andon.app.checker import ProjectChecker
from andon.app.interrupting import finish
from andon.app.sandboxes import best_sandbox, needed_sandbox
from andon.app.settings import load_settings
from andon.app.settings_sources import PROJECT_FILE
from andon.app.store import Store
from andon.checks.project import detect
from andon.checks.showing import Found, found_in
from andon.domain.errors import UserError
from andon.workspace.checkout import tree_of_checkout
from andon.workspace.files import write_contained
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import checkout

TABLE = "environment"


@dataclass(frozen=True, slots=True)
class Shown:
    root: Path
    found: tuple[Found, ...]
    commands: Mapping[str, str]
    """Goal → what is run, or why nothing."""
    tried: bool = False
    notes: tuple[str, ...] = ()
    """How each rung came out."""
    problem: str = ""
    fix: str = ""
    output: str = ""
    lacks: Mapping[str, str] | None = None
    settings: Mapping[str, Any] | None = None
    written: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "root": str(self.root), "found": [asdict(each) for each in self.found]}


def show(store: Store, folder: Path, environ: Mapping[str, str], *, tried: bool, trust_host: bool) -> Shown:
    """`tried`: build it, from the files as they lie in the checkout, and collect the tests."""
    repository = Repository.open(folder)
    git = GitStore.open(store.home.repositories, repository)
    settings, _ = load_settings(store.home, repository.root, environ, {})
    sandbox = needed_sandbox(store.home, trust_host) if tried else best_sandbox(store.home)
    checker = ProjectChecker(
        store.home.root, sandbox, trust_host, environment=settings.environment.model_dump(mode="json")
    )
    scratch = store.home.root / "environments-tried" / secrets.token_hex(8)
    tree = scratch / "tree"
    try:
        tree.parent.mkdir(parents=True)
        checkout(git, tree_of_checkout(git, repository.root, repository.head), tree)
        project = detect(tree)
        goals = [goal for goal in checker.goals(tree, None, False) if goal.name not in ("custom", "interactive")]
        commands = {goal.name: " && ".join(map(shlex.join, goal.commands)) or goal.reason for goal in goals}
        shown = Shown(repository.root, tuple(found_in(tree, project)), commands)
        if not tried:
            return shown
        (scratch / "work").mkdir()
        prepared = finish(checker.prepare(tree, scratch / "work"), lambda: checker.cancel(scratch / "work"))
    finally:
        remove_tree(scratch)
    data = prepared.data
    return Shown(
        shown.root,
        shown.found,
        commands,
        tried=True,
        notes=tuple(data.get("notes", ())),
        problem=prepared.problem,
        fix=prepared.fix,
        output=str(data.get("output", "")),
        lacks=cast("Mapping[str, str]", data.get("lacks", {})),
        settings=cast("Mapping[str, Any]", data.get("settings", {})),
    )


def write(shown: Shown) -> None:
    """Put the answer that works into andon.toml; everything else there stays as it is."""
    path = shown.root / PROJECT_FILE
    try:
        document: Any = tomlkit.parse(path.read_text("utf-8") if path.exists() else "")
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise UserError(f"{path} cannot be read: {error}", "The file is left as it is.") from error
    place = document.setdefault(TABLE, tomlkit.table())
    for key, value in (shown.settings or {}).items():
        place[key] = list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
    write_contained(shown.root, PROJECT_FILE, str(document.as_string()))
