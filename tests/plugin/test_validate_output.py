"""The validation of results: foreground, sent back a few times, kept once, and reminded of."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from andon.domain.uam.agents import CATALOGUE

SPRINT = "phase2-sprint"
RESULT: dict[str, Any] = {
    "todo_id": "TODO-1",
    "status": "PASS",
    "outputs": {"files_changed": ["src/auth.ts"], "summary": "JWT"},
    "acceptance_criteria": [
        {
            "id": "AC-1",
            "category": "functional",
            "command": "npm test",
            "expected_exit": 0,
            "actual_exit": 0,
            "status": "PASS",
            "output_snippet": "...",
        }
    ],
    "learnings": ["a pattern"],
    "issues": [],
    "decisions": ["a decision, and why"],
}


def stopping(project: Any, agent: str, message: str, id: str = "a1") -> Any:
    event = {"hook_event_name": "SubagentStop", "agent_type": agent, "agent_id": id}
    return project.hook("validate_output", {**event, "last_assistant_message": message})


def ended(project: Any, agent: str, message: str, **more: Any) -> Any:
    response = {"status": "completed", "agentType": agent, "content": [{"type": "text", "text": message}], **more}
    event = {"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_input": {"subagent_type": agent}}
    return project.hook("validate_output", {**event, "tool_response": response})


def sections(names: tuple[str, ...]) -> str:
    return "\n\n".join(f"## {name}\nnothing" for name in names)


ANALYSTS = {agent.name: agent.required for agent in CATALOGUE if not agent.required[0].startswith("JSON")}


@pytest.mark.parametrize("name", ANALYSTS)
def test_C_76_an_analysis_without_one_of_its_sections_goes_back_and_names_it(project: Any, name: str) -> None:
    project.stands("phase1-plan")
    *there, missing = ANALYSTS[name]

    for said in (
        stopping(project, f"uam:{name}", sections(tuple(there))).blocked,
        ended(project, f"uam:{name}", sections(tuple(there))).context,
    ):
        assert missing in said
        assert not any(f"`{each}`" in said for each in there)
    assert stopping(project, f"uam:{name}", sections(ANALYSTS[name])).passed
    assert ended(project, f"uam:{name}", sections(ANALYSTS[name])).passed


@pytest.mark.parametrize("key", RESULT)
def test_C_34_a_workers_result_lacks_nothing(project: Any, key: str) -> None:
    less = {name: value for name, value in RESULT.items() if name != key}

    assert f"`{key}` is missing" in stopping(project.stands(SPRINT), "uam:uam-worker", json.dumps(less)).blocked


def test_C_34_there_is_no_status_ok(project: Any) -> None:
    result = json.dumps({**RESULT, "status": "OK"})

    assert "PASS, FAIL, PARTIAL" in stopping(project.stands(SPRINT), "uam:uam-frontend", result).blocked


def test_a_result_is_sent_back_three_times_and_not_for_ever(project: Any) -> None:
    project.stands(SPRINT)

    said = [stopping(project, "uam:uam-worker", "done") for _ in range(5)]
    other = stopping(project, "uam:uam-worker", "done", id="a2")

    assert [bool(each.blocked) for each in said] == [True, True, True, False, False]
    assert other.blocked
    assert "counts as FAIL" in ended(project, "uam:uam-worker", "done").context


def test_C_39_results_are_kept_once_each_with_what_they_taught(project: Any) -> None:
    project.stands(SPRINT)
    for id, todo in (("a1", "TODO-1"), ("a2", "TODO-2"), ("a1", "TODO-1")):
        stopping(project, "uam:uam-worker", json.dumps({**RESULT, "todo_id": todo, "learnings": [todo]}), id)

    kept = json.loads((project.folder / ".uam/context/outputs.json").read_text())
    learnings = (project.folder / ".uam/context/learnings.md").read_text()

    assert sorted(each["todo_id"] for each in kept) == ["TODO-1", "TODO-2"]
    assert learnings.count("- TODO-1") == learnings.count("- TODO-2") == 1


def test_workers_that_end_at_the_same_time_lose_nothing(project: Any) -> None:
    """C-39, with hooks in parallel."""
    project.stands(SPRINT, (" ", " "))

    def hand_in(number: int) -> None:
        result = {**RESULT, "todo_id": f"TODO-{number}"}
        stopping(project, "uam:uam-worker", json.dumps(result), f"a{number}")
        stopping(project, "uam:uam-worker", "not yet", f"b{number}")
        ended(project, "uam:uam-worker", json.dumps(result), totalTokens=10)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(hand_in, range(12)))

    kept = json.loads((project.folder / ".uam/context/outputs.json").read_text())
    assert sorted(int(each["todo_id"][5:]) for each in kept) == list(range(12))
    assert set(project.state()["sent_back"].values()) == {1}
    assert len(project.state()["sent_back"]) == 12
    assert project.state()["cost"]["total_tokens"] == 120


def test_C_55_over_the_budget_of_tokens_the_orchestrator_is_told(project: Any) -> None:
    project.stands(SPRINT, cost={"total_tokens": 499_000, "max_total_tokens": 500_000})

    assert ended(project, "uam:uam-worker", json.dumps(RESULT), totalTokens=500).passed
    assert "Phase 5" in ended(project, "uam:uam-worker", json.dumps(RESULT), totalTokens=500).context


@pytest.mark.parametrize("given", [{}, {"run_in_background": True}], ids=["default", "asked for"])
@pytest.mark.parametrize("tool", ["Agent", "Task"])
def test_our_agents_work_in_the_foreground(project: Any, tool: str, given: dict[str, Any]) -> None:
    wanted = {"subagent_type": "uam:uam-worker", "prompt": "TODO-1", **given}
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": wanted}

    said = project.stands(SPRINT).hook("validate_output", event)

    assert said.answer["hookSpecificOutput"]["updatedInput"] == {**wanted, "run_in_background": False}


@pytest.mark.parametrize("agent", ["general-purpose", "other:helper", "uam:uam-unknown", "../uam-worker", ""])
def test_other_agents_are_left_alone(project: Any, agent: str) -> None:
    project.stands(SPRINT)

    assert stopping(project, agent, "done").passed
    assert ended(project, agent, "done").passed


def test_what_was_only_launched_has_no_output_to_judge(project: Any) -> None:
    assert ended(project.stands(SPRINT), "uam:uam-worker", "", status="async_launched", content=[]).passed


def test_C_77_a_definition_that_cannot_be_judged_by_is_told(project: Any) -> None:
    """A project may have its own definition, and may misspell its section."""
    project.stands(SPRINT)
    own = project.folder / ".claude/agents/uam-explore.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: uam-explore\n---\nLook.\n\n## validation_prompt\n- Structure\n")

    assert "validation_prompt" in ended(project, "uam-explore", "anything").context
    assert stopping(project, "uam-explore", "anything").passed
