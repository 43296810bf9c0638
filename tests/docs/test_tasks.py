"""docs/tasks.md cannot lie: its commands are run here, and its table is the program's."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.workflows import workflow_of
from homes import make_home
from warm import warm

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tasks.md").read_text(encoding="utf-8")


@pytest.mark.timeout(200)
def test_every_command_of_the_page_works_after_the_demo(tmp_path: Path, shared_environments: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "LANG": "C.UTF-8"}
    environment |= {k: v for k, v in os.environ.items() if k.startswith(("UV_", "PIP_", "SSL_CERT"))}
    environment["ANDON_HOME"] = str(make_home(tmp_path / "data", shared_environments))
    lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
    folder, shown = tmp_path, ""
    for line in lines:
        ran = warm().start(*shlex.split(line)[1:], cwd=folder, env=environment).finish(150)
        assert ran.code == 0, (line, ran.stdout[-2000:], ran.stderr)
        folder, shown = next(tmp_path.glob("andon-demo-*/tally")), shown + ran.stdout
    assert "completed" in shown and "100%" in shown and "phase 4: approved by demo --yes" in shown


@pytest.mark.parametrize("type", [each for each in TaskType if each is not TaskType.CUSTOM])
def test_D_02_the_table_has_the_phases_of_every_type(type: TaskType) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `{type.value}`")]

    assert row.rstrip(" |").endswith(", ".join(phase.name for phase in workflow_of(type).phases))


@pytest.mark.parametrize("command", sorted(set(re.findall(r"andon task ([a-z-]+)", PAGE))))
def test_every_subcommand_that_is_named_exists(command: str) -> None:
    from andon.cli.task import task

    assert command in task.commands
