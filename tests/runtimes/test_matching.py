"""Which rule serves an order, and what is said when none does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.domain.errors import UserError
from andon.domain.order import Order
from andon.runtimes.scenario import Match, load
from andon.runtimes.scripted import ScriptedRuntime

CASES = [
    ({}, {}, True),
    ({"role": "executor"}, {"role": "executor"}, True),
    ({"role": "executor"}, {"role": "executor-high"}, False),
    ({"role": "exec*"}, {"role": "executor-high"}, True),
    ({"role": ["critic", "planner"]}, {"role": "planner"}, True),
    ({"name": "planner-*"}, {"name": "planner-2"}, True),
    ({"name": "planner-*"}, {"name": "planner"}, False),
    ({"name": "planner-?"}, {"name": "planner-12"}, False),
    ({"name": "Planner"}, {"name": "planner"}, False),
    ({"phase": "plan"}, {"phase": "check"}, False),
    ({"phase": ["plan", "check"]}, {"phase": "check"}, True),
    ({"call": 2}, {"call": 2}, True),
    ({"call": 2}, {"call": 1}, False),
    ({"call": [1, 3]}, {"call": 3}, True),
    ({"attempt": 2}, {"attempt": 1}, False),
    ({"attempt": [1, 2]}, {"attempt": 2}, True),
    ({"prompt": "login"}, {"prompt": "Task: add a login page"}, True),
    ({"prompt": "^login"}, {"prompt": "Task:\nlogin page"}, True),
    ({"prompt": "^login"}, {"prompt": "Task: login page"}, False),
    ({"role": "executor", "call": 2}, {"role": "executor", "call": 1}, False),
]


@pytest.mark.parametrize(("match", "order", "agrees"), CASES, ids=[f"{each[0]} {each[1]}" for each in CASES])
def test_A_13_an_order_matches_by_role_name_phase_call_attempt_and_prompt(
    an_order: Callable[..., Order], match: dict[str, object], order: dict[str, object], agrees: bool
) -> None:
    assert (Match.model_validate(match).disagreements(an_order(**order)) == ()) is agrees


NAMES = (
    *("doc-analyst", "issue-analyst", "planner", "planner-1", "arch-1", "critic-2", "critic-lite", "design-writer"),
    *("executor", "impl-manager", "impl-api", "impl-ui", "impl", "tester", "impl-verifier", "domain-fixer"),
    *("qa-runner", "qa-runner-1", "diagnostician-1", "fixer-3", "verifier", "gap-checker", "quality-checker"),
    *("iterator", "reporter", "fixer", "slack-analyst", "gmail-analyst"),
)


@pytest.mark.parametrize("name", NAMES)
def test_A_13_every_teammate_can_be_served_by_its_name(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], name: str
) -> None:
    rules = "".join(f"  - match: {{name: {each}}}\n    reply: I am {each}\n" for each in NAMES)
    scenario = load(a_file(f"scenario: 1\nrules:\n{rules}"))

    assert scenario.rules[scenario.rule_for(an_order(name=name))].reply == f"I am {name}"


def test_A_13_the_first_rule_that_matches_serves_the_order(
    a_file: Callable[[str], Path], an_order: Callable[..., Order]
) -> None:
    scenario = load(
        a_file("""
        scenario: 1
        rules:
          - match: {role: critic, call: [1, 2]}
            reply: REVISE
          - match: {role: critic}
            reply: APPROVE
    """)
    )

    assert [scenario.rule_for(an_order(role="critic", call=call)) for call in (1, 2, 3, 4)] == [0, 0, 1, 1]


def test_E_02_an_order_that_no_rule_matches_is_named(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], tmp_path: Path
) -> None:
    path = a_file("""\
        scenario: 1
        rules:
          - match: {role: critic, phase: plan, call: 7}
            reply: x
          - match: {name: "planner-*"}
            reply: x
          - match: {role: planner, prompt: "log(in|out)"}
            reply: x
          - match: {role: writer, phase: act, call: 9}
            reply: x
    """)
    order = an_order(
        role="planner", name="planner", phase="plan", call=2, prompt="\n\n  Plan a search page  \nand more\n"
    )

    with pytest.raises(UserError) as wrong:
        ScriptedRuntime(path).command(order, tmp_path / "order")

    assert "planner (planner, phase plan, call 2, attempt 1)" in wrong.value.message
    assert '"Plan a search page"' in wrong.value.message
    assert str(path) in wrong.value.message
    assert wrong.value.hint.split("; ") == [
        f"closest: {path}:5 (name is planner, not planner-*)",
        f"{path}:7 (the prompt does not match /log(in|out)/)",
        f"{path}:3 (role is planner, not critic, call is 2, not 7)",
    ]
    assert not (tmp_path / "order").exists()


def test_E_28_an_agent_gets_nothing_of_the_environment(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    runtime = ScriptedRuntime(a_file("scenario: 1\nrules: [{reply: x}]\n"))

    command = runtime.command(an_order(), tmp_path / "order")

    assert set(command.env) == {"PATH", "LANG"}
    assert "sk-very-secret" not in repr(command)
    assert not [file for file in (tmp_path / "order").iterdir() if b"sk-very-secret" in file.read_bytes()]


def test_E_02_the_same_order_gets_the_same_script_again(
    a_file: Callable[[str], Path], an_order: Callable[..., Order], tmp_path: Path
) -> None:
    path = a_file("""
        scenario: 1
        rules:
          - match: {role: executor}
            do: [{write: {path: a, text: b}}]
            reply: {done: true}
    """)

    commands = [ScriptedRuntime(path).command(an_order(), tmp_path / "order") for _ in range(2)]
    script = json.loads((tmp_path / "order" / "script.json").read_text())

    assert commands[0] == commands[1]
    others = {"base64": None, "link": None, "executable": None, "or_fail": False}
    assert script["steps"] == [{"action": "write", "path": "a", "text": "b", **others}]
    assert json.loads(script["reply"]) == {"done": True}
