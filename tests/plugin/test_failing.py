"""What hooks do when nothing is active, and when something is wrong."""

from __future__ import annotations

import importlib.util
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

CORE = Path(__file__).resolve().parents[2] / "plugin/core"
EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "write": ("write_guard", {"tool_name": "Write", "tool_input": {"file_path": "src/a.py"}}),
    "bash": ("write_guard", {"tool_name": "Bash", "tool_input": {"command": "echo > src/a.py"}}),
    "agent": (
        "validate_output",
        {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"subagent_type": "uam:uam-worker"}},
    ),
    "result": (
        "validate_output",
        {
            "hook_event_name": "PostToolUse",
            "tool_input": {"subagent_type": "uam:uam-worker"},
            "tool_response": {"status": "completed", "content": [{"type": "text", "text": "no"}]},
        },
    ),
    "subagent": (
        "validate_output",
        {"hook_event_name": "SubagentStop", "agent_type": "uam:uam-worker", "last_assistant_message": "no"},
    ),
    "stop": ("phase_controller", {"hook_event_name": "Stop"}),
    "prompt": ("keyword_detector", {"hook_event_name": "UserPromptSubmit", "prompt": "add login"}),
}
NOTHING_ACTIVE = {
    "C-01 no state": None,
    "C-87 empty object": "{}",
    "C-90 empty file": "",
    "C-65 completed": json.dumps({"current_phase": "completed"}),
    "C-13 cancelled": json.dumps({"current_phase": "cancelled", "cancelled_from": "phase2-sprint"}),
    "C-86 unknown phase": json.dumps({"current_phase": "phase9"}),
}
UNREADABLE = {"C-90 broken": "{broken", "C-90 a list": "[1]", "C-90 no text": "\x00\x01", "C-90 deep": "[" * 100_000}


@pytest.mark.parametrize("state", NOTHING_ACTIVE.values(), ids=NOTHING_ACTIVE)
@pytest.mark.parametrize(("hook", "event"), EVENTS.values(), ids=EVENTS)
def test_without_an_active_pipeline_every_hook_passes_and_changes_nothing(
    project: Any, hook: str, event: dict[str, Any], state: str | None
) -> None:
    if state is not None:
        project.path.parent.mkdir()
        project.path.write_text(state)
    before = project.files()

    said = project.hook(hook, event)

    assert said.passed, said
    assert project.files() == before


@pytest.mark.parametrize("state", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(("hook", "event"), EVENTS.values(), ids=EVENTS)
def test_with_a_state_that_cannot_be_read_the_guard_refuses_and_the_others_pass(
    project: Any, hook: str, event: dict[str, Any], state: str
) -> None:
    project.path.parent.mkdir()
    project.path.write_text(state)

    said = project.hook(hook, event)

    assert said.code == 0
    assert bool(said.denied) is (hook == "write_guard")
    assert hook == "write_guard" or said.passed
    assert project.path.read_text() == state


def test_a_doubtful_state_keeps_nobody_from_mending_it(project: Any) -> None:
    project.path.parent.mkdir()
    project.path.write_text("{broken")

    assert project.guard("Write", file_path=str(project.path)).passed
    assert project.guard("Write", "uam:uam-worker", file_path="src/a.py").passed


@pytest.mark.parametrize("stdin", ["", "{", "[]", "null", '{"tool_name": "Write"}'], ids=repr)
@pytest.mark.parametrize("hook", ["write_guard", "validate_output", "phase_controller", "keyword_detector"])
def test_E_29_what_is_no_event_is_refused_by_the_guard_and_passed_by_the_others(
    project: Any, hook: str, stdin: str
) -> None:
    said = project.stands("phase1-plan").hook(hook, stdin)

    if hook == "write_guard":
        assert said.code == 2
        assert said.denied and "guarding failed" in said.error
    else:
        assert said.passed


@pytest.mark.parametrize("missing", ["core/guarding.py", "core/hook.py", "core/uam/guard.py"])
def test_C_90_a_guard_whose_parts_are_missing_refuses(project: Any, tmp_path: Path, missing: str) -> None:
    whole = tmp_path / "plugin"
    shutil.copytree(project.plugin, whole, ignore=shutil.ignore_patterns("__pycache__"))
    (whole / missing).unlink()
    broken = replace(project, plugin=whole).stands("phase2-sprint")

    said = broken.guard("Write", file_path="README.md")

    assert said.code == 2
    assert "guard" in said.error


def test_C_90_a_hook_whose_parts_are_missing_holds_nobody_up(project: Any, tmp_path: Path) -> None:
    whole = tmp_path / "plugin"
    shutil.copytree(project.plugin, whole, ignore=shutil.ignore_patterns("__pycache__"))
    (whole / "core/controlling.py").unlink()

    assert replace(project, plugin=whole).stands("phase2-sprint", (" ", " ")).stop().passed


def reading() -> Any:
    described = importlib.util.spec_from_file_location("uam_reading", CORE / "reading.py")
    assert described and described.loader
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


LOADS = reading().loads
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.booleans(), st.sampled_from(["", " ", "\n\t"]))
def test_json_is_read_quickly_and_as_ever(value: Any, ascii: bool, around: str) -> None:
    assert LOADS(around + json.dumps(value, ensure_ascii=ascii) + around) == value


@given(st.text() | JSON.map(lambda value: json.dumps(value)[:-1]) | JSON.map(lambda value: json.dumps(value) + " x"))
def test_what_is_no_json_is_none_for_the_quick_reader_either(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError as problem:
        with pytest.raises(type(problem)):
            LOADS(text)
    else:
        assert repr(LOADS(text)) == repr(expected)
