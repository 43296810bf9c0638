"""What is measured without a sandbox, without an environment, and a second time."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from andon.checks.environment import Environment, Environments, NotPrepared
from andon.checks.measure import Inspector
from andon.checks.summaries import nothing_proven, runner_of
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.ports import Sandbox
from andon.workspace.sandbox import BwrapSandbox
from andon.workspace.sandbox.unconfined import NoSandbox

Write = Callable[[dict[str, str]], Path]
EMPTY = Environment("none")


def shell(script: str, name: str = "build", **more: str) -> Goal:
    return Goal(name, commands=(("/bin/sh", "-c", script),), **more)


def run(
    sandbox: Sandbox, tree: Path, goal: Goal, scratch: Path, environment: Environment | NotPrepared = EMPTY,
    *, trust_host: bool = False, seconds: float = 30,
) -> CheckResult:  # fmt: skip
    inspector = Inspector(sandbox, Environments(scratch / "home", sandbox), trust_host)
    return asyncio.run(inspector.measure(goal, "abc", tree, scratch / "check", environment, None, seconds))


def test_E_21_without_a_sandbox_nothing_runs(tmp_path: Path, repository: Write) -> None:
    tree = repository({"a": ""})
    result = run(NoSandbox(), tree, shell("touch ran"), tmp_path)
    assert (result.verdict, result.sandbox) == (Verdict.NOT_MEASURED, "none")
    assert "sandbox" in result.reason and not (tree / "ran").exists()


def test_E_21_a_trusted_host_is_measured_and_the_evidence_says_so(tmp_path: Path, repository: Write) -> None:
    tree = repository({"a": ""})
    (tmp_path / "modules").mkdir()
    linked = Environment("e", linked=((str(tmp_path / "modules"), "node_modules"),), scratch=("node_modules/.cache",))
    result = run(NoSandbox(), tree, shell("test -d node_modules"), tmp_path, linked, trust_host=True)
    assert (result.verdict, result.sandbox) == (Verdict.PASSED, "none")


@pytest.mark.parametrize("verdict", [Verdict.NOT_NEEDED, Verdict.NOT_MEASURED])
def test_A_102_a_settled_goal_stays_what_it_is(
    tmp_path: Path, repository: Write, sandbox: Sandbox, verdict: Verdict
) -> None:
    result = run(sandbox, repository({}), Goal("lint", settled=verdict, reason="because"), tmp_path, NotPrepared("x"))
    assert (result.verdict, result.reason) == (verdict, "because")


def test_E_21_without_an_environment_the_fix_is_named(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    missing = NotPrepared("node is not installed", "install node", environment_error=True)
    result = run(sandbox, repository({}), shell("true"), tmp_path, missing)
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True)
    assert result.reason == "node is not installed (to put right: install node)"


def test_A_106_a_missing_tool_is_an_environment_error(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    result = run(sandbox, repository({}), Goal("lint", commands=(("no-such-tool", "."),)), tmp_path)
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True)


def test_E_21_the_record_holds_the_whole_output_by_digest(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    result = run(sandbox, repository({}), shell("yes line | head -n 5000; echo end >&2; exit 3"), tmp_path)
    kept = (tmp_path / "check" / "output").read_bytes()
    assert (result.verdict, result.exit_code, result.tree) == (Verdict.FAILED, 3, "abc")
    assert hashlib.sha256(kept).hexdigest() == result.output_digest
    assert len(result.output) <= 8000 < len(kept) and result.output.rstrip().endswith("end")
    assert result.signatures == ("build:end",)


def test_E_21_measured_again_in_the_same_folder_nothing_runs_twice(
    tmp_path: Path, repository: Write, sandbox: Sandbox
) -> None:
    tree = repository({"a": ""})
    goal = shell("echo ran >> runs")
    assert run(sandbox, tree, goal, tmp_path) == run(sandbox, tree, goal, tmp_path)
    assert (tree / "runs").read_text() == "ran\n"


def test_A_102_every_command_of_a_goal_must_pass(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    both = Goal("build", commands=(("/bin/sh", "-c", "exit 4"), ("/bin/sh", "-c", "echo second")))
    result = run(sandbox, repository({}), both, tmp_path)
    assert (result.verdict, result.exit_code) == (Verdict.FAILED, 4)
    assert "second" in result.output


def test_E_21_a_linked_mount_point_is_refused(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    tree = repository({"a": ""})
    (tmp_path / "modules").mkdir()
    (tree / "node_modules").symlink_to("/etc")
    linked = Environment("e", linked=((str(tmp_path / "modules"), "node_modules"),))
    result = run(sandbox, tree, shell("true"), tmp_path, linked)
    assert result.verdict is Verdict.NOT_MEASURED and "symlink" in result.reason


PYTEST_PASSED = "======= 1 passed, 1 skipped in 0.01s ======="


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        ("pytest", PYTEST_PASSED),
        ("pytest", "1 passed in 0.01s"),
        ("pytest", "Results (0.05s):\n       1 passed"),
        ("jest", "Tests:       1 skipped, 2 passed, 3 total"),
        ("vitest", "      Tests  2 passed (2)"),
        ("node", "# tests 1\n# pass 1"),
        ("node", "ℹ tests 1\nℹ pass 1"),
        ("jest", "No tests found in one project\nTests:       2 passed, 2 total"),
        ("", "no tests ran"),
        ("", ""),
        ("go", "?   \texample.com/app\t[no test files]\n--- PASS: TestAdd (0.00s)\nok  \texample.com/sub\t0.004s"),
        ("cargo", "test result: ok. 0 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 1 ignored;"),
        ("mvn", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1"),
        ("gradle", "> Task :compileTestJava\n> Task :app:test\n\nBUILD SUCCESSFUL in 2s"),
        ("gradle", ":testClasses\n:test\n\nBUILD SUCCESSFUL in 19s"),
        ("make", "./run-tests\nall good"),
        ("make", "pytest\n==== 2 passed in 0.01s ===="),
    ],
)
def test_E_21_a_summary_with_a_passed_test_proves_something(runner: str, said: str) -> None:
    assert nothing_proven(runner, said, truncated=False) == ""


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        ("pytest", ""),
        ("pytest", "collected 3 items"),
        ("pytest", "==== 2 skipped in 0.01s ===="),
        ("pytest", "==== 2 xpassed in 0.01s ===="),
        ("jest", "No tests found, exiting with code 0"),
        ("jest", "Tests:       3 skipped, 3 total"),
        ("vitest", "      Tests  2 skipped (2)"),
        ("node", "# tests 1\n# pass 0\n# skipped 1"),
        ("go", "?   \texample.com/app\t[no test files]"),
        ("go", "--- SKIP: TestSkipped (0.00s)\nPASS\nok  \texample.com/app\t0.004s"),
        ("cargo", "test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s"),
        ("mvn", "[INFO] No tests to run."),
        ("mvn", "[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 1"),
        ("gradle", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"),
        ("make", "make: Nothing to be done for 'test'."),
        ("make", "make: 'test' is up to date."),
        ("make", ""),
        ("make", "pytest\n==== no tests ran in 0.01s ===="),
        ("make", "pytest\n==== 2 skipped in 0.01s ===="),
    ],
)
def test_E_21_a_test_run_without_a_passed_test_proves_nothing(runner: str, said: str) -> None:
    assert nothing_proven(runner, said, truncated=False)


def test_E_21_a_flood_of_output_proves_nothing() -> None:
    assert "more than is kept" in nothing_proven("pytest", PYTEST_PASSED, truncated=True)


def test_E_21_an_exit_code_without_a_summary_is_not_measured(
    tmp_path: Path, repository: Write, sandbox: Sandbox
) -> None:
    tree = repository({"bin/pytest": "#!/bin/sh\nexit 0\n"})
    (tree / "bin/pytest").chmod(0o755)
    environment = Environment("e", paths=(str(tree / "bin"),))

    result = run(sandbox, tree, Goal("test", commands=(("pytest", "-v"),)), tmp_path, environment)

    assert result.verdict is Verdict.NOT_MEASURED and "summary" in result.reason


def test_E_21_the_record_says_when_output_was_dropped(tmp_path: Path, repository: Write, sandbox: Sandbox) -> None:
    result = run(sandbox, repository({}), shell("head -c 17000000 /dev/zero"), tmp_path)
    assert (result.verdict, result.truncated) == (Verdict.PASSED, True)


@pytest.mark.parametrize(
    ("argv", "script", "runner"),
    [
        (("pytest", "tests/", "-v"), "", "pytest"),
        (("npx", "--no-install", "jest"), "", "jest"),
        (("npm", "test", "--silent"), "vitest run", "vitest"),
        (("npm", "test", "--silent"), "node --test", "node"),
        (("npm", "test", "--silent"), "node check.js", ""),
        (("npm", "test", "--silent"), "jest-like", ""),
        (("make", "test"), "jest", "make"),
    ],
)
def test_the_runner_behind_a_command(repository: Write, argv: tuple[str, ...], script: str, runner: str) -> None:
    tree = repository({"package.json": f'{{"scripts": {{"test": "{script}"}}}}'})
    assert runner_of(argv, tree) == runner


def test_E_27_what_a_check_may_write_lies_apart_from_andons_records(
    tmp_path: Path, repository: Write, sandbox: Sandbox
) -> None:
    tree = repository({"a": ""})
    (tmp_path / "modules/.cache").mkdir(parents=True)
    linked = Environment("e", linked=((str(tmp_path / "modules"), "node_modules"),), scratch=("node_modules/.cache",))
    plant = shell("mkdir node_modules/.cache/x && touch node_modules/.cache/x/lock")

    result = run(sandbox, tree, plant, tmp_path, linked)

    assert result.verdict is Verdict.PASSED
    assert [lock.parent.name for lock in (tmp_path / "check").glob("**/lock")] == ["1"]


def test_E_21_a_sandbox_that_does_not_start_is_not_a_failed_check(
    tmp_path: Path, repository: Write, sandbox: Sandbox
) -> None:
    if not isinstance(sandbox, BwrapSandbox):
        pytest.skip("breaks bubblewrap on purpose")
    broken = replace(sandbox, filter_file=tmp_path / "gone")
    result = run(broken, repository({}), shell("true"), tmp_path)
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True)
    assert "could not be set up" in result.reason


def test_E_27_without_mounts_a_link_on_the_way_is_refused_too(tmp_path: Path, repository: Write) -> None:
    tree = repository({"a": ""})
    for name in ("modules", "outside"):
        (tmp_path / name).mkdir()
    (tree / "packages").symlink_to(tmp_path / "outside")
    linked = Environment("e", linked=((str(tmp_path / "modules"), "packages/node_modules"),))
    result = run(NoSandbox(), tree, shell("true"), tmp_path, linked, trust_host=True)
    assert result.verdict is Verdict.NOT_MEASURED and "symlink" in result.reason
    assert list((tmp_path / "outside").iterdir()) == []
