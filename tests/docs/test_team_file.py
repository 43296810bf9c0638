"""The published form of team.yaml is the one that is read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from andon.teamify.team_file import TeamFile

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/team.schema.json").read_text())
TEAM = """
team: custom.x
name: x
members: [{name: lead, place: lead, type: general-purpose}]
units: [{id: one, title: One, member: lead}]
"""


def test_B_32_schema_and_page_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "tools/team_schema.py", "--check"], cwd=ROOT, capture_output=True, timeout=60, text=True
    )

    assert done.returncode == 0, done.stderr


def test_B_32_every_key_has_a_meaning() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for form in (SCHEMA, *(SCHEMA["$defs"][name] for name in ("MemberPart", "UnitPart", "RalphPart"))):
        assert [key for key, told in form["properties"].items() if not told.get("description")] in ([], ["category"])


@pytest.mark.parametrize("wrong", ["", "version: 2", "member: []", "ralph: {max_iterations: 11}", "memory: [paper]"])
def test_B_32_schema_and_program_agree(wrong: str) -> None:
    loaded = yaml.safe_load(f"{TEAM}{wrong}")
    valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(loaded)

    try:
        TeamFile.model_validate(loaded)
        read = True
    except ValueError:
        read = False

    assert valid == read == (not wrong)
