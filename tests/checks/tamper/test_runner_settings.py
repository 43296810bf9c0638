"""Settings that let tests pass or not be run are found wherever they stand; other edits of the same files are not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from andon.checks.tamper.golden import golden_findings
from andon.checks.tamper.runner_settings import settings_findings
from andon.domain.changeset import ChangeSet

Trees = Callable[[Mapping[str, str], Mapping[str, str]], ChangeSet]

TESTS = {"tests/test_a.py": "", "unit/test_b.py": "", "src/a.test.ts": ""}


def found(trees: Trees, path: str, before: str | None, after: str | None) -> list[str]:
    old, new = (TESTS | ({path: text} if text is not None else {}) for text in (before, after))
    return sorted({each.rule for each in settings_findings(trees(old, new))})


PYPROJECT = """
[project]
name = "x"
version = "1"

[tool.pytest.ini_options]
testpaths = ["tests", "unit"]
addopts = "-ra --strict-markers --cov-fail-under=90"
xfail_strict = true
filterwarnings = ["error"]

[tool.coverage.report]
fail_under = 90
omit = ["a.py"]

[tool.ruff]
line-length = 100

[tool.poe.tasks]
test = "pytest"
"""
PACKAGE = json.dumps(
    {
        "name": "x",
        "version": "1",
        "scripts": {"test": "jest", "lint": "eslint .", "start": "node ."},
        "jest": {"testEnvironment": "node", "coverageThreshold": {"global": {"lines": 80}}},
        "nyc": {"check-coverage": True, "lines": 80},
    }
)
TOX = """
[tox]
envlist = py311

[testenv]
deps = pytest
commands = pytest tests

[pytest]
addopts = -q
"""
MAKE = """
PYTEST = pytest
ARGS ?=

test: unit  ## run all

unit:
\t$(PYTEST) tests $(ARGS)

lint:
\truff check .

deploy:
\t./deploy.sh
"""
JEST = "module.exports = {\n  testMatch: ['**/*.test.ts'],\n  coverageThreshold: { global: { lines: 80 } },\n};\n"
NOX = "import nox\n\n@nox.session\ndef tests(session):\n    session.run('pytest')\n"
POM = "<project>\n<dependency>a</dependency>\n<plugin>surefire</plugin>\n</project>\n"
CARGO = '[package]\nname = "x"\n\n[dependencies]\na = "1"\n'
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return connect()\n"
HELPER = "def assert_sum(a, b):\n    assert a + b == 3\n\n\ndef build():\n    return 1\n"
SETUP = "import './polyfill';\n"

EASED: list[tuple[str, str, str | None, str, str]] = [
    ("command_changed", "Makefile", MAKE, "ARGS ?=", "ARGS ?=\nexport PYTEST_ADDOPTS = -k x"),
    ("command_changed", "Makefile", MAKE, "unit:", "unit: export PYTHONOPTIMIZE := 2\nunit:"),
    (
        "command_changed",
        "pyproject.toml",
        PYPROJECT,
        "[tool.ruff]",
        "[project.scripts]\npytest = 'x:y'\n[tool.ruff]",
    ),
    ("command_changed", "pyproject.toml", PYPROJECT, "[tool.ruff]", "[tool.poetry.scripts]\nuv = 'x:y'\n[tool.ruff]"),
    ("command_changed", "setup.cfg", None, "", "[options.entry_points]\nconsole_scripts =\n  a = x:a\n  tox = x:b\n"),
    ("runner_settings", "setup.cfg", None, "", "[options.entry_points]\npytest11 =\n  x = x.plugin\n"),
    (
        *("runner_settings", "pyproject.toml", PYPROJECT),
        *("[tool.ruff]", "[project.entry-points.pytest11]\nx = 'x.plugin'\n[tool.ruff]"),
    ),
    ("runner_settings", "pyproject.toml", PYPROJECT, '"tests", "unit"', '"tests"'),
    ("runner_settings", "pyproject.toml", PYPROJECT, "-ra ", "-ra -k 'not slow' "),
    ("runner_settings", "pyproject.toml", PYPROJECT, "-ra ", "-ra -p evil "),
    ("runner_settings", "pyproject.toml", PYPROJECT, "-ra ", "-ra --ignore=tests "),
    ("runner_settings", "pyproject.toml", PYPROJECT, "-ra ", "-ra --deselect tests/test_a.py::test_x "),
    ("runner_settings", "pyproject.toml", PYPROJECT, " --strict-markers", ""),
    ("runner_settings", "pyproject.toml", PYPROJECT, "xfail_strict = true", ""),
    ("runner_settings", "pyproject.toml", PYPROJECT, '["error"]', '["error", "ignore::DeprecationWarning"]'),
    ("runner_settings", "pyproject.toml", PYPROJECT, '["error"]', "[]"),
    ("runner_settings", "pyproject.toml", PYPROJECT, "xfail_strict", 'python_functions = "check_*"\nxfail_strict'),
    ("runner_settings", "pyproject.toml", PYPROJECT, "xfail_strict", 'norecursedirs = ["unit"]\nxfail_strict'),
    ("runner_settings", "pyproject.toml", PYPROJECT, "xfail_strict", 'pythonpath = ["fakes"]\nxfail_strict'),
    ("runner_settings", "pyproject.toml", PYPROJECT, PYPROJECT, "[tool.pytest.ini_options]\naddopts = ="),
    ("threshold_lowered", "pyproject.toml", PYPROJECT, "under=90", "under=10"),
    ("threshold_lowered", "pyproject.toml", PYPROJECT, " --cov-fail-under=90", ""),
    ("threshold_lowered", "pyproject.toml", PYPROJECT, "fail_under = 90", "fail_under = 50"),
    ("threshold_lowered", "pyproject.toml", PYPROJECT, "fail_under = 90", ""),
    ("threshold_lowered", "pyproject.toml", PYPROJECT, '["a.py"]', '["a.py", "src/*"]'),
    ("linter_settings", "pyproject.toml", PYPROJECT, "line-length = 100", "line-length = 100\nlint.ignore = ['F']"),
    ("command_changed", "pyproject.toml", PYPROJECT, 'test = "pytest"', 'test = "true"'),
    ("runner_settings", "pytest.ini", None, "", "[pytest]\ntestpaths = tests\n"),
    ("runner_settings", "pytest.ini", "[pytest]\naddopts = -W error\n", "-W error", ""),
    ("runner_settings", "setup.cfg", "[tool:pytest]\naddopts = -q\n", "-q", "-q --co"),
    ("runner_settings", "tox.ini", TOX, "addopts = -q", "addopts = -q -m fast"),
    ("command_changed", "tox.ini", TOX, "commands = pytest tests", "commands = pytest tests -k x"),
    ("command_changed", "tox.ini", TOX, "commands = pytest tests", "commands = - pytest tests"),
    ("command_changed", "package.json", PACKAGE, '"test": "jest"', '"test": "jest || true"'),
    ("command_changed", "package.json", PACKAGE, '"test": "jest"', '"test": "jest --passWithNoTests"'),
    ("command_changed", "package.json", PACKAGE, '"test": "jest", ', ""),
    ("command_changed", "package.json", PACKAGE, '"test": "jest"', '"test": "jest", "pretest": "node fix.js"'),
    ("runner_settings", "package.json", PACKAGE, '"testEnvironment": "node"', '"testPathIgnorePatterns": ["a"]'),
    ("threshold_lowered", "package.json", PACKAGE, '{"lines": 80}', '{"lines": 8}'),
    ("threshold_lowered", "package.json", PACKAGE, ', "coverageThreshold": {"global": {"lines": 80}}', ""),
    ("threshold_lowered", "package.json", PACKAGE, '"check-coverage": true', '"check-coverage": false'),
    ("runner_settings", "jest.config.js", JEST, "'**/*.test.ts'", "'**/a.test.ts'"),
    ("runner_settings", "jest.config.js", JEST, JEST, ""),
    ("runner_settings", "vitest.config.ts", None, "", "export default { test: { exclude: ['src/a.test.ts'] } };\n"),
    ("threshold_lowered", "jest.config.js", JEST, "lines: 80", "lines: 8"),
    ("runner_settings", "vite.config.ts", "export default { test: { globals: true } };\n", "globals: true", "bail: 1"),
    ("runner_settings", ".mocharc.yml", "spec: test/*.js\n", "test/*.js", "test/a.js"),
    ("threshold_lowered", ".coveragerc", "[report]\nfail_under = 80\n", "80", "1"),
    ("threshold_lowered", ".coveragerc", "[report]\nfail_under = 80\n", "fail_under = 80", "exclude_lines =\n  def\n"),
    ("command_changed", "Makefile", MAKE, "$(PYTEST) tests", "-$(PYTEST) tests"),
    ("command_changed", "Makefile", MAKE, "PYTEST = pytest", "PYTEST = echo pytest"),
    ("command_changed", "Makefile", MAKE, "test: unit", "test:\n\ttrue\n\nold: unit"),
    ("command_changed", "Makefile", MAKE, "ARGS ?=", "ARGS ?= -k fast"),
    ("command_changed", "Makefile", MAKE, "PYTEST = pytest", "PYTEST = pytest\nSHELL = /bin/true"),
    ("command_changed", "noxfile.py", NOX, "'pytest'", "'true'"),
    ("runner_settings", "pom.xml", POM, "<dependency>", "<skipTests>true</skipTests>\n<dependency>"),
    ("runner_settings", "build.gradle", "test {\n}\n", "test {", "test {\n  ignoreFailures = true"),
    ("runner_settings", "Cargo.toml", CARGO, "[dependencies]", "[lib]\ntest = false\n\n[dependencies]"),
    ("linter_settings", "ruff.toml", "line-length = 100\n", "100", "300"),
    ("test_support_changed", "tests/conftest.py", CONFTEST, "connect()", "fake()"),
    ("test_support_changed", "tests/conftest.py", CONFTEST, "@pytest.fixture\n", "@pytest.fixture(autouse=True)\n"),
    ("test_support_changed", "tests/conftest.py", CONFTEST, CONFTEST, CONFTEST + "\ncollect_ignore = ['test_a.py']\n"),
    (
        "test_support_changed",
        "tests/conftest.py",
        CONFTEST,
        CONFTEST,
        CONFTEST + "\ndef pytest_collection_modifyitems(items):\n    items.clear()\n",
    ),
    ("test_support_changed", "conftest.py", None, "", "def pytest_runtest_makereport(item, call):\n    pass\n"),
    (
        "test_support_changed",
        "conftest.py",
        None,
        "",
        "import pytest as p\n@p.fixture(autouse=True)\ndef a():\n    pass\n",
    ),
    ("test_support_changed", "conftest.py", None, "", "import sys\nsys.modules['a'] = object()\n"),
    ("test_support_changed", "conftest.py", None, "", "from os import environ as e\ne['CI'] = '1'\n"),
    ("test_support_changed", "conftest.py", None, "", "import sys\nsys.path.insert(0, 'tests/fakes')\n"),
    ("test_support_changed", "conftest.py", None, "", "from pkg import calc\ncalc.add = lambda a, b: 5\n"),
    ("test_support_changed", "conftest.py", None, "", "pytest_plugins = ['evil']\n"),
    ("test_support_changed", "tests/helpers.py", HELPER, "a + b == 3", "a + b"),
    ("test_support_changed", "tests/__init__.py", "", "", "def load_tests(a, b, c):\n    return a.suiteClass()\n"),
    ("test_support_changed", "jest.setup.ts", SETUP, SETUP, SETUP + "jest.mock('./calc');\n"),
    ("test_support_changed", "test/support/all.js", "const a = 1;\n", "const a", "vi.mock('../calc');\nconst a"),
    ("test_support_changed", "src/__mocks__/api.ts", "export const get = 1;\n", "1", "2"),
    ("test_support_changed", "__mocks__/lodash.js", None, "", "module.exports = {};\n"),
]


@pytest.mark.parametrize("rule, path, before, old, new", EASED)
def test_what_eases_tests_is_found(trees: Trees, rule: str, path: str, before: str | None, old: str, new: str) -> None:
    assert old in (before or "")
    after = new if not old else (before or "").replace(old, new)
    beside = {"pyproject.toml": ""} if path == "pytest.ini" else {}
    change = trees(
        {**TESTS, **beside, **({path: before} if before is not None else {})}, {**TESTS, **beside, path: after}
    )
    told = {each.rule for each in settings_findings(change)}
    # A command that no longer fails is more than a changed one.
    assert rule in {"command_changed" if each == "command_weakened" else each for each in told}


HONEST: list[tuple[str, str | None, str, str]] = [
    ("Makefile", MAKE, "ARGS ?=", "ARGS ?=\nexport PYTHONPATH := src\nVERSION = 2"),
    ("pyproject.toml", PYPROJECT, "[tool.ruff]", "[project.scripts]\nx = 'x.cli:main'\nx-test = 'x:y'\n[tool.ruff]"),
    ("pyproject.toml", PYPROJECT, "[tool.ruff]", "[project.entry-points.'x.plugins']\ny = 'x.y'\n[tool.ruff]"),
    ("setup.cfg", None, "", "[options.entry_points]\nconsole_scripts =\n  x = x:main\n"),
    ("pyproject.toml", PYPROJECT, 'version = "1"', 'version = "2"\ndependencies = ["a"]'),
    ("pyproject.toml", PYPROJECT, '["tests", "unit"]', "[\n  'tests',\n  'unit',  # both\n]"),
    ("pyproject.toml", PYPROJECT, '"tests", "unit"', '"tests", "unit", "more"'),
    ("pyproject.toml", PYPROJECT, "xfail_strict", 'markers = ["slow: takes long"]\nxfail_strict'),
    ("pyproject.toml", PYPROJECT, "-ra ", "-ra -vv --durations=5 "),
    ("pyproject.toml", PYPROJECT, "=90", "=95"),
    ("pyproject.toml", PYPROJECT, "fail_under = 90", "fail_under = 95"),
    ("pyproject.toml", PYPROJECT, '["a.py"]', "[]"),
    ("pyproject.toml", PYPROJECT, 'test = "pytest"', 'test = "pytest"\nserve = "x"'),
    (
        "pyproject.toml",
        '[project]\nname = "x"\n',
        "[project]",
        '[tool.pytest.ini_options]\ntestpaths = ["."]\n\n[project]',
    ),
    (
        "pyproject.toml",
        '[project]\nname = "x"\n',
        "[project]",
        '[tool.pytest.ini_options]\ntestpaths = ["tests", "unit"]\naddopts = "-q"\n\n[project]',
    ),
    ("tox.ini", TOX, "envlist = py311", "envlist = py311, py312"),
    ("tox.ini", TOX, "deps = pytest", "deps =\n  pytest\n  hypothesis"),
    ("package.json", PACKAGE, '"version": "1"', '"version": "2", "dependencies": {"a": "1"}'),
    ("package.json", PACKAGE, '"start": "node ."', '"start": "node a.js", "test:unit": "jest a"'),
    ("package.json", PACKAGE, '{"lines": 80}', '{"lines": 85}'),
    ("package.json", PACKAGE, PACKAGE, json.dumps(json.loads(PACKAGE), indent=4)),
    ("jest.config.js", JEST, "  testMatch", "  // all of them\n  testMatch"),
    ("jest.config.js", JEST, "lines: 80", "lines: 90"),
    ("vite.config.ts", "export default { test: { globals: true } };\n", "{ test", "{ base: '/x', test"),
    ("Makefile", MAKE, "./deploy.sh", "./deploy.sh --fast"),
    ("Makefile", MAKE, "lint:", "bench:\n\tpytest bench\n\nlint:"),
    ("Makefile", MAKE, "test: unit  ## run all", "test: unit  ## run all the tests"),
    ("noxfile.py", NOX, NOX, NOX + "\n@nox.session\ndef docs(session):\n    session.run('mkdocs')\n"),
    ("pom.xml", POM, "<dependency>a", "<dependency>b"),
    ("build.gradle", "dependencies {\n}\n", "dependencies {", "dependencies {\n  implementation 'a:b:1'"),
    ("Cargo.toml", CARGO, 'a = "1"', 'a = "2"'),
    ("tests/conftest.py", CONFTEST, CONFTEST, CONFTEST + "\n\n@pytest.fixture\ndef user():\n    return 'x'\n"),
    ("tests/conftest.py", CONFTEST, "def db():", "def db():\n    '''A connection.'''  # open"),
    ("tests/conftest.py", CONFTEST, "import pytest\n", "import os\n\nimport pytest\n"),
    ("conftest.py", None, "", CONFTEST),
    (
        "conftest.py",
        None,
        "",
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent / 'src'))\n",
    ),
    ("conftest.py", None, "", "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')\n"),
    (
        "conftest.py",
        None,
        "",
        "import pytest, os\n@pytest.fixture\ndef env(monkeypatch):\n    return os.environ['A']\n",
    ),
    ("tests/helpers.py", HELPER, "return 1", "return 2"),
    ("tests/helpers.py", HELPER, HELPER, HELPER + "\ndef more():\n    return 3\n"),
    ("tests/__init__.py", None, "", ""),
    ("test/support/all.js", "const a = 1;\n", "const a = 1;", "const a = 1;\nexport const b = 2;"),
    ("src/__mocks__/api.ts", None, "", "export const get = 1;\n"),
    ("src/app.py", "a = 1\n", "1", "2"),
]


@pytest.mark.parametrize("path, before, old, new", HONEST)
def test_other_edits_of_the_same_files_pass(trees: Trees, path: str, before: str | None, old: str, new: str) -> None:
    assert old in (before or "")
    assert found(trees, path, before, new if not old else (before or "").replace(old, new)) == []


def test_a_first_configuration_of_a_runner_passes_where_no_test_could_be_lost(trees: Trees) -> None:
    after = {
        "vitest.config.ts": "export default { test: { include: ['src/**'] } };\n",
        "pytest.ini": "[pytest]\ntestpaths = tests\n",
    }
    assert settings_findings(trees({"src/a.ts": ""}, {"src/a.ts": "", **after})) == []


def test_a_conftest_that_is_deleted_is_found(trees: Trees) -> None:
    assert found(trees, "tests/conftest.py", CONFTEST, None) == ["test_support_changed"]


def test_ignoring_a_changed_source_file_is_a_setting_of_linters(trees: Trees) -> None:
    change = trees(
        {".gitignore": "*.log\n", "src/a.py": "a = 1\n"}, {".gitignore": "*.log\nsrc/\n", "src/a.py": "a = 2\n"}
    )
    assert [each.rule for each in settings_findings(change)] == ["linter_settings"]


@pytest.mark.parametrize(
    "before, after, wanted",
    [
        ({"tests/__snapshots__/a.snap": "1"}, {"tests/__snapshots__/a.snap": "2"}, ["tests/__snapshots__/a.snap"]),
        ({"testdata/a.golden": "1"}, {}, ["testdata/a.golden"]),
        ({}, {"tests/fixtures/a.json": "1"}, []),
        ({"tests/fixtures/a.json": "long text\nin lines"}, {"tests/data/a.json": "long text\nin lines"}, []),
        ({"data/a.json": "1"}, {"data/a.json": "2"}, []),
    ],
)
def test_expected_data_may_be_added_and_moved_but_not_changed(
    trees: Trees, before: Mapping[str, str], after: Mapping[str, str], wanted: list[str]
) -> None:
    assert [each.path for each in golden_findings(trees(before, after))] == wanted
