"""Reads the facts of a Python project from its manifests and the names of its files. Runs nothing."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from andon.checks.facts import Python
from andon.checks.languages.python.declared import Declared, read_declared, requirement_name, version_range
from andon.checks.languages.python.habits import habits_of
from andon.checks.languages.python.rungs import FOR_CHECKS, ladder, lock_of, requirement_files
from andon.checks.languages.python.sessions import Session, read_sessions
from andon.checks.reading import (
    LOCK_BYTES,
    Unreadable,
    is_folder,
    is_present,
    read_table,
    read_text,
    source_files,
    strings,
    table,
)  # fmt: skip

OTHER_MANIFESTS = ("package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts")
TEST_FILES = ("test_*.py", "*_test.py")
_CLASSIFIED = re.compile(r"Programming Language :: Python :: 3\.(\d+)")
_LOCKED_NAME = re.compile(r'^name = "([^"]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReadProject:
    """What the manifests say, for those who need more than facts."""

    pyproject: Mapping[str, Any]
    settings: Mapping[str, Mapping[str, str]]
    problems: tuple[Unreadable, ...]
    declared: Declared
    sessions: tuple[Session, ...]


def read_project(folder: Path) -> ReadProject:
    pyproject, settings, problems = _read_manifests(folder)
    declared = read_declared(folder, pyproject, settings)
    return ReadProject(pyproject, settings, problems, declared, read_sessions(folder, pyproject))


def detect_python(folder: Path) -> tuple[Python | None, tuple[Unreadable, ...]]:
    told = read_project(folder)
    code = [path for path in source_files(folder) if path.endswith(".py")]
    requirements = requirement_files(folder)
    patterns = _test_patterns(told.pyproject, told.settings)
    tests = [path for path in code if any(fnmatch(PurePosixPath(path).name, pattern) for pattern in patterns)]
    manifests = tuple(
        name for name in ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile") if is_present(folder, name)
    )
    if not (manifests or requirements or tests or _scripts_only(folder, code)):
        return None, ()
    tool = table(told.pyproject.get("tool"))
    mypy = _mypy(tool, told.settings)
    return (
        Python(
            manifests=(*manifests, *requirements),
            requires=_requires(told.pyproject, told.settings),
            prefers=tuple(_prefers(folder, told.pyproject)),
            lock=lock_of(folder),
            has_code=any(path != "setup.py" for path in code),
            src_layout=is_folder(folder, "src") and any(path.startswith("src/") for path in code),
            has_tests=bool(tests),
            tests_folder=any(path.startswith("tests/") for path in tests),
            ruff="ruff" in tool or is_present(folder, "ruff.toml") or is_present(folder, ".ruff.toml"),
            mypy=mypy is not None,
            mypy_names_files=bool(mypy and {"files", "packages", "modules"} & set(mypy)),
            pyright=bool({"pyright", "basedpyright"} & set(tool)) or is_present(folder, "pyrightconfig.json"),
            pytest_cov=_installs(folder, told, "pytest-cov"),
            build_requires=_build_requires(told.pyproject),
            habits=habits_of(folder, told.pyproject, told.sessions, told.declared),
        ),
        told.problems,
    )


def _installs(folder: Path, told: ReadProject, package: str) -> bool:
    """Whether a package is among what checks run with. A lock file lists also what is for other purposes."""
    if any(package in rung.names for rung in ladder(folder, told.declared, told.sessions, ())):
        return True
    elsewhere = {*told.declared.extras, *told.declared.groups} - FOR_CHECKS
    others = (line for name in elsewhere for line in (*told.declared.group(name), *told.declared.extra(name)))
    texts = (read_text(folder, name, limit=LOCK_BYTES) for name in ("uv.lock", "pylock.toml"))
    locked = {name for text in texts if isinstance(text, str) for name in _LOCKED_NAME.findall(text)}
    return package in locked and package not in map(requirement_name, others)


def _scripts_only(folder: Path, code: list[str]) -> bool:
    """A few Python files without a manifest are a project too, unless another language's manifest says otherwise."""
    others = any(is_present(folder, name) for name in OTHER_MANIFESTS)
    return any("/" not in path or path.startswith("src/") for path in code) and not others


def _read_manifests(folder: Path) -> tuple[Mapping[str, Any], Mapping[str, Mapping[str, str]], tuple[Unreadable, ...]]:
    """pyproject.toml; the sections of setup.cfg, mypy.ini, pytest.ini and tox.ini, first file wins; what failed."""
    problems: list[Unreadable] = []
    pyproject = read_table(folder, "pyproject.toml")
    if isinstance(pyproject, Unreadable):
        problems.append(pyproject)
    sections: dict[str, Mapping[str, str]] = {}
    for name in ("mypy.ini", ".mypy.ini", "pytest.ini", "setup.cfg", "tox.ini"):
        text = read_text(folder, name)
        if isinstance(text, Unreadable):
            problems.append(text)
        if not isinstance(text, str):
            continue
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(text)
        except configparser.Error as error:
            problems.append(Unreadable(name, f"broken: {str(error).splitlines()[0]}"))
            continue
        for section in parser.sections():
            sections.setdefault(section, dict(parser.items(section)))
    return (pyproject if isinstance(pyproject, Mapping) else {}), sections, tuple(problems)


def _test_patterns(pyproject: Mapping[str, Any], settings: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """What pytest would collect: its default names, or the project's own python_files."""
    options = table(table(table(pyproject.get("tool")).get("pytest")).get("ini_options"))
    own: object = options.get("python_files")
    for section in ("pytest", "tool:pytest"):
        own = own or settings.get(section, {}).get("python_files")
    if isinstance(own, str):
        return tuple(own.split()) or TEST_FILES
    return strings(own) or TEST_FILES


def _mypy(tool: Mapping[str, Any], settings: Mapping[str, Mapping[str, str]]) -> Mapping[str, Any] | None:
    if "mypy" in settings:
        return settings["mypy"]
    return table(tool["mypy"]) if "mypy" in tool else None


def _requires(pyproject: Mapping[str, Any], settings: Mapping[str, Mapping[str, str]]) -> str:
    named: object = table(pyproject.get("project")).get("requires-python")
    named = named or settings.get("options", {}).get("python_requires", "")
    if not named:
        tool = table(pyproject.get("tool"))
        poetry = table(table(tool.get("poetry")).get("dependencies")).get("python")
        named = version_range(poetry) if isinstance(poetry, str) else ""
        named = named or table(table(tool.get("flit")).get("metadata")).get("requires-python", "")
    return named.strip() if isinstance(named, str) else ""


def _prefers(folder: Path, pyproject: Mapping[str, Any]) -> Iterator[str]:
    """Ranges of versions, the first that can be had holds: what is pinned, then what the project says it supports."""
    pinned = read_text(folder, ".python-version")
    if isinstance(pinned, str) and (found := re.match(r"\s*(\d+\.\d+)", pinned)):
        yield f"=={found[1]}.*"
    listed = (read_text(folder, name) for name in ("pyproject.toml", "setup.cfg", "setup.py"))
    minors = [int(minor) for text in listed if isinstance(text, str) for minor in _CLASSIFIED.findall(text)]
    if minors:
        yield f">=3.{min(minors)},<3.{max(minors) + 1}"


def _build_requires(pyproject: Mapping[str, Any]) -> tuple[str, ...] | None:
    return strings(table(pyproject["build-system"]).get("requires")) if "build-system" in pyproject else None
