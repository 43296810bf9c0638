"""docs/how-to/share-memory.md and docs/reference/memory.md: what they say of kinds, tables, numbers and settings."""

from __future__ import annotations

import re
import sqlite3
import tomllib
from pathlib import Path

import pytest

from andon.app.settings import Settings
from andon.domain.learning import LONGEST, OFFERED, OFFERED_ALL, OFFERED_EACH, Lesson
from andon.domain.teams.layers import ROUTES
from andon.domain.teams.memory_servers import KNOWN
from andon.memory.learnings import VERSION, Learnings
from andon.memory.sqlite import Database
from andon.pipelines.auto.notepad import MOST

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "andon"
HOW_TO = (ROOT / "docs/how-to/share-memory.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs/reference/memory.md").read_text(encoding="utf-8")
WRITERS = {
    "team bulletin": ("pipelines/team/sharing.py", "append(course.path(BULLETIN)"),
    "team findings": ("pipelines/team/sharing.py", "append(course.path(FINDINGS)"),
    "team plan": ("pipelines/team/sharing.py", "write(course.path(PLAN)"),
    "team progress": ("pipelines/team/sharing.py", "write(course.path(PROGRESS)"),
    "team state, decisions, discoveries": ("memory/sqlite.py", "INSERT INTO discoveries"),
    "UAM learnings, decisions, issues": ("domain/uam/knowledge.py", '"Patterns and conventions"'),
    "UAM metrics": ("domain/uam/knowledge.py", '"# Metrics: '),
    "project memory": ("domain/uam/knowledge.py", '"Project memory"'),
    "notepad": ("pipelines/auto/notepad.py", "write(NOTEPAD_PATH"),
    "contexts": ("pipelines/auto/context.py", "= gmail_context_path("),
    "learnings": ("memory/learnings.py", "INTO learnings"),
}
"""Kind, its module, and what of that module's text does the writing."""


def rows(page: str, columns: int) -> list[list[str]]:
    lines = [line for line in page.splitlines() if line.startswith("| ") and line.count(" | ") == columns - 1]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_E_14_the_reference_names_every_kind_with_its_writer() -> None:
    told = {row[0]: row[2].strip("`") for row in rows(REFERENCE, 4) if row[0] != "kind"}

    assert told == {kind: module for kind, (module, _) in WRITERS.items()}


@pytest.mark.parametrize("kind", WRITERS)
def test_E_14_each_kind_has_one_writer(kind: str) -> None:
    module, writing = WRITERS[kind]

    found = [str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*.py") if writing in file.read_text("utf-8")]

    assert found == [module]


def test_E_14_the_tables_have_the_columns_that_are_told(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    Database(file).make()
    Learnings(file).add(Lesson("x"))
    with sqlite3.connect(file) as connection:
        tables = ("shared_state", "decisions", "discoveries", "learnings")
        columns = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in tables}
    told = {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in rows(REFERENCE, 2)}
    assert {name: told[name] for name in tables[:3]} == {name: columns[name] for name in tables[:3]}
    _, below = REFERENCE.split("## learnings.db")
    named = [name for row in rows(below, 2) for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(columns["learnings"])
    assert f"`PRAGMA user_version` is {VERSION}" in below


def test_the_numbers_are_the_real_ones() -> None:
    assert f"at most {LONGEST:,} characters" in REFERENCE and f"up to {MOST:,} characters" in REFERENCE
    assert f"{OFFERED} at most, each cut at {OFFERED_EACH} characters, {OFFERED_ALL:,} together" in REFERENCE
    assert "five at most" in HOW_TO and OFFERED == 5


def test_B_48_the_table_of_servers_is_the_one_that_is_used() -> None:
    told = [row for row in rows(HOW_TO, 3) if row[0].strip("`") in KNOWN]

    assert told == [
        [f"`{name}`", f"`{each.search.tool}`", f"`{each.write.tool if each.write else ''}`"]
        for name, each in KNOWN.items()
    ]


def test_B_40_the_table_of_layers_names_every_kind_of_question() -> None:
    told = {row[0].strip("`"): re.findall(r"--kind (\w+)", row[2]) for row in rows(HOW_TO, 3)}

    assert all(kind.value in told[layer.value] for kind, layer in ROUTES.items())


def test_the_settings_it_shows_are_settings() -> None:
    shown = [
        Settings.model_validate(tomllib.loads(text)) for text in re.findall(r"```toml\n(.*?)```", HOW_TO, re.DOTALL)
    ]

    assert shown[0].memory.learnings is False and shown[1].memory.search_tool == "find_notes"
