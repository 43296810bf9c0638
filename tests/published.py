"""The schemas that docs/reference publishes, for tests of what is written (E-08)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
SCHEMAS: dict[str, dict[str, Any]] = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((REFERENCE / "schemas").glob("*.schema.json"))
}


def mistakes(name: str, value: object) -> list[str]:
    """What the schema of that name has against it."""
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(value)]
