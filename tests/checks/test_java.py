"""Maven and Gradle: what is prepared and what is told. Small programs stand for what would need a network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.checks.environment import Environment, Environments, NotPrepared
from andon.checks.environment_errors import environment_error
from andon.checks.goals import plan_goals
from andon.checks.measure import Inspector
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import Verdict
from andon.ports import Sandbox

Write = Callable[[dict[str, str]], Path]
MAVEN = {"pom.xml": "<project/>", "src/main/java/App.java": "", "src/test/java/AppTest.java": ""}
GRADLE = {"build.gradle": "", "src/main/java/App.java": "", "src/test/java/AppTest.java": ""}


def goal(folder: Path, name: str) -> Goal:
    return next(one for one in plan_goals(detect(folder), custom=None, interactive=False) if one.name == name)


def program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path, sandbox: Sandbox) -> Environments:
    """A machine with a JDK in a folder of its own, and neither Maven nor Gradle."""
    program(tmp_path / "jdk/bin/javac", "exit 1")
    return Environments(tmp_path / "home", sandbox, environ={"PATH": str(tmp_path / "jdk/bin")})


@pytest.mark.parametrize(
    ("files", "tools", "said"),
    [(MAVEN, (), "javac is not installed"), (MAVEN, ("javac",), "mvn is not installed"),
     (GRADLE, ("javac",), "gradle is not installed")],
)  # fmt: skip
def test_E_22_A_106_missing_java_tools_are_told_with_what_to_do(
    repository: Write, sandbox: Sandbox, tmp_path: Path, files: dict[str, str], tools: tuple[str, ...], said: str
) -> None:
    for tool in tools:
        program(tmp_path / "bin" / tool, "exit 1")
    folder = repository(files)
    bare = Environments(tmp_path / "home", sandbox, environ={"PATH": str(tmp_path / "bin")})
    made = asyncio.run(bare.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, NotPrepared) and made.environment_error
    assert made.reason == said and made.fix_command.startswith("install ")


MVNW = """\
bin=$MAVEN_USER_HOME/wrapper/dists/apache-maven-1/abc/bin
mkdir -p $bin
printf '#!/bin/sh\\necho "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0 in $JAVA_HOME"\\n' > $bin/mvn
chmod +x $bin/mvn
"""


def test_A_101_a_wrapper_brings_the_tool_and_the_check_uses_that_one(
    repository: Write, sandbox: Sandbox, machine: Environments, tmp_path: Path
) -> None:
    folder = repository({**MAVEN, "mvnw": MVNW, ".mvn/wrapper/maven-wrapper.properties": "distributionUrl=x"})
    made = asyncio.run(machine.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, Environment), made
    # The check runs the tool that was unpacked; a wrapper that was changed since has no say.
    (folder / "mvnw").write_text("exit 1\n")
    result = asyncio.run(Inspector(sandbox, machine).measure(goal(folder, "test"), "t", folder, tmp_path / "c", made))
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)
    assert result.command == ("mvn", "-o", "-B", "test")
    assert str(tmp_path / "jdk") in result.output


def test_E_21_a_wrapper_that_links_its_tool_out_of_its_folder_is_refused(
    repository: Write, machine: Environments, tmp_path: Path
) -> None:
    linking = MVNW + "rm $bin/mvn; ln -s /bin/true $bin/mvn\n"
    folder = repository({**MAVEN, "mvnw": linking})
    made = asyncio.run(machine.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, NotPrepared) and made.fix_command == "./mvnw --version"


def test_E_21_what_a_build_tool_cannot_fetch_is_told(repository: Write, machine: Environments, tmp_path: Path) -> None:
    said = "echo 'java.net.UnknownHostException: repo.example.com' >&2; exit 1"
    folder = repository({**GRADLE, "gradlew": said})
    made = asyncio.run(machine.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, NotPrepared) and made.environment_error
    assert "UnknownHostException" in made.reason and made.fix_command == "./gradlew build"


@pytest.mark.parametrize(
    "line",
    [
        "[ERROR] Plugin x could not be resolved: Cannot access central (https://repo.example.com) in offline mode and "
        "the artifact a:b:jar:1.1 has not been downloaded from it before. -> [Help 1]",
        "   > No cached version of junit:junit:4.13 available for offline mode.",
    ],
)
def test_A_106_what_was_not_downloaded_is_an_environment_error(line: str) -> None:
    assert environment_error(f"BUILD FAILURE\n{line}\n", 1)


def test_E_21_what_a_check_puts_into_its_caches_counts_as_disk(
    repository: Write, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("andon.checks.measure.DISK_BYTES", 4 * 1024 * 1024)
    folder = repository({"a": ""})
    script = "head -c 20000000 /dev/zero > $TOOL_HOME/x; sleep 30"
    goal = Goal("build", commands=(("/bin/sh", "-c", script),))
    inspector = Inspector(sandbox, Environments(tmp_path / "home", sandbox))
    environment = Environment("e", caches={"TOOL_HOME": "tool"})
    result = asyncio.run(inspector.measure(goal, "t", folder, tmp_path / "check", environment, None, 25))
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, "stopped at the disk limit")


def test_E_27_each_check_has_caches_of_its_own(repository: Write, sandbox: Sandbox, tmp_path: Path) -> None:
    folder = repository({"a": ""})
    environment = Environment("e", caches={"TOOL_HOME": "tool"})
    script = 'test -z "$(ls $TOOL_HOME)" && touch $TOOL_HOME/x && case $TOOL_HOME in $PWD/*) exit 1;; esac'
    both = Goal("build", commands=(("/bin/sh", "-c", script), ("/bin/sh", "-c", script)))
    inspector = Inspector(sandbox, Environments(tmp_path / "home", sandbox, environ=dict(os.environ)))
    result = asyncio.run(inspector.measure(both, "t", folder, tmp_path / "check", environment))
    assert result.verdict is Verdict.PASSED, result.output
