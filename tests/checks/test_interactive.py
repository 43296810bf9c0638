"""Goal 6 with a real tmux in the real sandbox."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.app.checker import ProjectChecker
from andon.checks.environment import Environment, Environments
from andon.checks.goals import plan_goals
from andon.checks.interactive import SCRIPT, plan_interactive, typed
from andon.checks.machine import Machine
from andon.checks.measure import Inspector
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.ports import Sandbox

Write = Callable[[dict[str, str]], Path]
Drive = Callable[..., CheckResult]
TMUX = Machine(tmux="/usr/bin/tmux")
needs_tmux = pytest.mark.skipif(not Machine.of().tmux, reason="needs tmux")


@pytest.fixture
def drive(repository: Write, sandbox: Sandbox, tmp_path: Path) -> Drive:
    def driven(command: str, seconds: int = 30, files: dict[str, str] | None = None) -> CheckResult:
        folder = repository(files or {"a": ""})
        inspector = Inspector(sandbox, Environments(tmp_path / "home", sandbox))
        goal = plan_interactive(True, command, TMUX, seconds)
        return asyncio.run(inspector.measure(goal, "t", folder, tmp_path / "check", Environment("e"), None, 60))

    return driven


def planned(folder: Path, command: str, machine: Machine) -> Goal:
    goals = plan_goals(detect(folder), custom=None, interactive=True, machine=machine, interactive_command=command)
    return goals[-1]


def test_A_113_the_goal_is_the_three_commands_of_tmux(repository: Write) -> None:
    goal = planned(repository({}), "./app --help", TMUX)
    assert goal.name == "interactive"
    [argv] = goal.commands
    assert argv[:3] == ("sh", "-c", SCRIPT) and "./app --help" in argv
    for words in ("tmux new-session -d -s qa-test", "tmux send-keys -t qa-test", "tmux capture-pane -t qa-test -p"):
        assert words in SCRIPT


@pytest.mark.parametrize(
    ("command", "machine", "settled", "reason"),
    [
        ("", TMUX, Verdict.NOT_NEEDED, "no interactive command is configured"),
        ("  ", TMUX, Verdict.NOT_NEEDED, "no interactive command is configured"),
        # It applies and cannot be run: that blocks.
        ("./app", Machine(), Verdict.NOT_MEASURED, "tmux is not installed"),
    ],
)
def test_A_113_X_19_E_22_what_is_missing_is_named(
    repository: Write, command: str, machine: Machine, settled: Verdict, reason: str
) -> None:
    goal = planned(repository({}), command, machine)
    assert (goal.settled, goal.reason) == (settled, reason)


@needs_tmux
def test_A_113_the_checker_of_a_run_knows_the_runs_own_command(
    repository: Write, sandbox: Sandbox, tmp_path: Path
) -> None:
    folder = repository({})
    checker = ProjectChecker(tmp_path, sandbox, False, "./app")
    assert "./app" in checker.goals(folder, None, True)[-1].commands[0]
    assert checker.goals(folder, None, False)[-1].reason == "only with --interactive"


@pytest.mark.parametrize("command", ["one\ntwo", "one\x1b", "x" * 3000])
def test_A_113_a_command_no_terminal_can_take_is_not_measured(repository: Write, command: str) -> None:
    goal = planned(repository({}), command, TMUX)
    assert goal.settled is Verdict.NOT_MEASURED and "interactive_command" in goal.fix


@pytest.mark.parametrize(("command", "expected"), [(" ls ", "ls"), ("ls;", "ls"), ("a; b ; ", "a; b")])
def test_A_113_the_end_of_a_command_means_nothing_to_tmux(command: str, expected: str) -> None:
    assert typed(command) == expected


def test_E_22_a_machine_without_tmux_has_none(tmp_path: Path) -> None:
    assert Machine.of({"PATH": str(tmp_path)}).tmux == ""


@needs_tmux
def test_A_113_a_command_that_ends_well_passes_and_its_screen_is_kept(drive: Drive) -> None:
    app = "#!/bin/sh\ntest -t 0 && test -t 1 || exit 9\necho 'name?'\necho hello\n"
    result = drive("sh ./app", files={"app": app})
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)
    assert "$ tmux send-keys -t qa-test 'sh ./app' Enter\nsh ./app\nname?\nhello\n" in result.output


@needs_tmux
@pytest.mark.parametrize(("command", "code"), [("echo 'it broke'; exit 3", 3), ("echo 'it broke'; false # ;", 1)])
def test_A_113_a_command_that_ends_badly_fails_with_its_own_status(drive: Drive, command: str, code: int) -> None:
    result = drive(command)
    assert (result.verdict, result.exit_code) == (Verdict.FAILED, code), result.output
    assert result.signatures == ("interactive:it broke",)
    assert result.reason == f"tmux send-keys -t qa-test '{typed(command)}' Enter: exit code {code}"


@needs_tmux
def test_A_113_a_hanging_command_is_not_measured_and_its_screen_is_kept(drive: Drive) -> None:
    result = drive("echo waiting for you; cat", seconds=2)
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, "the interactive command had not ended in time")
    assert "\nwaiting for you" in result.output


@needs_tmux
def test_A_106_a_command_that_does_not_exist_is_an_environment_error(drive: Drive) -> None:
    result = drive("no-such-program-here")
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True), result.output


@needs_tmux
def test_E_22_without_tmux_in_the_sandbox_nothing_is_measured(tmp_path: Path) -> None:
    """Outside any sandbox: a PATH that has all the script needs but tmux."""
    (tmp_path / "bin").mkdir()
    for name in ("mktemp", "rm", "sh", "sed", "cat", "timeout"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "")
    script = ("/bin/sh", "-c", SCRIPT, "qa-test", "true", "5")
    done = subprocess.run(script, env={"PATH": str(tmp_path / "bin")}, capture_output=True, timeout=30, check=False)
    assert done.returncode == 125


@needs_tmux
def test_A_113_a_persons_own_tmux_is_never_met(tmp_path: Path) -> None:
    """Run outside the sandbox, beside a session of the same name: neither sees the other."""
    env = {"PATH": os.environ["PATH"], "TMUX_TMPDIR": str(tmp_path), "TERM": "screen", "HOME": str(tmp_path)}

    def tmux(*words: str) -> str:
        said = subprocess.run(["tmux", *words], env=env, capture_output=True, text=True, timeout=30, check=False)
        return said.stdout.strip()

    tmux("-f", "/dev/null", "new-session", "-d", "-s", "qa-test", "cat")
    try:
        script = ("/bin/sh", "-c", SCRIPT, "qa-test", "echo hi", "20")
        mine = {**env, "TMUX": f"{tmp_path}/tmux-0/default,1,0"}
        done = subprocess.run(script, env=mine, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, "hi" in done.stdout) == (0, True), done
        assert tmux("list-sessions", "-F", "#{session_name}") == "qa-test"
        assert "echo hi" not in tmux("capture-pane", "-t", "qa-test", "-p")
    finally:
        tmux("kill-server")
