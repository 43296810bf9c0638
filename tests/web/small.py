"""A server over rows alone: no agent works, nothing is measured. Quick to make, and nobody else's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from andon.app.access import Access, Role
from andon.app.queries import open_store
from andon.app.store import Store
from andon.domain.run import Status
from andon.web.site import Site

from .conftest import Served

SPEC: Mapping[str, Any] = {
    "version": 1,
    "pipeline": "auto",
    "reads": False,
    "request": {"task": "t", "options": {"worktree": False, "dry_run": False}},
    "language": "en",
    "base": "b" * 40,
    "base_tree": "c" * 40,
    "worktree": "/nowhere/worktree",
    "runtime": "scripted",
    "budget": {"tokens": None, "money": None, "seconds": None},
    "limits": {},
}
TASK_SPEC: Mapping[str, Any] = {
    **SPEC,
    "pipeline": "task",
    "request": {"task": "t", "options": {"type": "modify_app", "inputs": {}, "worktree": False, "dry_run": False}},
}


@dataclass(frozen=True)
class Small:
    folder: Path
    store: Store
    site: Site
    url: str
    tokens: Mapping[str, str]

    def client(self, role: Role = Role.ADMIN) -> httpx.Client:
        return httpx.Client(
            base_url=self.url, timeout=30, headers={"authorization": f"Bearer {self.tokens[role.value]}"}
        )

    def browser(self, role: Role = Role.ADMIN, name: str = "ann") -> httpx.Client:
        browser = httpx.Client(base_url=self.url, timeout=30)
        assert browser.get(f"/login?token={self.site.access.link(name, role)}").status_code == 303
        return browser

    def add(self, id: str, status: Status = Status.STOPPED, **values: Any) -> str:
        """A run of which only the row is there."""
        row = {"pipeline": "auto", "task": f"Task of {id}", "feature": id, "repository": str(self.folder / "repo")}
        row |= {"branch": f"feat/{id}", "spec": dict(SPEC), "status": str(status)}
        self.store.runs.create(id, row | values)
        return id


@contextmanager
def small(folder: Path, here: Path | None = None, **more: str) -> Iterator[Small]:
    """`here` is the folder that the server was started in."""
    environment = {**os.environ, "ANDON_HOME": str(folder / "home"), "HOME": str(folder), "USER": "ann", **more}
    store = open_store(environment)
    access = Access(store.home)
    tokens = {role.value: access.token(f"{role}-token", role) for role in Role}
    site = Site.of(store, environment, here=here or folder)
    served = Served(site)
    try:
        yield Small(folder, store, site, served.url, tokens)
    finally:
        served.close()
