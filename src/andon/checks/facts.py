"""The nouns of project detection: what is known about a tree. Only data; reading is done elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from andon.checks.reading import Unreadable


@dataclass(frozen=True, slots=True)
class Habit:
    """Commands for a goal, where the project says so; none where it uses what andon cannot run."""

    commands: tuple[tuple[str, ...], ...]
    place: str
    lines: tuple[str, ...] = ()
    """Requirements that they have besides the project's own dependencies."""


@dataclass(frozen=True, slots=True)
class Python:
    manifests: tuple[str, ...] = ()
    """pyproject.toml, setup.py, setup.cfg and requirements files, as far as they exist."""
    requires: str = ""
    """requires-python, as written."""
    prefers: tuple[str, ...] = ()
    """Ranges of versions to be tried first."""
    lock: str = ""
    """The lock file, where there is one."""
    has_code: bool = False
    src_layout: bool = False
    has_tests: bool = False
    tests_folder: bool = False
    """The tests, or some of them, are in tests/."""
    ruff: bool = False
    mypy: bool = False
    mypy_names_files: bool = False
    """Its configuration says what to check, so the command does not."""
    pyright: bool = False
    pytest_cov: bool = False
    """pytest-cov is among what is installed for checks."""
    build_requires: tuple[str, ...] | None = None
    """What [build-system] asks for; None without a [build-system]."""
    habits: Mapping[str, Habit] = field(default_factory=dict[str, "Habit"])
    """How the project itself does it, by goal, where it says so."""


@dataclass(frozen=True, slots=True)
class Node:
    scripts: Mapping[str, str] = field(default_factory=dict[str, str])
    dependencies: tuple[str, ...] = ()
    """Names, of every kind."""
    lock: str = ""
    typescript: bool = False
    eslint: bool = False
    runner: str = ""
    """jest, vitest or node (its own test runner), where one is recognised."""
    react: bool = False
    next: bool = False
    playwright: bool = False
    workspaces: bool = False


@dataclass(frozen=True, slots=True)
class Go:
    modules: tuple[str, ...] = (".",)
    """Folders of its modules: the top, or those that go.work names."""
    has_code: bool = False
    has_tests: bool = False
    has_dependencies: bool = False
    """Some module requires another that is not vendored."""


@dataclass(frozen=True, slots=True)
class Rust:
    has_code: bool = False
    has_tests: bool = False
    has_dependencies: bool = False
    """Some manifest names a crate that is not in the tree."""
    lock: bool = False
    whole_workspace: bool = False
    """A workspace that leaves open which members a command without --workspace is about."""
    toolchain: str = ""
    """What rust-toolchain.toml asks for."""


@dataclass(frozen=True, slots=True)
class Java:
    tool: str = "mvn"
    """mvn or gradle."""
    wrapper: str = ""
    """mvnw or gradlew, where the repository brings its own version of the tool."""
    has_code: bool = False
    has_tests: bool = False
    checkstyle: bool = False


@dataclass(frozen=True, slots=True)
class Make:
    targets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Project:
    python: Python | None = None
    node: Node | None = None
    unreadable: tuple[Unreadable, ...] = ()
    playwright_config: str = ""
    """The configuration of end-to-end tests at the top of the repository, where there is one."""
    go: Go | None = None
    rust: Rust | None = None
    java: Java | None = None
    make: Make | None = None

    @property
    def only_make(self) -> bool:
        return self.make is not None and not (self.python or self.node or self.go or self.rust or self.java)

    def problem_with(self, path: str) -> str:
        """Why `path` could not be read, or nothing."""
        return next((f"{path}: {found.reason}" for found in self.unreadable if found.path == path), "")
