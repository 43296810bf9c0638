"""Reads the facts of a Python project from its manifests and the names of its files. Runs nothing."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from andon.checks.facts import Lock, Python
from andon.checks.languages.python.declared import installs
from andon.checks.reading import Unreadable, is_folder, read_bytes, read_table, read_text, source_files, strings, table

# Groups and extras that hold what checks need; any other (docs, gpu, server …) costs time and may conflict.
FOR_CHECKS = frozenset(
    {"dev", "develop", "development", "test", "tests", "testing", "lint", "linting", "typing", "typecheck", "types"}
    | {"mypy", "ci", "qa", "check", "checks"}
)
OTHER_MANIFESTS = ("package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts")
TEST_FILES = ("test_*.py", "*_test.py")
FOREIGN_LOCKS = {
    "poetry.lock": ("poetry", "poetry export --all-groups --output requirements.txt"),
    "pdm.lock": ("pdm", "pdm export --output requirements.txt"),
    "Pipfile.lock": ("pipenv", "pipenv requirements --dev > requirements.txt"),
}
PINNED_LINE = re.compile(r"[A-Za-z0-9][\w.\-]*(\[[^\]]*\])?\s*={2,3}\s*[^\s*,;]+(\s*;.*)?(\s+--hash=.*)?$")


def detect_python(folder: Path) -> tuple[Python | None, tuple[Unreadable, ...]]:
    files = [path for path in source_files(folder) if path.endswith((".py", ".txt"))]
    pyproject, settings, problems = _read_manifests(folder)
    requirements = _requirement_files(files)
    code = [path for path in files if path.endswith(".py")]
    patterns = _test_patterns(pyproject, settings)
    tests = [path for path in code if any(fnmatch(PurePosixPath(path).name, pattern) for pattern in patterns)]
    manifests = tuple(name for name in ("pyproject.toml", "setup.py", "setup.cfg") if _present(folder, name))
    if not (manifests or requirements or tests or _scripts_only(folder, code)):
        return None, ()
    tool = table(pyproject.get("tool"))
    mypy = _mypy(tool, settings)
    static, dynamic = _dependencies(pyproject, manifests)
    return (
        Python(
            manifests=(*manifests, *requirements),
            requires=_requires(pyproject, settings),
            lock=_lock(folder, requirements, manifests),
            has_code=any(path != "setup.py" for path in code),
            src_layout=is_folder(folder, "src") and any(path.startswith("src/") for path in code),
            has_tests=bool(tests),
            tests_folder=any(path.startswith("tests/") for path in tests),
            ruff="ruff" in tool or _present(folder, "ruff.toml") or _present(folder, ".ruff.toml"),
            mypy=mypy is not None,
            mypy_names_files=bool(mypy and {"files", "packages", "modules"} & set(mypy)),
            pyright=bool({"pyright", "basedpyright"} & set(tool)) or _present(folder, "pyrightconfig.json"),
            pytest_cov=installs(folder, pyproject, requirements, FOR_CHECKS, "pytest-cov"),
            build_requires=_build_requires(pyproject),
            extras=_chosen(table(pyproject.get("project")).get("optional-dependencies")),
            groups=_chosen(pyproject.get("dependency-groups")),
            requirement_files=requirements,
            static_dependencies=static,
            dynamic_dependencies=dynamic,
        ),
        problems,
    )


def _present(folder: Path, path: str) -> bool:
    return read_bytes(folder, path) is not None and not is_folder(folder, path)


def _scripts_only(folder: Path, code: list[str]) -> bool:
    """A few Python files without a manifest are a project too, unless another language's manifest says otherwise."""
    others = any(_present(folder, name) for name in OTHER_MANIFESTS)
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


def _requirement_files(files: Iterable[str]) -> tuple[str, ...]:
    """requirements.txt and the ones for development; never docs, gpu or production variants."""
    chosen: list[str] = []
    for path in files:
        words = set(re.split(r"[-_./]", path.removesuffix(".txt").lower()))
        at_home = "/" not in path or (path.startswith("requirements/") and path.count("/") == 1)
        if not (path.endswith(".txt") and at_home and "requirements" in words):
            continue
        rest = words - {"requirements"}
        if not rest or rest & (FOR_CHECKS | {"base", "main"}):
            chosen.append(path)
    return tuple(chosen)


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
    return named.strip() if isinstance(named, str) else ""


def _build_requires(pyproject: Mapping[str, Any]) -> tuple[str, ...] | None:
    return strings(table(pyproject["build-system"]).get("requires")) if "build-system" in pyproject else None


def _chosen(groups: object) -> tuple[str, ...]:
    return tuple(sorted(name for name in table(groups) if name.lower() in FOR_CHECKS))


def _dependencies(pyproject: Mapping[str, Any], manifests: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether dependencies are listed plainly, and whether only the project's build code knows them."""
    project = table(pyproject.get("project"))
    if project:
        left_open = bool({"dependencies", "optional-dependencies"} & set(strings(project.get("dynamic"))))
        return bool(strings(project.get("dependencies"))), left_open
    poetry = "poetry" in table(pyproject.get("tool"))
    return False, poetry or "setup.py" in manifests or ("setup.cfg" in manifests and "build-system" in pyproject)


def _lock(folder: Path, requirements: tuple[str, ...], manifests: tuple[str, ...]) -> Lock | None:
    if "pyproject.toml" in manifests and _present(folder, "uv.lock"):
        return Lock("uv.lock")
    if _present(folder, "pylock.toml"):
        return Lock("pylock.toml")
    for name, (program, export) in FOREIGN_LOCKS.items():
        if _present(folder, name) and not _pinned(folder, requirements):
            return Lock(name, problem=f"{name} can only be read by {program}, which andon does not use", fix=export)
    return Lock(requirements[0]) if _pinned(folder, requirements) else None


def _pinned(folder: Path, requirements: tuple[str, ...]) -> bool:
    """Whether every line of every chosen file names one exact version."""
    lines: list[str] = []
    for path in requirements:
        text = read_text(folder, path)
        if not isinstance(text, str):
            return False
        joined = text.replace("\\\n", " ")
        lines += [line.split(" #")[0].strip() for line in joined.splitlines() if not line.lstrip().startswith("#")]
    wanted = [line for line in lines if line and not line.startswith(("-r", "--"))]
    return bool(wanted) and all(PINNED_LINE.match(line) for line in wanted)
