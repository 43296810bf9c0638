"""A project with a pipeline in it, and the plugin's hooks as Claude Code starts them: a process, JSON in, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from andon.domain.uam import state

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
INTERPRETER = os.path.realpath(sys.executable)
SAMPLE = """# PLAN: greeting

## Summary
A greeting.

## Risk Assessment
- Overall: LOW
- Irreversible changes: none

## TODOs

### [{}] TODO 1: first
- Description: `src/a.py`
- Dependencies: none
- Risk: LOW
- Estimated complexity: S
- Acceptance Criteria:
  - [A] `test -s src/a.py`

### [{}] TODO 2: second
- Description: `src/b.py`
- Dependencies: TODO-1
- Risk: LOW
- Estimated complexity: S
- Acceptance Criteria:
  - [A] `test -s src/b.py`

## Test Strategy

### A-items (Agent-Verifiable)
- unit: `test -s src/a.py`

### S-items (Sandbox Agent Testing)

### H-items (Human-Required)

## Dependency Graph
TODO-1 → TODO-2
"""


@dataclass(frozen=True)
class Said:
    code: int
    answer: Any
    """The JSON on standard output; None when there is none."""
    error: str

    @property
    def denied(self) -> str:
        """Why a tool may not be used; "" when it may."""
        told = self.answer.get("hookSpecificOutput", {})
        return told.get("permissionDecisionReason", "") if told.get("permissionDecision") == "deny" else ""

    @property
    def blocked(self) -> str:
        return self.answer.get("reason", "") if self.answer.get("decision") == "block" else ""

    @property
    def context(self) -> str:
        return self.answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    @property
    def passed(self) -> bool:
        return self.code == 0 and self.answer == {"continue": True}


@dataclass(frozen=True)
class Project:
    folder: Path
    plugin: Path = PLUGIN

    def hook(self, name: str, event: Mapping[str, Any] | str, **environment: str) -> Said:
        text = event if isinstance(event, str) else json.dumps({"cwd": str(self.folder), "session_id": "s1", **event})
        done = subprocess.run(
            [INTERPRETER, "-I", "-S", str(self.plugin / f"hooks/uam_{name}.py")],
            input=text.encode(),
            cwd=self.folder,
            env={"CLAUDE_PROJECT_DIR": str(self.folder), **environment},
            capture_output=True,
            timeout=30,
        )
        return Said(done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.decode())

    def guard(self, tool: str, agent: str | None = None, **given: Any) -> Said:
        who = {} if agent is None else {"agent_type": agent, "agent_id": "a1"}
        event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given, **who}
        return self.hook("write_guard", event)

    def stop(self, **more: Any) -> Said:
        event = {"hook_event_name": "Stop", "stop_hook_active": False, "background_tasks": []}
        return self.hook("phase_controller", {**event, **more})

    def prompt(self, text: str, **more: Any) -> Said:
        return self.hook("keyword_detector", {"hook_event_name": "UserPromptSubmit", "prompt": text, **more})

    def uam(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(self.plugin / "bin/uam"), *words],
            cwd=self.folder,
            env={"PATH": f"{Path(INTERPRETER).parent}:{os.environ['PATH']}", "CLAUDE_PROJECT_DIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    @property
    def path(self) -> Path:
        return self.folder / ".uam/state.json"

    def state(self) -> dict[str, Any]:
        return json.loads(self.path.read_text())

    @property
    def phase(self) -> str:
        return self.state()["current_phase"]

    def stands(self, phase: str, boxes: tuple[str, str] | None = None, **more: Any) -> Project:
        """A pipeline in this phase, with these two boxes in its plan."""
        self.path.parent.mkdir(exist_ok=True)
        fresh = state.fresh("uam-20260228-auth-feature", "2026-02-28T10:00:00Z")
        self.path.write_text(json.dumps({**fresh, "current_phase": phase, **more}))
        if boxes is not None:
            (self.folder / ".uam/PLAN.md").write_text(SAMPLE.format(*boxes))
        return self

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()
        }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)
