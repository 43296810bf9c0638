"""`andon team` on what people have lying about: each a clear row or message, none a crash, and none takes long."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.cli.text import width
from warm import Finished

Andon = Callable[..., Finished]
STEPS = "---\nname: {name}\ndescription: Does {name}\n---\n## STEP 1\ninputs: a\n## STEP 2\noutputs: `b.md`\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".claude" / "skills").mkdir(parents=True)
    return tmp_path / "project"


def titles(told: Finished) -> list[str]:
    assert told.code == 0, told.stderr
    return [unit["title"] for unit in json.loads(told.stdout)["units"]]


@pytest.mark.parametrize(
    "raw",
    [
        STEPS.format(name="x").replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + STEPS.format(name="x").encode(),
        STEPS.format(name="x").encode("utf-16"),
        STEPS.format(name="x").replace("\n", "\r\n").encode("utf-16"),
    ],
    ids=["CRLF", "BOM", "UTF-16", "UTF-16 with CRLF"],
)
def test_B_16_a_text_is_read_however_it_was_saved(run_andon: Andon, here: Path, raw: bytes) -> None:
    file = here / ".claude" / "skills" / "x.md"
    file.write_bytes(raw)

    told = run_andon("team", "analyse", str(file), "--only", "--json", cwd=here)
    scanned = run_andon("team", "scan", "--only", "--json", cwd=here)

    assert titles(told) == ["STEP 1", "STEP 2"]
    assert (found := json.loads(told.stdout))["name"] == "x" and found["units"][0]["inputs"] == ["a"]
    [skill] = json.loads(scanned.stdout)["skills"]
    assert (skill["name"], skill["description"], skill["problem"]) == ("x", "Does x", "")


def test_B_02_pipes_loops_and_folders_are_told_and_nothing_waits_for_them(run_andon: Andon, here: Path) -> None:
    skills = here / ".claude" / "skills"
    os.mkfifo(skills / "pipe.md")
    (skills / "loop.md").symlink_to("loop.md")
    (skills / "again").symlink_to(".")
    (skills / "folder.md").mkdir()
    (skills / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(here / ".mcp.json")

    told = run_andon("team", "scan", "--only", cwd=here)

    assert told.code == 0, told.stderr
    assert "is no ordinary file" in told.stdout, "the row of .mcp.json"
    for name in ("pipe.md: it is no file", "loop.md: it is a link to nothing", "zero.md: it is no file"):
        assert name in told.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("".join(f"## STEP {n}\nx\n" for n in range(700)), "members has more than 200 entries"),
        ("## STEP 1\n" + "word " * 60_000 + "\n## STEP 2\nx\n", "instructions has more than 200000 characters"),
    ],
    ids=["700 steps", "300,000 characters in a line"],
)
def test_B_32_a_team_that_would_be_too_large_says_how_large_one_may_be(
    run_andon: Andon, here: Path, text: str, message: str
) -> None:
    (here / "x.md").write_text(text)

    assert titles(run_andon("team", "analyse", "x.md", "--only", "--json", cwd=here))[0].startswith("STEP")
    told = run_andon("team", "compose", "x.md", "--only", cwd=here)

    assert told.code == 3 and message in told.stderr and "or divide it" in told.stderr
    assert not (here / "team.yaml").exists()


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("very " * 100, ("very " * 40).strip()),
        ("A\x1b[31mred\x07\u202eB", "A [31mred B"),
        ("調査 する — «x»", "調査 する — «x»"),
        ("بحث", "بحث"),
    ],
    ids=["long", "control characters", "Japanese", "Arabic"],
)
def test_B_17_titles_of_any_kind_become_a_team_that_can_work(
    run_andon: Andon, here: Path, title: str, shown: str
) -> None:
    (here / "x.md").write_text(f"## {title}\nx\n## And then\ny\n")

    made = run_andon("team", "compose", "x.md", "--only", "--json", cwd=here)
    checked = run_andon("team", "check", "--json", cwd=here)

    assert made.code == 0 and checked.code == 0, made.stderr + checked.stderr
    assert titles(run_andon("team", "analyse", "x.md", "--only", "--json", cwd=here))[0] == shown


@pytest.mark.parametrize("path", ["/etc/x.conf", "../up.md", "a/../../b.md", ".git/config.d", "C:/x.md", "~/x.md"])
def test_B_25_nobody_is_given_a_file_outside_of_the_project(run_andon: Andon, here: Path, path: str) -> None:
    (here / "x.md").write_text(f"## STEP 1\noutputs: `{path}`, `good.md`\n## STEP 2\nx\n")
    run_andon("team", "compose", "x.md", "--only", cwd=here)
    team = (here / "team.yaml").read_text()
    assert run_andon("team", "check", cwd=here).code == 0 and f"      - {path}" not in team.partition("writes:")[2][:30]

    (here / "team.yaml").write_text(team.replace("writes:\n      - good.md", f"writes:\n      - {path}"))

    told = run_andon("team", "check", cwd=here)
    assert told.code == 3 and f"{path} is not in the project" in told.stderr


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "is no ordinary file"),
        (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\xff"), "is no text in UTF-8"),
        (lambda path: path.write_text("[" * 5000), "A team is a YAML file"),
        (lambda path: path.write_text("a: &a [x]\nb: *c\n"), "A team is a YAML file"),
        (lambda path: path.write_text("members: 3\nunits: many\n" + "".join(f"k{n}: 1\n" for n in range(50))), "more"),
        (lambda path: path.write_text(""), "is no team"),
    ],
    ids=["folder", "pipe", "picture", "deep", "no anchor", "fifty mistakes", "empty"],
)
def test_B_32_what_is_no_team_says_so(run_andon: Andon, here: Path, make: Any, message: str) -> None:
    make(here / "team.yaml")

    told = run_andon("team", "check", cwd=here)

    assert told.code == 3 and message in told.stderr and len(told.stderr.splitlines()) < 30, told.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "is no YAML: while parsing a flow node did not find expected node content, line 2, column 1"),
        ("- 1\n", "- the file has to be a table of names and values"),
        ("", "- the file has to be a table of names and values"),
        ("team: a\nname: a\n", "- members is missing\n"),
        ("membres: []\n", "- there is no membres; did you mean members?"),
        ("xyz: 1\n", "- there is no xyz; there can be version, team, name"),
        ("units:\n- {id: a, title: A, member: b}\n- {id: c, titel: C}\n", "- units 2 (c) title is missing\n"),
        ("units:\n- {id: c, titel: C}\n", "- units 1 (c): there is no titel; did you mean title?"),
        ("ralph: {enabled: maybe}\n", "- ralph enabled has to be true or false"),
        ("ralph: {max_iterations: 99}\n", "- ralph max_iterations has to be 10 at most"),
        ("members:\n- {name: a, place: boss}\n", "- members 1 (a) place has to be 'lead', 'category_lead' or 'worker'"),
        ("members: 3\n", "- members has to be a list"),
        ("team: 3\n", "- team has to be a text; a number or a word such as yes stands in quotes"),
    ],
)
def test_B_32_every_mistake_in_the_form_of_a_team_is_a_sentence(
    run_andon: Andon, here: Path, text: str, told: str
) -> None:
    (here / "team.yaml").write_text(text)

    checked = run_andon("team", "check", cwd=here)

    assert checked.code == 3 and told in checked.stderr, checked.stderr
    assert "pydantic" not in checked.stderr and "Input should" not in checked.stderr


def test_B_28_a_model_that_is_no_tier_is_told(run_andon: Andon, here: Path) -> None:
    members = [{"name": "lead", "place": "lead", "model": "banana"}]
    units = [{"id": "a", "title": "A", "member": "lead"}]
    (here / "team.yaml").write_text(json.dumps({"team": "t", "name": "t", "members": members, "units": units}))

    told = run_andon("team", "check", cwd=here)

    assert told.code == 3 and "lead: there is no model banana; haiku, sonnet, opus," in told.stderr


def test_B_21_of_units_in_a_circle_those_that_only_wait_for_it_are_not_named(run_andon: Andon, here: Path) -> None:
    waits = {"a": ["b"], "b": ["a"], "c": ["b"], "d": ["c"], "e": []}
    units = [{"id": id, "title": id, "member": "lead", "after": after} for id, after in waits.items()]
    team = {"team": "t", "name": "t", "members": [{"name": "lead", "place": "lead"}], "units": units}
    (here / "team.yaml").write_text(json.dumps(team))

    told = run_andon("team", "check", cwd=here)

    assert told.code == 3 and "These wait for each other: a, b\n" in told.stderr


def test_what_cannot_be_made_a_team_of_is_told_before_anything_is_scanned(
    run_andon: Andon, here: Path, tmp_path: Path
) -> None:
    (here / "flow.md").write_text("## STEP 1: a\nx\n## STEP 2: b\ny\n")
    (here / "team.yaml").write_text("mine\n")
    program = tmp_path / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {here}/asked\n")
    program.chmod(0o755)
    path = {"PATH": f"{program.parent}:{os.environ['PATH']}"}

    there = run_andon("team", "compose", "flow.md", cwd=here, env=path)
    missing = run_andon("team", "analyse", "nothing.md", cwd=here, env=path)

    assert there.code == missing.code == 3
    assert "team.yaml is there already" in there.stderr and "There is no file nothing.md" in missing.stderr
    assert not (here / "asked").exists() and (here / "team.yaml").read_text() == "mine\n"


def test_B_14_at_eighty_columns_no_row_is_wider(person: Any, terminal: Callable[..., Any]) -> None:
    skills = person.repository / ".claude" / "skills"
    skills.mkdir(parents=True)
    (skills / "긴이름을-가진-아주-긴-스킬-이름-하나.md").write_text("---\ndescription: " + "긴 설명 " * 40 + "\n---\n")
    (skills / ("x" * 100 + ".md")).write_text("---\nname: [\ndescription: " + "y" * 300 + "\n---\n")
    flow = "## " + "아주 긴 제목 " * 20 + "\noutputs: `" + "a" * 200 + ".md`\n## Two\nx\n"
    (person.repository / "x.md").write_text(flow)
    screen = terminal(80, 50)

    for words in (("scan", "--only"), ("analyse", "x.md", "--only")):
        told = screen.run("team", *words)
        assert "…" in told and max(width(line) for line in told.splitlines()) <= 80, told
