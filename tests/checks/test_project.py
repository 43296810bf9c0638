from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.checks.project import Project, detect

Write = Callable[[dict[str, str]], Path]
CODE = {"src/app/__init__.py": "", "tests/test_app.py": "def test_ok(): pass\n"}


def python(project: Project, fact: str) -> Any:
    assert project.python is not None
    return getattr(project.python, fact)


def node(project: Project, fact: str) -> Any:
    assert project.node is not None
    return getattr(project.node, fact)


@pytest.mark.parametrize(
    ("files", "fact", "expected"),
    [
        ({"pyproject.toml": "[project]\nname='a'\n"}, "manifests", ("pyproject.toml",)),
        ({"setup.py": "from setuptools import setup"}, "manifests", ("setup.py",)),
        ({"setup.cfg": "[metadata]\nname=a"}, "manifests", ("setup.cfg",)),
        ({"requirements.txt": "six\n"}, "manifests", ("requirements.txt",)),
        (CODE, "has_tests", True),
        (CODE, "tests_folder", True),
        (CODE, "src_layout", True),
        ({"app.py": "", "test_app.py": ""}, "tests_folder", False),
        ({"app.py": "", "test_app.py": ""}, "has_tests", True),
        ({"app.py": "", "tests/helper.py": ""}, "has_tests", False),
        ({"pytest.ini": "[pytest]\npython_files = check_*.py", "app.py": "", "check_a.py": ""}, "has_tests", True),
        ({"app.py": ""}, "src_layout", False),
        ({"pyproject.toml": "[project]\nrequires-python = '>=3.9'"}, "requires", ">=3.9"),
        ({"setup.cfg": "[options]\npython_requires = >=3.7"}, "requires", ">=3.7"),
        ({"pyproject.toml": "[tool.mypy]\nstrict = true"}, "mypy", True),
        ({"mypy.ini": "[mypy]\n", "a.py": ""}, "mypy", True),
        ({"setup.cfg": "[mypy]\nfiles = src"}, "mypy_names_files", True),
        ({"pyproject.toml": "[tool.ruff]"}, "mypy", False),
        ({"pyproject.toml": "[tool.ruff]"}, "ruff", True),
        ({"ruff.toml": "", "a.py": ""}, "ruff", True),
        ({"pyproject.toml": "[tool.pyright]"}, "pyright", True),
        ({"pyproject.toml": "[build-system]\nrequires=['hatchling']"}, "build_requires", ("hatchling",)),
        ({"pyproject.toml": "[project]\nname='a'"}, "build_requires", None),
        ({"pyproject.toml": "[project]", "poetry.lock": ""}, "lock", "poetry.lock"),
        ({"pyproject.toml": "[project]", "uv.lock": "", "pdm.lock": ""}, "lock", "uv.lock"),
        ({"pyproject.toml": "[project]"}, "lock", ""),
        ({"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.9'"}, "requires", ">=3.9,<4"),
        ({"pyproject.toml": "[project]", ".python-version": "3.12.1\n"}, "prefers", ("==3.12.*",)),
        ({"setup.cfg": "[metadata]\nclassifiers =\n  Programming Language :: Python :: 3.8\n"
                       "  Programming Language :: Python :: 3.11\n"}, "prefers", (">=3.8,<3.12",)),
    ],
)  # fmt: skip
def test_E_23_python_facts(repository: Write, files: dict[str, str], fact: str, expected: object) -> None:
    assert python(detect(repository(files)), fact) == expected


def package(**content: object) -> str:
    return json.dumps({"name": "a", **content})


@pytest.mark.parametrize(
    ("files", "fact", "expected"),
    [
        ({"package.json": package(scripts={"test": "jest"})}, "scripts", {"test": "jest"}),
        ({"package.json": package(scripts={"test": "jest"})}, "runner", "jest"),
        ({"package.json": package(devDependencies={"vitest": "1"})}, "runner", "vitest"),
        ({"package.json": package(scripts={"test": "node --test"})}, "runner", "node"),
        ({"package.json": package()}, "runner", ""),
        ({"package.json": package(), "tsconfig.json": "{}"}, "typescript", True),
        ({"package.json": package(), "eslint.config.mjs": ""}, "eslint", True),
        ({"package.json": package(), ".eslintrc.json": "{}"}, "eslint", True),
        ({"package.json": package(eslintConfig={})}, "eslint", True),
        ({"package.json": package()}, "eslint", False),
        ({"package.json": package(dependencies={"react": "18"})}, "react", True),
        (
            {
                "package.json": package(workspaces=["web/*"]),
                "web/site/package.json": package(dependencies={"react": "18"}),
            },
            "react",
            True,
        ),
        (
            {
                "package.json": package(workspaces=["web/*"]),
                "other/package.json": package(dependencies={"react": "18"}),
            },
            "react",
            False,
        ),
        ({"package.json": package(dependencies={"next": "15"})}, "next", True),
        ({"package.json": package(), "next.config.ts": ""}, "next", True),
        ({"package.json": package(), "playwright.config.ts": ""}, "playwright", True),
        ({"package.json": package(devDependencies={"@playwright/test": "1"})}, "playwright", True),
        ({"package.json": package(workspaces=["packages/*"])}, "workspaces", True),
    ],
)
def test_E_23_node_facts(repository: Write, files: dict[str, str], fact: str, expected: object) -> None:
    assert node(detect(repository(files)), fact) == expected


@pytest.mark.parametrize(
    "name", ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"]
)
def test_E_23_node_lock(repository: Write, name: str) -> None:
    assert node(detect(repository({"package.json": package(), name: "{}"})), "lock") == name


def test_E_23_of_two_node_locks_the_one_of_the_named_program_counts(repository: Write) -> None:
    files = {"package.json": package(packageManager="yarn@4.1.0"), "package-lock.json": "{}", "yarn.lock": ""}
    assert node(detect(repository(files)), "lock") == "yarn.lock"


def test_E_23_neither(repository: Write) -> None:
    assert detect(repository({"README.md": "# Notes"})) == Project()


def test_E_23_both(repository: Write) -> None:
    project = detect(repository({"pyproject.toml": "[project]", "package.json": package()}))
    assert project.python and project.node


@pytest.mark.parametrize("name", ["package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle"])
def test_E_23_a_stray_script_beside_another_manifest_is_no_python_project(repository: Write, name: str) -> None:
    assert detect(repository({name: "{}", "tool.py": ""})).python is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project"),
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", "[" * 100_000),
        ("setup.cfg", "no section"),
    ],
)
def test_E_23_broken_manifest_is_a_fact_not_a_crash(repository: Write, name: str, text: str) -> None:
    project = detect(repository({name: text, "app.py": ""}))
    assert project.problem_with(name)


def test_E_23_binary_manifest_is_unreadable(repository: Write) -> None:
    folder = repository({"app.py": ""})
    (folder / "pyproject.toml").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in detect(folder).problem_with("pyproject.toml")


def test_E_23_oversized_manifest_is_unreadable(repository: Write) -> None:
    folder = repository({"package.json": " " * (2 * 1024 * 1024)})
    assert "larger" in detect(folder).problem_with("package.json")


def test_E_23_links_are_not_followed(repository: Write, tmp_path: Path) -> None:
    # Given a manifest, a folder and a file that lead out of the tree
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "test_x.py").write_text("")
    (outside / "pyproject.toml").write_text("[tool.mypy]")
    folder = repository({"app.py": ""})
    (folder / "pyproject.toml").symlink_to(outside / "pyproject.toml")
    (folder / "tests").symlink_to(outside)
    # When the tree is read, then nothing outside it was
    project = detect(folder)
    assert not python(project, "mypy")
    assert not python(project, "has_tests")
    assert project.problem_with("pyproject.toml")


def test_E_23_a_fifo_does_not_hang(repository: Write) -> None:
    folder = repository({"app.py": ""})
    os.mkfifo(folder / "pyproject.toml")
    assert "regular" in detect(folder).problem_with("pyproject.toml")
