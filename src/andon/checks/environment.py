"""Prepares the environment a tree is checked in: built once per digest, frozen, and never inside the tree itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import uv

from andon.checks.building import Workshop, digest_of
from andon.checks.facts import Project
from andon.checks.interpreter import find_interpreter
from andon.checks.node_environment import build_node, find_node
from andon.checks.prepared import Environment, NotPrepared
from andon.checks.python_environment import build_python
from andon.checks.reading import is_folder, table
from andon.ports import Sandbox

__all__ = ["Environment", "Environments", "NotPrepared"]

FROZEN_KIND = "andon.frozen"


@dataclass(frozen=True, slots=True)
class Environments:
    """`home` is andon's data folder; environments lie in `home`/environments/<digest>."""

    home: Path
    sandbox: Sandbox
    trust_host: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    async def prepare(
        self, tree_folder: Path, project: Project, folder: Path, *, frozen: str = ""
    ) -> Environment | NotPrepared:
        """`folder` is scratch of the caller; `frozen`, from an earlier environment, keeps its versions."""
        if not self.sandbox.confines and not self.trust_host:
            return NotPrepared("no sandbox to build an environment in", "andon doctor", environment_error=True)
        folder.mkdir(parents=True, exist_ok=True)
        workshop = Workshop(self.home / "environments", self.sandbox, self.environ)
        versions = _thaw(frozen)
        parts: list[Environment] = []
        if project.python and project.python.has_code:
            parts.append(part := await _python(workshop, tree_folder, project, folder, versions.get("python")))
            if isinstance(part, NotPrepared):
                return part
        if project.node:
            parts.append(part := await _node(workshop, tree_folder, project, folder, versions.get("node")))
            if isinstance(part, NotPrepared):
                return part
        return _joined(parts)
