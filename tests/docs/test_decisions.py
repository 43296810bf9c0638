"""A dependency is a decision: docs/decisions.md has a line about each."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_dependency_has_its_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"].values()
    needed = [*project["project"]["dependencies"], *chain(*optional), *project["dependency-groups"]["dev"]]
    needed = [each for each in needed if not each.startswith("andon[")]  # our own extras
    rows = re.findall(r"^\| ([a-z][^|]*) \|", (ROOT / "docs/decisions.md").read_text(encoding="utf-8"), re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"[a-z][a-z0-9-]+", row)}

    missing = {re.match(r"[a-z0-9-]+", each)[0] for each in needed} - explained  # type: ignore[index]

    assert missing == set()
