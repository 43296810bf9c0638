"""Go, Rust, Java and Make projects: what is known about them, and what is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.checks.goals import plan_goals
from andon.checks.machine import Machine
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict

Write = Callable[[dict[str, str]], Path]
GO = {"go.mod": "module example.com/app\n\ngo 1.19\n", "app.go": "package app\n", "app_test.go": "package app\n"}
RUST = {"Cargo.toml": "[package]\nname = 'app'\n", "src/lib.rs": "#[test]\nfn adds() {}\n"}
MAVEN = {"pom.xml": "<project/>", "src/main/java/App.java": "", "src/test/java/AppTest.java": ""}
GRADLE = {"build.gradle": "plugins { id 'java' }", "src/main/java/App.java": "", "src/test/java/AppTest.java": ""}
MAVEN_RUN = ("mvn", "-o", "-B")
GRADLE_RUN = ("gradle", "--offline", "--no-daemon", "--console=plain")


def planned(folder: Path, machine: Machine = Machine(clippy=True)) -> dict[str, Goal]:  # noqa: B008
    return {goal.name: goal for goal in plan_goals(detect(folder), custom=None, interactive=False, machine=machine)}


@pytest.mark.parametrize(
    ("files", "language", "fact", "expected"),
    [
        (GO, "go", "has_tests", True),
        ({"go.mod": "module a", "a.go": ""}, "go", "has_tests", False),
        (GO, "go", "has_dependencies", False),
        ({**GO, "go.mod": "module a\nrequire b.c/d v1.0.0\n"}, "go", "has_dependencies", True),
        ({**GO, "go.mod": "module a\nrequire (\n\tb.c/d v1.0.0\n)\n"}, "go", "has_dependencies", True),
        ({**GO, "go.mod": "module a\n// require b.c/d v1.0.0\n"}, "go", "has_dependencies", False),
        ({**GO, "go.mod": "module a\nrequire b.c/d v1.0.0\n", "vendor/modules.txt": ""}, "go", "has_dependencies",
         False),
        ({"go.work": "go 1.19\nuse (\n\t./one // first\n\t./two/\n\t../out\n)\nuse ./three\n"}, "go", "modules",
         ("one", "two", "three")),
        (GO, "go", "modules", (".",)),
        (RUST, "rust", "has_tests", True),
        ({**RUST, "src/lib.rs": "/// ```\n/// assert!(true);\n/// ```\npub fn a() {}\n"}, "rust", "has_tests", True),
        ({**RUST, "src/lib.rs": "#[tokio::test]\nasync fn a() {}\n"}, "rust", "has_tests", True),
        ({**RUST, "src/lib.rs": "pub fn latest() {}\n"}, "rust", "has_tests", False),
        (RUST, "rust", "has_dependencies", False),
        ({**RUST, "Cargo.toml": "[dependencies]\nitoa = '1'\n"}, "rust", "has_dependencies", True),
        ({**RUST, "Cargo.toml": "[target.'cfg(unix)'.dependencies]\nnix = '1'\n"}, "rust", "has_dependencies", True),
        ({**RUST, "Cargo.toml": "[dependencies]\nown = {path = 'own'}\n"}, "rust", "has_dependencies", False),
        ({**RUST, "own/Cargo.toml": "[dev-dependencies]\nitoa = '1'\n"}, "rust", "has_dependencies", True),
        ({**RUST, "Cargo.toml": "[workspace]\nmembers = ['a']\n"}, "rust", "whole_workspace", True),
        ({**RUST, "Cargo.toml": "[workspace]\ndefault-members = ['a']\n"}, "rust", "whole_workspace", False),
        ({**RUST, "rust-toolchain.toml": "[toolchain]\nchannel = '1.75.0'\n"}, "rust", "toolchain", "1.75.0"),
        ({**RUST, "rust-toolchain": "nightly\n"}, "rust", "toolchain", "nightly"),
        ({**RUST, "rust-toolchain": "--evil\n"}, "rust", "toolchain", ""),
        (MAVEN, "java", "tool", "mvn"),
        ({**MAVEN, "mvnw": ""}, "java", "wrapper", "mvnw"),
        (MAVEN, "java", "has_tests", True),
        ({**MAVEN, "pom.xml": "<artifactId>maven-checkstyle-plugin</artifactId>"}, "java", "checkstyle", True),
        (GRADLE, "java", "tool", "gradle"),
        ({**GRADLE, "gradlew": ""}, "java", "wrapper", "gradlew"),
        ({"settings.gradle.kts": ""}, "java", "tool", "gradle"),
        ({**GRADLE, **MAVEN}, "java", "tool", "mvn"),
        ({**GRADLE, **MAVEN, "gradlew": ""}, "java", "tool", "gradle"),
        ({"Makefile": "test: build\n\tcc -o x:y\nbuild lint:\n.PHONY: all\nX := a:b\nrun: X = 1\n$(OBJ): a\n# no:\n"},
         "make", "targets", {"test", "build", "lint"}),
        ({"Makefile": "check:: a\\\n  b\n"}, "make", "targets", {"check"}),
        ({"Makefile": "a:\n", "GNUmakefile": "b:\n"}, "make", "targets", {"b"}),
    ],
)  # fmt: skip
def test_E_23_facts(repository: Write, files: dict[str, str], language: str, fact: str, expected: Any) -> None:
    facts = getattr(detect(repository(files)), language)
    assert facts is not None
    assert getattr(facts, fact) == expected


@pytest.mark.parametrize(
    ("files", "name", "commands"),
    [
        (GO, "lint", (("go", "vet", "./..."),)),
        (GO, "test", (("go", "test", "-v", "./..."),)),
        (GO, "build", (("go", "build", "./..."),)),
        (GO, "typecheck", ()),
        ({"go.work": "use ./a\nuse ./b\n", "a/a.go": ""}, "build", (("go", "build", "./a/...", "./b/..."),)),
        ({"go.mod": "module a"}, "build", ()),
        ({"go.mod": "module a", "a.go": ""}, "test", ()),
        (RUST, "lint", (("cargo", "clippy"),)),
        (RUST, "test", (("cargo", "test"),)),
        (RUST, "build", (("cargo", "build"),)),
        (RUST, "typecheck", (("cargo", "check"),)),
        ({**RUST, "Cargo.toml": "[workspace]"}, "test", (("cargo", "test", "--workspace"),)),
        ({**RUST, "src/lib.rs": "pub fn a() {}"}, "test", ()),
        (MAVEN, "lint", ()),
        (MAVEN, "test", ((*MAVEN_RUN, "test"),)),
        (MAVEN, "build", ((*MAVEN_RUN, "-q", "package", "-DskipTests"),)),
        (MAVEN, "typecheck", ((*MAVEN_RUN, "-q", "test-compile"),)),
        ({**MAVEN, "pom.xml": "maven-checkstyle-plugin"}, "lint", ((*MAVEN_RUN, "-q", "checkstyle:check"),)),
        ({**GRADLE, "gradlew": ""}, "test", ((*GRADLE_RUN, "test"),)),
        (GRADLE, "build", ((*GRADLE_RUN, "assemble"),)),
        (GRADLE, "typecheck", ((*GRADLE_RUN, "testClasses"),)),
        ({"Makefile": "lint:\ncheck:\nall:\ntypecheck:\n"}, "lint", (("make", "lint"),)),
        ({"Makefile": "lint:\ncheck:\nall:\ntypecheck:\n"}, "test", (("make", "check"),)),
        ({"Makefile": "test:\ncheck:\n"}, "test", (("make", "test"),)),
        ({"Makefile": "build:\nall:\n"}, "build", (("make", "build"),)),
        ({"Makefile": "install:\n"}, "build", ()),
        # A Makefile answers only what no language does.
        ({**GO, "Makefile": "test:\ntypecheck:\n"}, "test", (("go", "test", "-v", "./..."),)),
        ({**GO, "Makefile": "test:\ntypecheck:\n"}, "typecheck", (("make", "typecheck"),)),
        ({"app.py": "", "Makefile": "test:\n"}, "test", (("make", "test"),)),
        ({**GO, **RUST}, "test", (("go", "test", "-v", "./..."), ("cargo", "test"))),
    ],
)  # fmt: skip
def test_A_101_E_23_commands(repository: Write, files: dict[str, str], name: str, commands: tuple[object, ...]) -> None:
    goal = planned(repository(files))[name]
    assert goal.commands == commands
    if not commands:
        assert goal.settled is Verdict.NOT_NEEDED and goal.reason


def test_E_22_without_clippy_lint_is_not_needed_and_says_so(repository: Write) -> None:
    goal = planned(repository(RUST), Machine())["lint"]
    assert goal.settled is Verdict.NOT_NEEDED
    assert "clippy is not installed" in goal.reason


@pytest.mark.parametrize(
    ("files", "manifest"),
    [({"Cargo.toml": "[package"}, "Cargo.toml"), ({"go.mod": "x" * 2_000_000}, "go.mod"),
     ({"pom.xml": "x" * 2_000_000}, "pom.xml"), ({"Makefile": "x" * 2_000_000}, "Makefile")],
)  # fmt: skip
def test_E_21_an_unreadable_manifest_is_not_measured(repository: Write, files: dict[str, str], manifest: str) -> None:
    goal = planned(repository(files))["test"]
    assert goal.settled is Verdict.NOT_MEASURED
    assert manifest in goal.reason and goal.fix == f"mend {manifest}"


def test_A_77_no_command_of_any_language_modifies_what_it_measures(repository: Write) -> None:
    files = {**GO, **RUST, **MAVEN, "Makefile": "lint:\nformat:\nfix:\n"}
    words = {word for goal in planned(repository(files)).values() for argv in goal.commands for word in argv}
    assert not words & {"--fix", "fmt", "--write", "tidy", "format", "fix"}


def test_E_22_clippy_that_rustup_only_promises_is_not_there(tmp_path: Path) -> None:
    for folder in ("bin", "home/.rustup/toolchains/stable/bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bin/rustup").touch(0o755)
    (tmp_path / "bin/cargo-clippy").symlink_to("rustup")
    environ = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path / "home")}
    assert not Machine.of(environ).clippy
    (tmp_path / "home/.rustup/toolchains/stable/bin/cargo-clippy").touch()
    assert Machine.of(environ).clippy
