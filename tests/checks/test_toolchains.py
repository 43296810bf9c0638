"""Go, Rust and Make projects measured with the real programs, where this machine has them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from andon.checks.environment import Environment, Environments, NotPrepared
from andon.checks.goals import plan_goals
from andon.checks.machine import Machine
from andon.checks.project import detect
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.ports import Sandbox

Write = Callable[[dict[str, str]], Path]
Prepare = Callable[..., Environment | NotPrepared]
Measure = Callable[..., CheckResult]
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")


def runs(*words: str) -> bool:
    """Whether a program is there and works: rustup's does not, under a home folder that is not its own."""
    program = shutil.which(words[0])
    return (
        program is not None and subprocess.run([program, *words[1:]], capture_output=True, timeout=30).returncode == 0
    )


needs_rust = pytest.mark.skipif(
    not (runs("rustc", "--version") and runs("cargo", "--version") and shutil.which("cc")), reason="needs Rust and cc"
)
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")

GO = {
    "go.mod": "module example.com/app\n\ngo 1.18\n",
    "app.go": "package app\n\nfunc Add(a, b int) int { return a + b }\n",
    "app_test.go": 'package app\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n'
    '\t\tt.Fatal("wrong")\n\t}\n}\n',
}
RUST = {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n"
    "    assert_eq!(add(1, 2), 3);\n}\n",
}


def goal(folder: Path, name: str) -> Goal:
    planned = plan_goals(detect(folder), custom=None, interactive=False, machine=Machine.of())
    return next(one for one in planned if one.name == name)


def passed(result: CheckResult) -> bool:
    assert result.verdict is Verdict.PASSED, (result.reason, result.output)
    return True


@needs_go
def test_A_101_a_go_project_is_measured(repository: Write, measure: Measure) -> None:
    folder = repository(GO)
    for name in ("lint", "test", "build"):
        assert passed(measure(folder, goal(folder, name)))


@needs_go
def test_A_105_go_failures_are_named(repository: Write, measure: Measure) -> None:
    folder = repository({**GO, "app.go": GO["app.go"].replace("a + b", "a - b"), "b.go": "package app\n\nvar X = y\n"})
    build = measure(folder, goal(folder, "build"))
    assert build.verdict is Verdict.FAILED
    assert build.signatures[0].startswith("build:b.go undefined") or "undeclared" in build.signatures[0]
    (folder / "b.go").unlink()
    test = measure(folder, goal(folder, "test"))
    assert (test.verdict, test.signatures) == (Verdict.FAILED, ("test:example.com/app TestAdd FAILED",))


@needs_go
def test_E_21_go_tests_that_were_all_skipped_prove_nothing(repository: Write, measure: Measure) -> None:
    skipped = 'package app\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) { t.Skip() }\n'
    folder = repository({**GO, "app_test.go": skipped})
    result = measure(folder, goal(folder, "test"))
    assert result.verdict is Verdict.NOT_MEASURED and result.exit_code == 0


def module_proxy(folder: Path) -> str:
    """A proxy in the form Go understands, with one module of one version."""
    versions = folder / "proxy/example.com/dep/@v"
    versions.mkdir(parents=True)
    (versions / "list").write_text("v1.0.0\n")
    (versions / "v1.0.0.info").write_text('{"Version": "v1.0.0"}')
    (versions / "v1.0.0.mod").write_text("module example.com/dep\n")
    with zipfile.ZipFile(versions / "v1.0.0.zip", "w") as archive:
        archive.writestr("example.com/dep@v1.0.0/go.mod", "module example.com/dep\n")
        archive.writestr("example.com/dep@v1.0.0/dep.go", "package dep\n\nconst Three = 3\n")
    return f"file://{folder / 'proxy'}"


@needs_go
def test_A_101_go_modules_are_fetched_once_and_used_offline(
    repository: Write, environments: Environments, measure: Measure, tmp_path: Path
) -> None:
    files = {
        **GO,
        "go.mod": GO["go.mod"] + "\nrequire example.com/dep v1.0.0\n",
        "app.go": 'package app\n\nimport "example.com/dep"\n\n'
        "func Add(a, b int) int { return a + b + dep.Three - 3 }\n",
    }
    folder = repository(files)
    index = {"GOPROXY": module_proxy(tmp_path), "GOSUMDB": "off"}
    tidy = {**os.environ, **index, "GOMODCACHE": str(tmp_path / "own"), "GOFLAGS": "-modcacherw"}
    subprocess.run(["go", "mod", "tidy"], cwd=folder, env=tidy, check=True, capture_output=True, timeout=100)
    reaching = replace(environments, environ={**os.environ, **index})
    made = asyncio.run(reaching.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, Environment), made
    # When the proxy is gone, then what was fetched is enough, for the check and for preparing again
    shutil.rmtree(tmp_path / "proxy")
    again = asyncio.run(environments.prepare(folder, detect(folder), tmp_path / "prepare", frozen=made.frozen))
    assert isinstance(again, Environment) and again.digest == made.digest
    assert passed(measure(folder, goal(folder, "test")))


@needs_go
def test_E_21_go_modules_that_cannot_be_fetched_are_an_environment_error(
    repository: Write, environments: Environments, tmp_path: Path
) -> None:
    folder = repository({**GO, "go.mod": GO["go.mod"] + "\nrequire example.com/gone v1.0.0\n"})
    unreachable = replace(environments, environ={**os.environ, "GOPROXY": "http://unreachable.invalid"})
    made = asyncio.run(unreachable.prepare(folder, detect(folder), tmp_path / "prepare"))
    assert isinstance(made, NotPrepared)
    assert made.fix_command == "go mod download" and made.environment_error


@needs_rust
def test_A_101_a_rust_project_is_measured(repository: Write, measure: Measure) -> None:
    folder = repository(RUST)
    for name in ("test", "build", "typecheck"):
        assert passed(measure(folder, goal(folder, name)))
    if Machine.of().clippy:
        assert passed(measure(folder, goal(folder, "lint")))


@needs_rust
def test_A_105_rust_failures_are_named(repository: Write, measure: Measure) -> None:
    folder = repository({**RUST, "src/lib.rs": RUST["src/lib.rs"].replace("a + b", "a - b")})
    test = measure(folder, goal(folder, "test"))
    assert (test.verdict, test.signatures) == (Verdict.FAILED, ("test:adds FAILED",))
    (folder / "src/lib.rs").write_text("pub fn x() -> i32 {\n    'c'\n}\n")
    types = measure(folder, goal(folder, "typecheck"))
    assert types.signatures == ("typecheck:src/lib.rs E0308 mismatched types",)


@needs_rust
def test_A_101_crates_are_fetched_and_frozen(repository: Write, measure: Measure, prepare: Prepare) -> None:
    """The crate comes from a folder that stands for the registry, as `cargo vendor` leaves it."""
    source = '[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "vendor"\n'
    folder = repository({
        **RUST,
        "Cargo.toml": RUST["Cargo.toml"] + '[dependencies]\nthree = "1"\n',
        "src/lib.rs": RUST["src/lib.rs"].replace("a + b", "a + b + three::three() - 3"),
        ".cargo/config.toml": source,
        "vendor/three/Cargo.toml": RUST["Cargo.toml"].replace("app", "three").replace("0.1.0", "1.0.0"),
        "vendor/three/src/lib.rs": "pub fn three() -> i32 {\n    3\n}\n",
        "vendor/three/.cargo-checksum.json": json.dumps({"files": {}}),
    })  # fmt: skip
    first = prepare(folder)
    assert isinstance(first, Environment), first
    assert 'name = \\"three\\"' in first.frozen
    again = prepare(folder, first.frozen)
    assert isinstance(again, Environment) and again.digest == first.digest
    assert passed(measure(folder, goal(folder, "test")))


@needs_rust
def test_E_21_a_lock_file_that_is_none_is_told(repository: Write, prepare: Prepare) -> None:
    manifest = RUST["Cargo.toml"] + '[dependencies]\nthree = "1"\n'
    made = prepare(repository({**RUST, "Cargo.toml": manifest, "Cargo.lock/x": ""}))
    assert isinstance(made, NotPrepared) and made.reason == "Cargo.lock is a folder"


@needs_make
def test_A_101_a_makefile_is_what_is_run_where_nothing_else_is(repository: Write, measure: Measure) -> None:
    folder = repository({"Makefile": "test:\n\t@echo one test && test -f data\nbuild:\n\t@touch data\n"})
    test = measure(folder, goal(folder, "test"))
    assert (test.verdict, test.command) == (Verdict.FAILED, ("make", "test"))
    assert test.signatures == ("test:one test",)
    assert passed(measure(folder, goal(folder, "build")))


@needs_make
def test_E_21_a_target_that_does_nothing_proves_nothing(repository: Write, measure: Measure) -> None:
    folder = repository({"Makefile": "test:\n"})
    result = measure(folder, goal(folder, "test"))
    assert (result.verdict, result.reason) == (Verdict.NOT_MEASURED, "make had nothing to do")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (GO, "go is not installed (to put right: install Go"),
        (RUST, "cargo is not installed (to put right: install Rust"),
        ({"Makefile": "test:\n"}, "make is not installed (to put right: install make"),
    ],
)
def test_E_22_A_106_a_missing_toolchain_is_told_with_what_to_do(
    repository: Write, sandbox: Sandbox, tmp_path: Path, files: dict[str, str], said: str
) -> None:
    from andon.checks.measure import Inspector

    folder = repository(files)
    bare = Environments(tmp_path / "home", sandbox, environ={"PATH": str(tmp_path)})
    made = asyncio.run(bare.prepare(folder, detect(folder), tmp_path / "prepare"))
    result = asyncio.run(Inspector(sandbox, bare).measure(goal(folder, "test"), "t", folder, tmp_path / "check", made))
    assert (result.verdict, result.environment_error) == (Verdict.NOT_MEASURED, True)
    assert result.reason.startswith(said)


@needs_rust
def test_E_22_a_toolchain_the_repository_asks_for_is_named_when_missing(repository: Write, prepare: Prepare) -> None:
    if Path(shutil.which("rustc") or "").resolve().name != "rustup":
        pytest.skip("only rustup chooses between toolchains")
    made = prepare(repository({**RUST, "rust-toolchain.toml": '[toolchain]\nchannel = "1.0.0-none"\n'}))
    assert isinstance(made, NotPrepared) and made.environment_error
    assert made.fix_command == "rustup toolchain install 1.0.0-none"
