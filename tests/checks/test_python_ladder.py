"""What a Python project's tests run with: each way of saying so is read, and the first that collects the tests is
taken."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from andon.checks.environment import Environment, NotPrepared, given_by
from andon.checks.goals import plan_goals
from andon.checks.languages.python.collecting import read_collected
from andon.checks.languages.python.declared import version_range
from andon.checks.languages.python.project import read_project
from andon.checks.languages.python.rungs import Rung, ladder
from andon.checks.project import detect
from andon.checks.reading import one_or_more
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict

Write = Callable[[dict[str, str]], Path]
Prepare = Callable[..., Environment | NotPrepared]
Measure = Callable[..., CheckResult]
PROJECT = '[project]\nname = "my-app"\nversion = "1"\ndependencies = ["six"]\n'
TESTED = {"my_app.py": "import six\n", "test_my_app.py": "import my_app\n\n\ndef test_it():\n    assert my_app.six\n"}


def rungs(folder: Path) -> dict[str, Rung]:
    told = read_project(folder)
    return {
        rung.name: rung
        for rung in ladder(folder, told.declared, told.sessions, one_or_more(given_by(folder).get("install")))
    }


def goal(folder: Path, name: str) -> Goal:
    return next(one for one in plan_goals(detect(folder), custom=None, interactive=False) if one.name == name)


@pytest.mark.parametrize(
    ("files", "name", "lines"),
    [
        ({"pyproject.toml": PROJECT}, "the package itself", {"six"}),
        ({"pyproject.toml": PROJECT + '[project.optional-dependencies]\ntest=["idna"]\nall=["my_app[test]"]'},
         "extra test", {"six", "idna"}),
        ({"pyproject.toml": PROJECT + '[dependency-groups]\ntests=[{include-group="b"},"idna"]\nb=["attrs"]'},
         "group tests", {"six", "idna", "attrs"}),
        ({"pyproject.toml": PROJECT + '[dependency-groups]\ndocs=["sphinx"]'}, "the package itself", {"six"}),
        ({"pyproject.toml": PROJECT, "andon.toml": 'environment.install = [".", "idna==3.4", "-r a/b.txt"]',
          "a/b.txt": "-r c.txt\nattrs  # why\n", "a/c.txt": "pluggy; python_version > '3'\n"},
         "andon.toml", {"six", "idna==3.4", "attrs", "pluggy; python_version > '3'"}),
        ({"pyproject.toml": PROJECT, "requirements/tests.txt": "-e .\nidna\n./vendored\n"},
         "requirements/tests.txt", {"six", "idna"}),
        ({"tests/requirements.txt": "idna", "test_a.py": ""}, "tests/requirements.txt", {"idna"}),
        ({"pyproject.toml": PROJECT, "tox.ini": "[base]\ndeps = idna\n[testenv]\nextras = fast\ndeps =\n {[base]deps}\n"
          "  lint: ruff\n  py{39,310}: nose\n  -r{toxinidir}/t.txt\ncommands = pytest {posargs}", "t.txt": "attrs"},
         "tox.ini [testenv]", {"six", "idna", "attrs"}),
        ({"pyproject.toml": PROJECT + '[dependency-groups]\nt=["idna"]\n[tool.tox.env_run_base]\n'
          'dependency_groups=["t"]\ncommands=[["pytest"]]'},
         "pyproject.toml, tox environment testenv", {"six", "idna"}),
        ({"pyproject.toml": PROJECT + '[project.optional-dependencies]\nx=["attrs"]', "noxfile.py":
          "import nox\n@nox.session\ndef tests(session):\n    session.install('-e', '.[x]', 'idna', '-c', 'c.txt')\n"
          "    session.run('pytest', *session.posargs)\n", "c.txt": "idna<4"},
         "noxfile.py, session tests", {"six", "attrs", "idna"}),
        ({"pyproject.toml": PROJECT + '[tool.hatch.envs.test]\ndependencies=["idna"]\nfeatures=[]'},
         "hatch environment test", {"six", "idna"}),
        ({"pyproject.toml": '[tool.poetry]\nname="a"\n[tool.poetry.dependencies]\npython="^3.8"\nsix="^1.16"\n'
          'idna={version="~3.4",markers="python_version>\'3\'"}\n[tool.poetry.group.test.dependencies]\nattrs="*"'},
         "group test", {"six>=1.16,<2", "idna>=3.4,<3.5 ; (python_version>'3')", "attrs"}),
        ({"pyproject.toml": PROJECT + '[tool.pdm.dev-dependencies]\ntest=["idna"]'}, "group test", {"six", "idna"}),
        ({"Pipfile": '[packages]\nsix="*"\n[dev-packages]\nidna="==3.4"', "a.py": ""},
         "group dev-packages", {"six", "idna==3.4"}),
        ({"setup.py": "from setuptools import setup\nT = ['idna']\nsetup(name='a', install_requires=('six',),"
          " extras_require={'test': T})"}, "extra test", {"six", "idna"}),
        ({"setup.cfg": "[metadata]\nname=a\n[options]\ninstall_requires =\n  six\n[options.extras_require]\n"
          "testing =\n  idna\n"}, "extra testing", {"six", "idna"}),
        ({"pyproject.toml": '[tool.flit.metadata]\nmodule="a"\nrequires=["six"]\n'
          '[tool.flit.metadata.requires-extra]\ntest=["idna"]'}, "extra test", {"six", "idna"}),
    ],
)  # fmt: skip
def test_each_way_of_naming_what_tests_need_is_a_rung(
    repository: Write, files: dict[str, str], name: str, lines: set[str]
) -> None:
    found = rungs(repository(files))
    assert name in found, list(found)
    rung = found[name]
    told = {*rung.lines, *(line for part in rung.parts.values() for line in part)}
    assert {line for line in told if not line.startswith("-c ")} == lines


def test_the_surest_rung_comes_first_and_the_package_itself_last(repository: Write) -> None:
    lock = '[[package]]\nname = "six"\nversion = "1.16.0"\n[[package]]\nname="idna"\nversion="3.4"\n'
    folder = repository({
        "pyproject.toml": PROJECT + '[dependency-groups]\ntest=["idna"]\ndev=["attrs"]',
        "pdm.lock": lock, "tox.ini": "[testenv]\ndeps=pluggy\ncommands=pytest",
        "andon.toml": 'environment.install = ["."]\nenvironment.python = "3.12"',
    })  # fmt: skip
    found = rungs(folder)
    # `.` of andon.toml and the package itself are the same
    assert list(found) == ["andon.toml", "pdm.lock", "tox.ini [testenv]", "group test", "group test, group dev"]
    assert found["pdm.lock"].bounds == ("idna==3.4", "six==1.16.0")


def test_pipenvs_lock_bounds_the_versions(repository: Write) -> None:
    lock = {"default": {"six": {"version": "==1.16.0"}}, "develop": {"idna": {"version": "==3.4"}}}
    folder = repository({"Pipfile": '[packages]\nsix="*"', "Pipfile.lock": json.dumps(lock), "a.py": ""})
    assert rungs(folder)["Pipfile.lock"].bounds == ("idna==3.4", "six==1.16.0")


@pytest.mark.parametrize(
    ("poetry", "others"),
    [("^1.2.3", ">=1.2.3,<2"), ("^0.3", ">=0.3,<0.4"), ("~1.2", ">=1.2,<1.3"), ("~2", ">=2,<3"), ("*", ""),
     ("1.2.3", "==1.2.3"), (">=1,<2", ">=1,<2"), ("1.*", "==1.*"), ("^3", ">=3,<4")],
)  # fmt: skip
def test_poetrys_ranges_in_everybodys_words(poetry: str, others: str) -> None:
    assert version_range(poetry) == others


@pytest.mark.parametrize(
    ("output", "code", "tests", "errors", "missing"),
    [
        ("a.py::x\n\n12 tests collected in 0.1s", 0, 12, 0, ()),
        ("E   ModuleNotFoundError: No module named 'yaml.x'\n3 tests collected, 1 error in 0.1s", 2, 3, 1, ("PyYAML",)),
        ("pytest: error: unrecognized arguments: --cov=a -n 4", 4, 0, 1, ("pytest-cov", "pytest-xdist")),
        ("ERROR: Missing required plugins: pytest-mock>=3", 4, 0, 1, ("pytest-mock>=3",)),
        ("no tests collected", 5, 0, 0, ()),
    ],
)
def test_what_pytest_says_about_collecting(
    output: str, code: int, tests: int, errors: int, missing: tuple[str, ...]
) -> None:
    told = read_collected(output, code)
    assert (told.tests, told.errors, told.missing) == (tests, errors, missing)


def prepared(environment: Environment | NotPrepared) -> Environment:
    assert isinstance(environment, Environment), environment
    return environment


def test_a_group_that_cannot_be_had_is_left_out_and_told(repository: Write, prepare: Prepare, measure: Measure) -> None:
    groups = '[dependency-groups]\ntest = ["idna"]\ndev = ["six<1", "six>1.15"]\n'
    folder = repository({"pyproject.toml": PROJECT + groups, **TESTED, "test_b.py": "import idna\n"})
    notes = prepared(prepare(folder)).notes
    assert notes[-1] == "group test: 1 tests collected"
    (folder / "test_b.py").write_text("import attr\n\n\ndef test_attr(): pass\n")
    groups = groups.replace("six<1", "attrs<1").replace("six>1.15", "attrs>1.15").replace("idna", "pluggy")
    (folder / "pyproject.toml").write_text(PROJECT + groups)
    notes = prepared(prepare(folder)).notes
    assert any("left out group dev: " in note for note in notes), notes
    assert notes[-1].endswith("with attrs, which the tests ask for: 2 tests collected")
    assert measure(folder, goal(folder, "test")).tests == {"passed": 2}


def test_what_the_build_requires_keeps_nothing_from_being_measured(repository: Write, measure: Measure) -> None:
    conflict = '[build-system]\nrequires = ["flit_core<2", "flit_core>3"]\nbuild-backend = "flit_core.buildapi"\n'
    folder = repository({"pyproject.toml": PROJECT + conflict, **TESTED})
    assert measure(folder, goal(folder, "test")).verdict is Verdict.PASSED
    build = measure(folder, goal(folder, "build"))
    assert build.verdict is Verdict.NOT_MEASURED and "flit-core" in build.reason.replace("_", "-")


def test_a_tool_that_cannot_be_had_takes_only_its_own_goal_with_it(
    repository: Write, measure: Measure, prepare: Prepare
) -> None:
    tox = "[testenv]\ndeps=idna\ncommands=pytest\n[testenv:lint]\ndeps=flake8>999\ncommands=flake8 my_app.py\n"
    folder = repository({"pyproject.toml": PROJECT, "tox.ini": tox, **TESTED})
    assert list(prepared(prepare(folder)).lacks) == ["flake8"]
    assert measure(folder, goal(folder, "test")).verdict is Verdict.PASSED
    lint = measure(folder, goal(folder, "lint"))
    assert lint.verdict is Verdict.NOT_MEASURED and "flake8 could not be installed" in lint.reason


GENERATED = """
from setuptools import setup
from setuptools.command.build_py import build_py
class made(build_py):
    def run(self):
        super().run()
        open(self.build_lib + '/own/_version.py', 'w').write("version = '7'")
setup(name='own', version='7', packages=['own'], package_dir={'': 'lib'}, cmdclass={'build_py': made},
      entry_points={'console_scripts': ['own-program = own:main']})
"""


def test_what_building_generates_is_there_and_what_a_change_removes_is_gone(
    repository: Write, measure: Measure
) -> None:
    test = (
        "import subprocess, importlib.metadata\nimport own\n\n\ndef test_all():\n    assert own.version == '7'\n"
        "    assert importlib.metadata.version('own') == '7'\n"
        "    assert subprocess.run(['own-program']).returncode == 5\n\n\n"
        "def test_sub():\n    import own.sub\n"
    )
    folder = repository({
        "setup.py": GENERATED,
        "lib/own/__init__.py": "from own._version import version\n\n\ndef main():\n    return 5\n",
        "lib/own/sub.py": "", "tests/test_own.py": test,
        "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n',
    })  # fmt: skip
    result = measure(folder, goal(folder, "test"))
    assert result.tests == {"passed": 2}, result.output
    for name in ("sub.py", "_version.py"):  # what the first one was given stays there as an empty file
        (folder / "lib/own" / name).unlink()
    again = measure(folder, replace(goal(folder, "test"), name="again", like="test"))
    assert again.verdict is Verdict.FAILED and "test_sub" in str(again.failing)


@pytest.mark.parametrize(
    ("files", "name", "commands"),
    [
        ({"tox.ini": "[testenv:lint]\ncommands = ruff check src {posargs}\n  ruff format --check"}, "lint",
         (("ruff", "check", "src"),)),
        ({"tox.ini": "[testenv:types]\ncommands = {envpython} -m mypy --strict src\n  mypy tests"}, "typecheck",
         (("mypy", "--strict", "src"), ("mypy", "tests"))),
        ({"noxfile.py": "import nox\n@nox.session\ndef lint(session):\n    session.run('flake8', 'src')\n"}, "lint",
         (("flake8", "src"),)),
        ({".pre-commit-config.yaml": "repos:\n- repo: x\n  rev: v0.9.1\n  hooks:\n  - id: ruff\n    args: [--fix]\n"},
         "lint", (("ruff", "check", "."),)),
        ({"Makefile": "lint:\n\t@poetry run flake8 src && black .\n"}, "lint", (("flake8", "src"),)),
        ({".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n    - run: |\n        uv run --group t mypy src\n"},
         "typecheck", (("mypy", "src"),)),
        ({"tox.ini": "[testenv:types]\ncommands = pyright src", "mypy.ini": "[mypy]"}, "typecheck", ()),
        ({"Makefile": "lint:\n\truff check --fix src\n"}, "lint",
         (("ruff", "check", ".", "--select", "E9,F63,F7,F82"),)),
    ],
)  # fmt: skip
def test_linters_and_type_checkers_are_called_as_the_project_calls_them(
    repository: Write, files: dict[str, str], name: str, commands: tuple[tuple[str, ...], ...]
) -> None:
    planned = goal(repository({"app.py": "", **files}), name)
    assert planned.commands == commands
    assert planned.ours is (name == "lint" and "--select" in str(commands))


def test_the_version_of_a_hook_is_the_version_that_is_run(repository: Write) -> None:
    hooks = "repos:\n- repo: x\n  rev: v0.9.1\n  hooks:\n  - id: ruff\n"
    python = detect(repository({"app.py": "", ".pre-commit-config.yaml": hooks})).python
    assert python and python.habits["lint"].lines == ("ruff==0.9.1",)


def test_the_python_that_andon_toml_names_is_taken(repository: Write, measure: Measure) -> None:
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    test = f"import sys\n\n\ndef test_it():\n    assert '{minor}' == '%d.%d' % sys.version_info[:2]\n"
    folder = repository({"andon.toml": f"environment.python = '{minor}'", ".python-version": "2.7", "test_a.py": test})
    assert measure(folder, goal(folder, "test")).verdict is Verdict.PASSED
