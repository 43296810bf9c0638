"""Workflow documents: headings become units, whatever the document is like."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.domain.teams.composing import Circumstances, compose
from andon.domain.teams.panes import Mode, Panes
from andon.domain.teams.resources import Inventory
from andon.teamify.reading import read_workflow, units_of, workflow_of
from andon.teamify.team_file import written

FLOW = """---
name: flow
description: What it does
allowedTools: [Read, Write]
model: opus
---
# Title

## One
body one
```
## not a heading
```
### One A
~~~~
### nor this
~~~
### nor this
~~~~
### One B ###
## Two
### **Two** `A`
"""


def test_B_16_the_head_has_name_description_tools_and_model(tmp_path: Path) -> None:
    found = workflow_of(FLOW, tmp_path / "x.md")

    assert (found.name, found.description, found.allowed, found.model) == (
        *("flow", "What it does", ("Read", "Write"), "opus"),
    )


def test_B_17_every_heading_is_a_unit_with_its_body_and_fences_are_text() -> None:
    units = workflow_of(FLOW, Path("x.md")).units

    assert [(each.title, each.level, each.parent) for each in units] == [
        ("One", 2, ""),
        ("One A", 3, "one"),
        ("One B", 3, "one"),
        ("Two", 2, ""),
        ("Two A", 3, "two"),
    ]
    assert "## not a heading" in units[0].body and "### nor this" in units[1].body
    assert [FLOW.splitlines()[each.line - 1].lstrip("# ").split()[0].strip("*") for each in units] == [
        *("One", "One", "One", "Two", "Two"),
    ]


def test_B_17_titles_in_any_script_and_the_same_ones_twice_have_names_of_their_own() -> None:
    assert [each.id for each in units_of("## 분석\n## 分析\n## Analyse!\n## analyse\n## \n## ???")] == [
        *("분석", "分析", "analyse", "analyse-2", "line-5", "unit"),
    ]


def test_B_17_a_document_without_headings_is_one_unit_and_says_so() -> None:
    found = workflow_of("Just do it.\n", Path("thing/SKILL.md"))

    assert [(each.id, each.body) for each in found.units] == [("thing", "Just do it.\n")]
    assert "no headings" in found.notes[0]


def test_B_16_a_broken_head_is_a_note() -> None:
    assert workflow_of("---\na: [\n---\n## X", Path("x.md")).notes[0].startswith("its head is no YAML")


def test_B_21_a_circle_is_told_with_its_titles() -> None:
    with pytest.raises(UserError, match=r"First → Second → First|Second → First → Second"):
        workflow_of("## First\ninputs: b\noutputs: a\n## Second\ninputs: a\noutputs: b", Path("x.md"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "There is no file"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b"\xff\0x"), "is no text in UTF-8"),
        (lambda path: path.write_bytes(b"\xff\xfe\0"), "is no text in UTF-8"),
        (os.mkfifo, "is no ordinary file"),
        (lambda path: path.symlink_to("/dev/zero"), "is no ordinary file"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: path.write_bytes(b"x" * 10_000_001), "is larger than 10 MB"),
    ],
)
def test_B_16_what_is_no_document_is_refused_with_a_hint(tmp_path: Path, make: object, message: str) -> None:
    path = tmp_path / "x.md"
    make(path)  # type: ignore[operator]

    with pytest.raises(UserError, match=message) as refused:
        read_workflow(path)
    assert refused.value.hint


LONG = 100_000


@pytest.mark.parametrize(
    "line",
    [
        "a",
        " ",
        "\n",
        "a ",
        "output: ",
        "after step ",
        "mcp__1",
        "`",
        "#",
        "| ",
        "-",
        "handoff: ",
        "blockedBy [\n",
        "이후",
        "x,",
    ],
)
def test_B_17_a_document_made_to_be_slow_is_read_in_time(line: str) -> None:
    first, title = line * (LONG // len(line)), line.strip() * 1000
    text = f"## Step 1\n{first}\n## Step 2 {title}\n## {' ' * LONG}x\nblockedBy: {line * 5000}\n"
    began = time.monotonic()

    made = workflow_of(text, Path("x.md"))

    assert made.units and all(len(unit.title) <= 200 for unit in made.units)
    assert time.monotonic() - began < 10


def test_B_32_a_team_that_no_file_can_hold_is_refused_in_a_sentence() -> None:
    made = workflow_of("".join(f"## Look at number {n}\nRead(x)\n" for n in range(700)), Path("x.md"))
    around = Circumstances(Inventory(), (), Panes(Mode.AUTO))

    with pytest.raises(UserError, match="cannot be written"):
        written(compose(made, around).team, "x.md")


def test_B_16_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "flow.md")

    with pytest.raises(UserError, match="is no ordinary file"):
        read_workflow(tmp_path / "flow.md")
