"""Tables that teams are made by, replaced by files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.domain.teams.tables import BUILT_IN
from andon.teamify.table_files import NAMES, as_text, read_tables
from warm import Finished

Andon = Callable[..., Finished]
LEGAL = """
- name: Legal
  words: [contract, clause]
  prefix: legal
  purpose: analysis/research
  domain: 4.9 Law
"""
EXPERTS = """
4.9 Law: {name: Ruth Bader Ginsburg, frameworks: [Close Reading]}
"""
FLOW = "## STEP 1 Read the contract\nEach clause of the contract.\n## STEP 2 Mark the clause\noutputs: `marks.md`\n"


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


def test_G_10_what_is_printed_is_read_again_as_what_is_built_in(tmp_path: Path) -> None:
    put(tmp_path / "t", **{name: as_text(name) for name in NAMES})

    assert read_tables(tmp_path / "t") == BUILT_IN


def test_G_10_B_29_B_37_a_file_replaces_its_table_and_no_other(tmp_path: Path) -> None:
    found = read_tables(put(tmp_path / "t", categories=LEGAL, experts=EXPERTS))

    assert [each.name for each in found.categories] == ["Legal"]
    assert found.experts["4.9 Law"].name == "Ruth Bader Ginsburg"
    assert found.checklist == BUILT_IN.checklist and found.tools == BUILT_IN.tools


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "There is no table in"),
        ({"catergories": LEGAL}, "catergories.yaml, and no such table"),
        ({"categories": "[{name: x}]"}, "words is missing"),
        ({"categories": "- {name: x"}, "expected"),
        ({"checklist": "[2026-99-99]"}, "month must be in"),
        ({"categories": LEGAL}, "experts has no domain 4.9 Law"),
        ({"categories": LEGAL * 2, "experts": EXPERTS}, "two categories are called Legal"),
        ({"checklist": "a: b"}, "has to be a list"),
        ({"tools": "[{name: a, title: b, first: best}]"}, "first has to be .cli. or .mcp."),
        ({"expansions": "coding/development: []"}, "expansions has no purpose agent/automation"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_G_10_what_is_wrong_with_a_table_is_said(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message) as refused:
        read_tables(put(tmp_path / "t", **files))
    assert refused.value.hint


def test_G_10_a_team_is_made_by_the_tables_that_are_named(run_andon: Andon, tmp_path: Path) -> None:
    put(tmp_path / "tables", categories=LEGAL, experts=EXPERTS)
    (tmp_path / "flow.md").write_text(FLOW)

    told = run_andon("team", "compose", "flow.md", "--only", "--tables", "tables", "--json")
    plain = run_andon("team", "compose", "flow.md", "--only", "-o", "plain.yaml", "--json")

    assert told.code == plain.code == 0, told.stderr + plain.stderr
    assert json.loads(told.stdout)["team"] == "legal.flow" and json.loads(plain.stdout)["team"] == "custom.flow"
    [reader, *_] = json.loads(told.stdout)["prompts"].values()
    assert reader["expert"] == "Ruth Bader Ginsburg" and "as Ruth Bader Ginsburg would" in reader["text"]


def test_G_10_a_setting_names_them_for_good(run_andon: Andon, andon_home: Path, tmp_path: Path) -> None:
    put(tmp_path / "tables", categories=LEGAL, experts=EXPERTS)
    (tmp_path / "flow.md").write_text(FLOW)
    andon_home.mkdir(exist_ok=True)
    (andon_home / "settings.toml").write_text(f'team_tables = "{tmp_path}/tables"\n')

    told = run_andon("team", "analyse", "flow.md", "--only", "--json")

    assert json.loads(told.stdout)["categories"] == ["Legal"], told.stderr
    assert "Legal" in run_andon("team", "tables", "--only", "categories").stdout


def test_G_10_B_12_the_best_ways_of_a_scan_are_those_of_the_tables_that_are_named(
    run_andon: Andon, tmp_path: Path
) -> None:
    put(tmp_path / "tables", tools="[{name: history, title: history, program: git, first: cli}]")

    told = json.loads(run_andon("team", "scan", "--only", "--tables", "tables", "--json").stdout)
    shown = run_andon("team", "scan", "--only", "--tables", "tables").stdout

    assert list(told["tool_paths"]) == ["history"]
    assert "Best ways (1)" in shown and "git (cli), else none" in shown
    [git] = [each for each in told["programs"] if each["name"] == "git"]
    assert git["path"] and not git["version"], "what nobody knows is looked for, and not started"


def test_B_17_compose_says_that_a_document_is_rather_something_to_look_up(run_andon: Andon, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(
        "".join(f"## {name}\nWords.\n" for name in map("Topic {}".format, "abcdefghijklmnop"))
    )

    told = run_andon("team", "compose", "long.md", "--only", "--json")

    assert "rather something to look up" in " ".join(told.stderr.split())
    assert any("rather something to look up" in note for note in json.loads(told.stdout)["notes"])


def test_G_10_tables_are_written_to_begin_from_and_never_over_others(run_andon: Andon, tmp_path: Path) -> None:
    first = run_andon("team", "tables", "mine", "--only", "categories")
    again = run_andon("team", "tables", "mine", "--only", "categories")
    wrong = run_andon("team", "tables", "--only", "nothing")

    assert first.code == 0 and first.stdout.split() == ["mine/categories.yaml"]
    assert read_tables(tmp_path / "mine") == BUILT_IN
    assert again.code == 3 and "already" in again.stderr
    assert wrong.code != 0 and "there is no table nothing" in wrong.stderr
