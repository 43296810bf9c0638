"""Real trees, a real sandbox, real uv and npm: what is prepared, measured, and said when it cannot be."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.environment import Environment, NotPrepared
from andon.checks.goals import plan_goals
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

Write = Callable[[dict[str, str]], Path]
Prepare = Callable[..., Environment | NotPrepared]
Measure = Callable[..., CheckResult]

PYPROJECT = '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = ["six>=1.16"]\n'
USES_SIX = {
    "src/app/__init__.py": "import six\n",
    "tests/test_app.py": "import app\n\n\ndef test_six():\n    assert app.six\n",
}
PLAIN = {
    "app.py": "def add(a, b):\n    return a + b\n",
    "test_app.py": "import app\n\n\ndef test_add():\n    assert app.add(1, 2) == 3\n",
}
NODE_TEST = "const t = require('node:test'), a = require('node:assert');\n"
needs_node = pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node and npm, which setup.sh looks for")
USES_IS_NUMBER = NODE_TEST + "t('n', () => a.ok(require('is-number')(3)));\n"


def goal(folder: Path, name: str, custom: str | None = None) -> Goal:
    return next(one for one in plan_goals(detect(folder), custom=custom, interactive=False) if one.name == name)


def package(**content: object) -> str:
    return json.dumps({"name": "app", "version": "1.0.0", "scripts": {"test": "node --test"}, **content})


def lock(folder: Path, *argv: str) -> None:
    subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=100)


def passed(result: CheckResult) -> bool:
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)
    return True


def test_A_101_python_with_uv_lock(repository: Write, measure: Measure, prepare: Prepare) -> None:
    import uv

    folder = repository({"pyproject.toml": PYPROJECT, **USES_SIX})
    lock(folder, uv.find_uv_bin(), "lock", "--quiet")
    result = measure(folder, goal(folder, "test"))
    assert passed(result)
    environment = prepare(folder)
    assert isinstance(environment, Environment)
    assert "six==" in environment.frozen and "--hash=sha256:" in environment.frozen
    assert result.environment == environment.digest
    assert not (folder / ".venv").exists()


def test_A_101_python_without_lock_is_resolved_once_and_frozen(
    repository: Write, measure: Measure, prepare: Prepare
) -> None:
    folder = repository({"pyproject.toml": PYPROJECT, **USES_SIX})
    first = prepare(folder)
    assert isinstance(first, Environment)
    assert passed(measure(folder, goal(folder, "test")))
    # When the declaration changes, then the frozen versions still hold
    (folder / "pyproject.toml").write_text(PYPROJECT.replace("six>=1.16", "six<1.17"))
    again = prepare(folder, first.frozen)
    assert isinstance(again, Environment)
    assert again.digest == first.digest
    # And without them the new declaration counts
    other = prepare(folder)
    assert isinstance(other, Environment) and other.digest != first.digest


def test_A_101_python_without_dependencies_shares_the_tools(
    repository: Write, measure: Measure, prepare: Prepare
) -> None:
    folder = repository(PLAIN)
    first = prepare(folder)
    (folder / "pyproject.toml").write_text('[project]\nname = "app"\nversion = "2"\n[tool.ruff]\nline-length = 99\n')
    again = prepare(folder)
    assert isinstance(first, Environment) and isinstance(again, Environment)
    assert first.digest == again.digest
    assert passed(measure(folder, goal(folder, "test")))
    assert passed(measure(folder, goal(folder, "lint")))


def test_A_101_python_build_and_types(repository: Write, measure: Measure) -> None:
    build = (
        '[build-system]\nrequires = ["flit_core"]\nbuild-backend = "flit_core.buildapi"\n[tool.mypy]\nstrict = true\n'
    )
    folder = repository({
        "pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndescription = "x"\n' + build,
        "src/app/__init__.py": "number: int = 'text'\n",
    })  # fmt: skip
    assert passed(measure(folder, goal(folder, "build")))
    result = measure(folder, goal(folder, "typecheck"))
    assert result.verdict is Verdict.FAILED
    assert result.signatures[0].startswith("typecheck:src/app/__init__.py Incompatible types")


def test_A_101_python_with_dependencies_only_its_build_code_knows(repository: Write, measure: Measure) -> None:
    setup = "from setuptools import setup\nsetup(name='app', py_modules=['app'], install_requires=['s' + 'ix'])\n"
    folder = repository(
        {"setup.py": setup, "app.py": "import six\n", "test_app.py": "import app\n\ndef test(): app.six"}
    )
    assert passed(measure(folder, goal(folder, "test")))


def test_A_105_failing_test_and_lint_are_named(repository: Write, measure: Measure) -> None:
    files = {"ruff.toml": "", "app.py": "import os\n\n\ndef add(a, b):\n    return a - b\n"}
    folder = repository({**PLAIN, **files})
    test = measure(folder, goal(folder, "test"))
    assert (test.verdict, test.exit_code) == (Verdict.FAILED, 1)
    assert test.signatures == ("test:test_app.py::test_add FAILED",)
    lint = measure(folder, goal(folder, "lint"))
    assert lint.signatures == ("lint:app.py F401 `os` imported but unused",)
    assert not lint.environment_error and len(lint.output_digest) == 64
    assert "import os" in (folder / "app.py").read_text()


def test_A_07_custom_pattern_is_looked_for_in_the_output(repository: Write, measure: Measure) -> None:
    folder = repository(PLAIN)
    assert passed(measure(folder, goal(folder, "custom", r"1 pass\w+")))


def test_A_07_custom_pattern_that_is_missing_fails(repository: Write, measure: Measure) -> None:
    folder = repository(PLAIN)
    result = measure(folder, goal(folder, "custom", "READY"))
    assert result.verdict is Verdict.FAILED and "READY" in result.reason


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("def helper(): pass\n", "no tests collected"),
        ("import pytest\n\n\n@pytest.mark.skip\ndef test_x(): pass\n", "every test was skipped"),
    ],
)
def test_E_21_nothing_tested_is_not_measured(repository: Write, measure: Measure, test: str, reason: str) -> None:
    folder = repository({"app.py": "", "test_app.py": test})
    result = measure(folder, goal(folder, "test"))
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, reason)


def test_E_21_a_hanging_test_is_not_measured(repository: Write, measure: Measure) -> None:
    hang = "import threading\n\n\ndef test_hang(): threading.Event().wait()\n"
    folder = repository({"app.py": "", "test_app.py": hang})
    result = measure(folder, goal(folder, "test"), seconds=3)
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, "stopped at the time limit")
    assert result.signatures == ("test:stopped at the time limit",)
    assert not result.environment_error


def test_checks_have_no_network_and_see_no_home(repository: Write, measure: Measure) -> None:
    probe = (
        "import os, pathlib, socket\nimport pytest\n\n\ndef test_network():\n    with pytest.raises(OSError):\n"
        "        socket.create_connection(('1.1.1.1', 53), timeout=2)\n\n\ndef test_home():\n"
        f"    assert not pathlib.Path({str(Path.home() / '.bashrc')!r}).exists()\n"
        "    assert not [name for name in os.environ if 'TOKEN' in name or 'KEY' in name]\n"
    )
    folder = repository({"app.py": "", "test_app.py": probe})
    assert passed(measure(folder, goal(folder, "test")))


@needs_node
def test_A_101_node_with_lock(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(dependencies={"is-number": "7.0.0"}), "app.test.js": USES_IS_NUMBER})
    lock(folder, "npm", "install", "--package-lock-only", "--no-audit", "--no-fund")
    assert passed(measure(folder, goal(folder, "test")))


@needs_node
def test_A_101_node_without_lock_is_frozen(repository: Write, measure: Measure, prepare: Prepare) -> None:
    folder = repository({"package.json": package(dependencies={"is-number": "^7.0.0"}), "app.test.js": USES_IS_NUMBER})
    assert passed(measure(folder, goal(folder, "test")))
    first = prepare(folder)
    assert isinstance(first, Environment) and "lockfileVersion" in first.frozen
    again = prepare(folder, first.frozen)
    assert isinstance(again, Environment) and again.digest == first.digest
    assert not (folder / "package-lock.json").exists()


@needs_node
def test_A_101_node_caches_inside_node_modules_are_writable_and_packages_are_not(
    repository: Write, measure: Measure
) -> None:
    test = (
        NODE_TEST + "const fs = require('node:fs');\n"
        "t('cache', () => fs.writeFileSync('node_modules/.cache/x', 'x'));\n"
        "t('package', () => a.throws(() => fs.writeFileSync('node_modules/is-number/index.js', '')));\n"
    )
    folder = repository({"package.json": package(dependencies={"is-number": "^7.0.0"}), "app.test.js": test})
    assert passed(measure(folder, goal(folder, "test")))


@needs_node
def test_A_101_node_without_dependencies(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(), "app.test.js": NODE_TEST + "t('fine', () => a.ok(1));\n"})
    assert passed(measure(folder, goal(folder, "test")))


@needs_node
def test_A_105_node_failure_is_named(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(), "app.test.js": NODE_TEST + "t('adds', () => a.equal(1, 2));\n"})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.FAILED
    assert "test:adds FAILED" in result.signatures


@needs_node
def test_E_21_node_without_any_test_is_not_measured(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package()})
    result = measure(folder, goal(folder, "test"))
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, "no tests collected")


@needs_node
def test_A_77_failing_node_build_fails(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(scripts={"build": "node -e 'process.exit(3)'"})})
    assert measure(folder, goal(folder, "build")).verdict is Verdict.FAILED


@needs_node
def test_A_106_missing_eslint_is_an_environment_error(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(), "eslint.config.js": "module.exports = [];\n"})
    result = measure(folder, goal(folder, "lint"))
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True), result.output


@needs_node
def test_A_101_both_languages_must_pass(repository: Write, measure: Measure) -> None:
    broken = NODE_TEST + "t('adds', () => a.equal(1, 2));\n"
    folder = repository({**PLAIN, "pyproject.toml": "", "package.json": package(), "app.test.js": broken})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.FAILED
    assert result.command == ("npm", "test", "--silent")
    assert "1 passed" in result.output


def test_E_21_broken_python_dependency_is_not_measured(repository: Write, measure: Measure) -> None:
    broken = PYPROJECT.replace("six>=1.16", "six==99.99.99")
    folder = repository({"pyproject.toml": broken, **USES_SIX})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.NOT_MEASURED
    assert "six==99.99.99" in result.reason and "uv lock" in result.reason
    assert not result.environment_error


@needs_node
def test_E_21_broken_node_dependency_is_not_measured(repository: Write, measure: Measure) -> None:
    folder = repository({"package.json": package(dependencies={"is-number": "99.99.99"}), "a.test.js": ""})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.NOT_MEASURED
    assert "npm install" in result.reason and "99.99.99" in result.reason


def test_git_can_be_asked_inside_a_check(repository: Write, measure: Measure, tmp_path: Path) -> None:
    test = "import subprocess\n\n\ndef test_git():\n    subprocess.run(['git', 'status'], check=True)\n"
    folder = repository({"app.py": "", "test_app.py": test})
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    assert passed(measure(folder, goal(folder, "test"), git=str(tmp_path / "other" / ".git")))
