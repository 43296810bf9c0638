from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.goals import plan_goals
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict

Write = Callable[[dict[str, str]], Path]
MISTAKES = ("--select", "E9,F63,F7,F82")
RUFF = ("ruff", "check", "src/", *MISTAKES)
PYTEST = ("pytest", "tests/", "-v")


def planned(folder: Path, *, custom: str | None = None, interactive: bool = False) -> dict[str, Goal]:
    return {goal.name: goal for goal in plan_goals(detect(folder), custom=custom, interactive=interactive)}


def package(**content: object) -> str:
    return json.dumps({"name": "a", **content})


PYTHON = {"src/app/__init__.py": "", "tests/test_app.py": ""}


def test_A_101_pure_python_without_options(repository: Write) -> None:
    goals = planned(repository(PYTHON))
    assert list(goals) == ["lint", "test", "build", "typecheck", "custom", "interactive"]
    assert goals["lint"].commands == (RUFF,)
    assert goals["test"].commands == (PYTEST,)
    assert {name for name, goal in goals.items() if goal.settled is Verdict.NOT_NEEDED} == {
        "build",
        "typecheck",
        "custom",
        "interactive",
    }
    assert all(goal.reason for goal in goals.values() if goal.settled)


@pytest.mark.parametrize(
    ("files", "name", "commands"),
    [
        ({"app.py": "", "test_app.py": ""}, "lint", (("ruff", "check", ".", *MISTAKES),)),
        ({"app.py": "", "ruff.toml": ""}, "lint", (("ruff", "check", "."),)),
        ({"app.py": "", "test_app.py": ""}, "test", (("pytest", "-v"),)),
        ({"app.py": ""}, "test", ()),
        ({"pyproject.toml": "[tool.ruff]"}, "lint", ()),
        ({**PYTHON, "pyproject.toml": "[build-system]\nrequires=['hatchling']"}, "build",
         (("uv", "build", "--wheel", "--no-build-isolation", "--offline"),)),
        ({**PYTHON, "mypy.ini": "[mypy]"}, "typecheck", (("mypy", "src/"),)),
        ({"app.py": "", "mypy.ini": "[mypy]"}, "typecheck", (("mypy", "."),)),
        ({**PYTHON, "mypy.ini": "[mypy]\nfiles=src"}, "typecheck", (("mypy",),)),
        ({**PYTHON, "pyproject.toml": "[tool.pyright]"}, "typecheck", ()),
        ({"package.json": package()}, "lint", ()),
        ({"package.json": package(), "eslint.config.js": ""}, "lint", (("npx", "--no-install", "eslint", "."),)),
        ({"package.json": package(scripts={"test": "jest"})}, "test", (("npm", "test", "--silent"),)),
        ({"package.json": package(scripts={"test": 'echo "Error: no test specified" && exit 1'})}, "test", ()),
        ({"package.json": package(devDependencies={"jest": "29"})}, "test", (("npx", "--no-install", "jest"),)),
        ({"package.json": package(devDependencies={"vitest": "1"})}, "test",
         (("npx", "--no-install", "vitest", "run"),)),
        ({"package.json": package(scripts={"build": "tsc"})}, "build", (("npm", "run", "build"),)),
        ({"package.json": package()}, "build", ()),
        ({"package.json": package(devDependencies={"typescript": "5"}), "tsconfig.json": "{}"}, "typecheck",
         (("npx", "--no-install", "tsc", "--noEmit"),)),
        ({"package.json": package(), "tsconfig.json": "{}"}, "typecheck", ()),
        ({"package.json": package(scripts={"lint": "eslint --ext js src && prettier --check ."})}, "lint",
         (("npx", "--no-install", "eslint", "--ext", "js", "src"),)),
        ({"package.json": package(scripts={"lint": "eslint --fix ."})}, "lint", ()),
        ({"package.json": package(scripts={"check-types": "tsc -p tests"})}, "typecheck",
         (("npx", "--no-install", "tsc", "-p", "tests"),)),
        ({"package.json": package(scripts={"test": "tsc && xo && ava"})}, "test", (("npx", "--no-install", "ava"),)),
        ({"package.json": package(scripts={"test": "tsc && xo && ava"})}, "lint", (("npx", "--no-install", "xo"),)),
        ({"package.json": package(scripts={"pretest": "npm run lint", "lint": "eslint .", "test": "npm run tests-only",
          "tests-only": "nyc tape 'test/**/*.js'", "posttest": "npx npm@'>=10.2' audit --production"})}, "test",
         (("npx", "--no-install", "-c", "nyc tape 'test/**/*.js'"),)),
        ({"package.json": package(scripts={"test": "npm run build && xo && NODE_ENV=test mocha", "build": "tsc"})},
         "test", (("npm", "run", "build"), ("npx", "--no-install", "-c", "NODE_ENV=test mocha"))),
        ({"package.json": package(scripts={"test": "npm run unit && npm run more", "unit": "mocha", "more": "tape x"})},
         "test", (("npm", "test", "--silent"),)),
        ({**PYTHON, "package.json": package(scripts={"test": "jest"})}, "test",
         (PYTEST, ("npm", "test", "--silent"))),
        ({"README.md": ""}, "test", ()),
    ],
)  # fmt: skip
def test_A_101_commands(repository: Write, files: dict[str, str], name: str, commands: tuple[object, ...]) -> None:
    goal = planned(repository(files))[name]
    assert goal.commands == commands
    if not commands:
        assert goal.settled is Verdict.NOT_NEEDED and goal.reason


def test_A_77_no_command_modifies_what_it_measures(repository: Write) -> None:
    files = {**PYTHON, "mypy.ini": "[mypy]", "package.json": package(scripts={"test": "jest"}), ".eslintrc": "{}"}
    goals = planned(repository(files))
    assert not any(word in ("--fix", "--write") for goal in goals.values() for argv in goal.commands for word in argv)


def test_A_77_without_a_build_command_nothing_is_needed(repository: Write) -> None:
    assert planned(repository(PYTHON))["build"].settled is Verdict.NOT_NEEDED


def test_A_78_without_tests_the_reason_says_so(repository: Write) -> None:
    goal = planned(repository({"app.py": ""}))["test"]
    assert goal.settled is Verdict.NOT_NEEDED
    assert "no tests found" in goal.reason


def test_A_79_without_mypy_configuration_mypy_is_not_run(repository: Write) -> None:
    goal = planned(repository({**PYTHON, "pyproject.toml": "[tool.pyright]"}))["typecheck"]
    assert "mypy is not configured" in goal.reason and "pyright" in goal.reason


def test_A_07_custom_pattern_activates_its_goal(repository: Write) -> None:
    folder = repository(PYTHON)
    goal = planned(folder, custom="READY")["custom"]
    assert (goal.pattern, goal.commands) == ("READY", (PYTEST,))
    assert planned(folder)["custom"].settled is Verdict.NOT_NEEDED


def test_A_07_custom_pattern_with_nothing_to_run_is_not_measured(repository: Write) -> None:
    goal = planned(repository({"README.md": ""}), custom="READY")["custom"]
    assert goal.settled is Verdict.NOT_MEASURED and goal.fix


def test_A_113_interactive_without_a_command_is_not_needed(repository: Write) -> None:
    goal = planned(repository(PYTHON), interactive=True)["interactive"]
    assert goal.settled is Verdict.NOT_NEEDED
    assert "configured" in goal.reason


def test_E_21_unreadable_package_json_is_not_measured(repository: Write) -> None:
    goals = planned(repository({"package.json": "{"}))
    for name in ("lint", "test", "build", "typecheck"):
        assert goals[name].settled is Verdict.NOT_MEASURED
        assert "package.json" in goals[name].reason
