"""The plugin's hooks in the real Codex, as the how-to page registers them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stages import PROGRAMS, ROOT

from andon.domain.uam import state
from model_server import ModelServer
from model_server.answers import Answer, Use
from model_server.conversation import Request

CODEX = PROGRAMS["codex"]
PAGE = (ROOT / "docs/how-to/use-the-plugin.md").read_text(encoding="utf-8")


def patch(path: str) -> Use:
    text = f"*** Begin Patch\n*** Add File: {path}\n+hello\n*** End Patch"
    return Use("exec", f"text(JSON.stringify(await tools.apply_patch({json.dumps(text)})));")


def shell(line: str) -> Use:
    return Use("exec", f"text((await tools.exec_command({json.dumps({'cmd': line})})).output);")


def registered() -> str:
    [snippet] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    return snippet.replace("PYTHON", os.path.realpath(sys.executable)).replace("FOLDER", str(ROOT / "plugin"))


def run(folder: Path, prompt: str, says: list[Use | str]) -> list[Request]:
    """What the model was asked, one after another, while it said these things."""
    if not CODEX.there:
        pytest.skip("the agent programs are not installed: make agents-install")
    asked: list[Request] = []

    def play(request: Request) -> Answer:
        asked.append(request)
        said = says[len(asked) - 1] if len(asked) <= len(says) else "Nothing more."
        return Answer(said) if isinstance(said, str) else Answer("", (said,))

    home = folder.parent / "home"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex/hooks.json").write_text(registered())
    with ModelServer(play).serving() as server:
        provider = {"name": "loopback", "base_url": f"{server.url}/v1", "env_key": "OPENAI_API_KEY"}
        lines = ['model = "gpt-6.1-sol"', 'model_provider = "loopback"', "[model_providers.loopback]"]
        lines += [f"{key} = {json.dumps(value)}" for key, value in {**provider, "wire_api": "responses"}.items()]
        (home / ".codex/config.toml").write_text("\n".join(lines))
        words = [
            "--json",
            "--dangerously-bypass-hook-trust",
            "--skip-git-repo-check",
            "--sandbox",
            "danger-full-access",
        ]
        subprocess.run(
            ["codex", "exec", *words, prompt],
            cwd=folder,
            env={"PATH": f"{CODEX.bin}:{os.environ['PATH']}", "HOME": str(home), "OPENAI_API_KEY": "sk-loopback"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=90,
        )
    return asked


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def told(asked: list[Request]) -> str:
    turns: Any = asked[-1].turns
    return "\n".join([*(turn.text for turn in turns), *(each.text for turn in turns for each in turn.results)])


def test_C_75_and_C_83_the_word_begins_a_pipeline_and_neither_patch_nor_shell_writes_source(project: Path) -> None:
    asked = run(
        project,
        "uam으로 인사를 만들어 줘",
        [patch("src/a.py"), patch("notes.md"), shell("mkdir -p src; echo x > src/b.py"), "Well."],
    )

    assert json.loads((project / ".uam/state.json").read_text())["current_phase"] == "phase1-plan"
    assert (project / "notes.md").is_file()
    assert not (project / "src/a.py").exists() and not (project / "src/b.py").exists()
    assert told(asked).count("Source files must be edited by uam-worker agents") == 2


def test_C_79_a_turn_does_not_end_while_todos_are_open(project: Path) -> None:
    (project / ".uam").mkdir()
    fresh = state.fresh("uam-20260228-x", "2026-02-28T10:00:00Z")
    (project / ".uam/state.json").write_text(json.dumps({**fresh, "current_phase": "phase2-sprint"}))
    (project / ".uam/PLAN.md").write_text("# PLAN: x\n### [ ] TODO 1: a\n### [x] TODO 2: b\n")
    tick = shell("sed -i 's/### . . TODO 1/### [x] TODO 1/' .uam/PLAN.md")

    asked = run(project, "go on", ["Finished.", tick, "Finished now."])

    assert "1 TODO of PLAN.md is open" in told(asked)
    assert json.loads((project / ".uam/state.json").read_text())["current_phase"] == "phase3-gate"
