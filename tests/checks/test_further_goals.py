"""End-to-end tests and coverage: what is planned for which project, and what comes of it with the real tools."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.environment_errors import environment_error
from andon.checks.further_goals import plan_further_goals
from andon.checks.project import detect
from andon.checks.signatures import signatures
from andon.checks.summaries import nothing_proven, runner_of
from andon.domain.auto.coverage import read_coverage
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

Write = Callable[[dict[str, str]], Path]
Measure = Callable[..., CheckResult]
needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node and npm, which setup.sh looks for")
PLAYWRIGHT = ("npx", "--no-install", "playwright", "test")
COVERED = ("pytest", "--cov", "--cov-report=term-missing")
CODE = {"src/app/__init__.py": "", "tests/test_app.py": ""}


def planned(folder: Path) -> dict[str, Goal]:
    return {goal.name: goal for goal in plan_further_goals(detect(folder))}


def package(**content: object) -> str:
    return json.dumps({"name": "a", "version": "1.0.0", **content})


@pytest.mark.parametrize("ending", ["ts", "js", "mjs", "cjs", "mts"])
def test_A_119_a_playwright_configuration_is_what_end_to_end_tests_need(repository: Write, ending: str) -> None:
    goals = planned(repository({"package.json": package(), f"playwright.config.{ending}": ""}))
    assert list(goals) == ["e2e", "e2e-details", "coverage"]
    assert goals["e2e"].commands == ((*PLAYWRIGHT, "--reporter=list"),)


def test_A_120_details_come_from_the_other_reporter(repository: Write) -> None:
    goals = planned(repository({"package.json": package(), "playwright.config.ts": ""}))
    assert goals["e2e-details"].commands == ((*PLAYWRIGHT, "--reporter=line"),)


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": package(devDependencies={"@playwright/test": "1"})},
        {"package.json": package(), "web/playwright.config.ts": ""},
        CODE,
    ],
)
def test_A_119_without_a_configuration_nothing_is_needed(repository: Write, files: dict[str, str]) -> None:
    goals = planned(repository(files))
    for name in ("e2e", "e2e-details"):
        assert goals[name].settled is Verdict.NOT_NEEDED and "Playwright" in goals[name].reason


@pytest.mark.parametrize("files", [{}, {"package.json": "{"}])
def test_A_119_a_configuration_nothing_can_be_installed_for_is_not_measured(
    repository: Write, files: dict[str, str]
) -> None:
    goal = planned(repository({"playwright.config.ts": "", **files}))["e2e"]
    assert goal.settled is Verdict.NOT_MEASURED and goal.fix


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({**CODE, "pyproject.toml": "[project]\ndependencies=['pytest-cov>=5']"}, (COVERED,)),
        ({**CODE, "pyproject.toml": "[project.optional-dependencies]\ntest=['pytest_cov']"}, (COVERED,)),
        ({**CODE, "pyproject.toml": "[project.optional-dependencies]\ndocs=['pytest-cov']"}, ()),
        ({**CODE, "pyproject.toml": "[dependency-groups]\ndev=[{include-group='cov'}]\ncov=['pytest-cov']"},
         (COVERED,)),
        ({**CODE, "pyproject.toml": "[dependency-groups]\ncov=['pytest-cov', {include-group='cov'}]"}, ()),
        ({**CODE, "requirements-dev.txt": "pytest\npytest-cov==5.0.0\n"}, (COVERED,)),
        ({**CODE, "pyproject.toml": "[project]\ndependencies=['x']", "uv.lock": '[[package]]\nname = "pytest-cov"\n'},
         (COVERED,)),
        ({**CODE, "pyproject.toml": "[dependency-groups]\ncov=['pytest-cov']",
          "uv.lock": '[[package]]\nname = "pytest-cov"\n'}, ()),
        ({**CODE, "pyproject.toml": "[project]\ndependencies=['pytest-covfefe']"}, ()),
        ({"app.py": "", "requirements.txt": "pytest-cov"}, ()),
        ({"package.json": package(devDependencies={"jest": "29"})}, (("npx", "--no-install", "jest", "--coverage"),)),
        ({"package.json": package(devDependencies={"vitest": "3", "@vitest/coverage-v8": "3"})},
         (("npx", "--no-install", "vitest", "run", "--coverage"),)),
        ({"package.json": package(devDependencies={"vitest": "3"})}, ()),
        ({"package.json": package(scripts={"test": "node --test"})}, ()),
        ({**CODE, "pyproject.toml": "[project]\ndependencies=['pytest-cov']",
          "package.json": package(devDependencies={"jest": "29"})},
         (COVERED, ("npx", "--no-install", "jest", "--coverage"))),
        ({"README.md": ""}, ()),
    ],
)  # fmt: skip
def test_A_121_coverage_where_the_tooling_is_there(
    repository: Write, files: dict[str, str], commands: tuple[object, ...]
) -> None:
    goal = planned(repository(files))["coverage"]
    assert goal.commands == commands
    if not commands:
        assert goal.settled is Verdict.NOT_NEEDED and goal.reason


def test_A_121_coverage_is_measured_with_the_real_tool(repository: Write, measure: Measure) -> None:
    code = "def add(a, b):\n    return a + b\n\n\ndef other():\n    return 1\n"
    test = "import app\n\n\ndef test_add():\n    assert app.add(1, 2) == 3\n"
    folder = repository({"app.py": code, "test_app.py": test, "requirements-dev.txt": "pytest-cov\n"})
    result = measure(folder, planned(folder)["coverage"])
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)
    found = read_coverage(result.output)
    assert found is not None and [(file.path, file.lines) for file in found.uncovered] == [("app.py", "6")]


FAILED = """\

Running 4 tests using 1 worker

  ✓  1 e2e/a.spec.js:{line}:3 › sums › adds ({seconds}ms)
  ✘  2 e2e/a.spec.js:4:3 › sums › subtracts (17ms)
  -  4 e2e/a.spec.js:7:6 › later


  1) e2e/a.spec.js:{line}:3 › sums › subtracts ──────────────────────────────────────────────────────────

    Error: expect(received).toBe(expected) // Object.is equality

        at {root}/e2e/a.spec.js:4:43

  1 failed
    e2e/a.spec.js:{line}:3 › sums › subtracts ───────────────────────────────────────────────────────────
  1 skipped
  1 passed (2.3s)
"""
NO_BROWSER = """\
  2) e2e/a.spec.js:6:1 › page ──────────────────────────────────────────────────────────────────────

    Error: browserType.launch: Executable doesn't exist at /home/x/.cache/ms-playwright/chromium-1254/chrome
"""


@pytest.mark.parametrize(("line", "seconds", "root"), [(4, 17, "/a/b"), (40, 2, "/c")])
def test_A_105_a_failing_end_to_end_test_is_named(line: int, seconds: int, root: str) -> None:
    said = FAILED.replace("{line}", str(line)).replace("{seconds}", str(seconds)).replace("{root}", root)
    assert signatures("e2e", said, root=root) == ("e2e:e2e/a.spec.js › sums › subtracts FAILED",)
    assert environment_error(said, 1) is None


def test_A_106_E_22_a_missing_browser_is_an_environment_error() -> None:
    assert "Executable doesn't exist" in (environment_error(NO_BROWSER, 1) or "")


@pytest.mark.parametrize(
    ("said", "proven"), [("  1 passed (1.1s)", True), ("  2 passed (1.5m)", True), ("  1 skipped", False), ("", False)]
)
def test_E_21_end_to_end_tests_that_did_not_run_prove_nothing(said: str, proven: bool, tmp_path: Path) -> None:
    runner = runner_of((*PLAYWRIGHT, "--reporter=list"), tmp_path)
    assert (nothing_proven(runner, said, truncated=False) == "") is proven


@needs_node
def test_A_119_end_to_end_tests_run_with_the_real_program(repository: Write, measure: Measure) -> None:
    test = (
        "const { test, expect } = require('@playwright/test');\ntest('adds', () => { expect(1 + 1).toBe(RIGHT); });\n"
    )
    folder = repository({
        "package.json": package(devDependencies={"@playwright/test": "*"}),
        "playwright.config.js": "module.exports = { testDir: 'e2e' };\n",
        "e2e/a.spec.js": test.replace("RIGHT", "2"),
    })  # fmt: skip
    passed = measure(folder, planned(folder)["e2e"])
    assert passed.verdict is Verdict.PASSED, (passed.reason, passed.output)
    (folder / "e2e/a.spec.js").write_text(test.replace("RIGHT", "3"))
    failed = measure(folder, planned(folder)["e2e-details"])
    assert failed.verdict is Verdict.FAILED
    assert failed.signatures == ("e2e-details:e2e/a.spec.js › adds FAILED",)
    (folder / "e2e/a.spec.js").unlink()
    shutil.rmtree(folder.parent / "e2e")  # what was measured there is not measured again
    assert measure(folder, planned(folder)["e2e"]).reason == "no tests collected"
