"""Prepares the environment a tree is checked in: built once per digest, frozen, and never inside the tree itself."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andon.checks.building import Workshop, digest_of
from andon.checks.facts import Project
from andon.checks.languages.go.environment import prepare_go
from andon.checks.languages.java.environment import prepare_java
from andon.checks.languages.javascript.environment import prepare_node
from andon.checks.languages.python.environment import prepare_python
from andon.checks.languages.rust.environment import prepare_rust
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.reading import read_table, table
from andon.ports import Sandbox

__all__ = ["Environment", "Environments", "NotPrepared"]

FROZEN_KIND = "andon.frozen"
FROZEN = ("python", "node", "go", "rust")
Prepare = Callable[[str | None], Awaitable[Environment | NotPrepared]]


@dataclass(frozen=True, slots=True)
class Environments:
    """`home` is andon's data folder; environments lie in `home`/environments/<digest>."""

    home: Path
    sandbox: Sandbox
    trust_host: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of a person, which count more than those of the tree's own andon.toml."""

    async def prepare(
        self, tree_folder: Path, project: Project, folder: Path, *, frozen: str = ""
    ) -> Environment | NotPrepared:
        """`folder` is the caller's scratch; `frozen`, from an earlier environment, keeps its versions."""
        if not self.sandbox.confines and not self.trust_host:
            return NotPrepared("there is no sandbox to build an environment in", "andon doctor", environment_error=True)
        folder.mkdir(parents=True, exist_ok=True)
        preparing = _Preparing(
            Workshop((self.home / "environments").resolve(), self.sandbox, self.environ),
            tree_folder,
            project,
            folder,
            {**given_by(tree_folder), **{key: value for key, value in self.given.items() if value}},
        )
        versions = _thawed(frozen)
        parts: dict[str, Environment] = {}
        for name, prepare in preparing.languages():
            made = await prepare(versions.get(name))
            if isinstance(made, NotPrepared):
                return made
            parts[name] = made
        if project.only_make and not shutil.which("make", path=self.environ.get("PATH")):
            return NotPrepared("make is not installed", "install make", environment_error=True)
        return _joined(parts)


@dataclass(frozen=True, slots=True)
class _Preparing:
    workshop: Workshop
    tree: Path
    project: Project
    folder: Path
    given: Mapping[str, Any]

    def languages(self) -> Iterator[tuple[str, Prepare]]:
        """Those of the project, each with what prepares its part."""
        project = self.project
        if project.python and (project.python.has_code or project.python.build_requires is not None):
            yield (
                "python",
                lambda frozen: prepare_python(self.workshop, self.tree, project, self.folder, frozen, self.given),
            )
        if project.node:
            yield (
                "node",
                lambda frozen: prepare_node(self.workshop, self.tree, project, self.folder, frozen, self.given),
            )
        if go := project.go:
            yield "go", lambda frozen: prepare_go(self.workshop, self.tree, go, self.folder, frozen)
        if rust := project.rust:
            yield "rust", lambda frozen: prepare_rust(self.workshop, self.tree, rust, self.folder, frozen)
        if java := project.java:
            yield "java", lambda _: prepare_java(self.workshop, self.tree, java)


def _joined(parts: Mapping[str, Environment]) -> Environment:
    """One environment for a repository in several languages; its digest is its part's where there is only one."""
    digests = [part.digest for part in parts.values()]
    variables: dict[str, str] = {}
    for part in parts.values():
        variables.update(part.variables)
    return Environment(
        digests[0] if len(digests) == 1 else digest_of("joined", digests),
        paths=tuple(path for part in parts.values() for path in part.paths),
        variables=variables,
        readable=tuple(path for part in parts.values() for path in part.readable),
        python_path=tuple(path for part in parts.values() for path in part.python_path),
        linked=tuple(link for part in parts.values() for link in part.linked),
        scratch=tuple(path for part in parts.values() for path in part.scratch),
        caches={variable: name for part in parts.values() for variable, name in part.caches.items()},
        settings={name: value for part in parts.values() for name, value in part.settings.items()},
        lacks={name: why for part in parts.values() for name, why in part.lacks.items()},
        notes=tuple(note for part in parts.values() for note in part.notes),
        frozen=json.dumps(
            {"kind": FROZEN_KIND, "version": 1, **{name: part.frozen for name, part in parts.items()}}, sort_keys=True
        ),
    )


def _thawed(frozen: str) -> dict[str, str]:
    if not frozen:
        return {}
    record = table(json.loads(frozen))
    if record.get("kind") != FROZEN_KIND or record.get("version") != 1:
        raise ValueError("not a record of frozen versions")
    return {name: text for name, text in record.items() if name in FROZEN and isinstance(text, str)}


def given_by(tree: Path) -> Mapping[str, Any]:
    """`environment` of the tree's own andon.toml."""
    return table(table(read_table(tree, "andon.toml")).get("environment"))
