"""Building once per digest: one builder at a time, nothing lost or doubled by a kill, no secrets inside."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from andon.checks import index_settings
from andon.checks.building import Site, Workshop
from andon.checks.environment import Environments, NotPrepared
from andon.checks.index_settings import index_variables, readable_for_index
from andon.checks.languages.javascript.node import find_node
from andon.checks.languages.python.interpreter import Interpreter, find_interpreter
from andon.checks.languages.python.pylock import requirements_of
from andon.checks.project import detect
from andon.ports import Sandbox
from andon.workspace.sandbox.unconfined import NoSandbox

SLOW = "echo started >> starts; while [ ! -e {go} ]; do sleep 0.02; done; echo whole > result"
BUILDER = """
import asyncio, sys
from pathlib import Path
from andon.checks.building import Workshop
from andon.workspace.sandbox.probe import best
home, filters, go = map(Path, sys.argv[1:4])
async def build(site):
    await site.run("slow", ("/bin/sh", "-c", sys.argv[4]), cwd=site.made, readable=(str(go.parent),))
asyncio.run(Workshop(home, best(filters), {}).made("d", build))
"""


def until(path: Path, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.02)


def test_a_killed_builder_is_taken_over_without_starting_twice(tmp_path: Path, shared: Path, sandbox: Sandbox) -> None:
    home, go = tmp_path / "home", tmp_path / "signal" / "go"
    go.parent.mkdir()
    script = SLOW.format(go=go)
    # Given a builder that is killed while its step runs
    argv = [sys.executable, "-c", BUILDER, str(home), str(shared / "sandbox"), str(go), script]
    builder = subprocess.Popen(argv, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    until(home / "d" / "made" / "starts")
    builder.send_signal(signal.SIGKILL)
    builder.wait(10)
    assert not (home / "d" / "ready.json").exists()

    # When another one comes, then it waits for the same step and finishes the same build
    async def build(site: Site) -> NotPrepared | None:
        go.touch()
        step = await site.run("slow", ("/bin/sh", "-c", script), cwd=site.made, readable=(str(go.parent),))
        return None if step.ok else NotPrepared(step.output)

    made = asyncio.run(Workshop(home, sandbox, {}).made("d", build))
    assert isinstance(made, Path)
    assert (made / "result").read_text() == "whole\n"
    assert (made / "starts").read_text() == "started\n"
    assert (home / "d" / "ready.json").exists()


def test_remains_of_an_interrupted_build_get_one_fresh_try(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "d" / "made" / "half").mkdir(parents=True)

    async def build(site: Site) -> NotPrepared | None:
        return NotPrepared("spoiled") if (site.made / "half").exists() else None

    assert asyncio.run(Workshop(tmp_path, sandbox, {}).made("d", build)) == tmp_path / "d" / "made"


def test_a_failed_build_leaves_nothing_and_is_tried_again_next_time(tmp_path: Path, sandbox: Sandbox) -> None:
    calls: list[int] = []

    async def build(site: Site) -> NotPrepared | None:
        calls.append(1)
        return NotPrepared("no") if len(calls) == 1 else None

    workshop = Workshop(tmp_path, sandbox, {})
    assert asyncio.run(workshop.made("d", build)) == NotPrepared("no")
    assert not (tmp_path / "d").exists()
    assert isinstance(asyncio.run(workshop.made("d", build)), Path)


def test_many_at_once_build_once(tmp_path: Path, sandbox: Sandbox) -> None:
    calls: list[int] = []

    async def build(site: Site) -> None:
        calls.append(1)
        await asyncio.sleep(0)

    async def scenario() -> list[Path | NotPrepared]:
        workshop = Workshop(tmp_path, sandbox, {})
        return await asyncio.gather(*(workshop.made("d", build) for _ in range(8)))

    assert set(asyncio.run(scenario())) == {tmp_path / "d" / "made"}
    assert calls == [1]


def test_steps_cannot_forge_the_marker_or_their_record(tmp_path: Path, sandbox: Sandbox) -> None:
    async def build(site: Site) -> NotPrepared | None:
        forge = "touch ../ready.json; touch ../steps/forge/exit.json; touch ../given/x; true"
        await site.run("forge", ("/bin/sh", "-c", forge), cwd=site.made)
        return NotPrepared("as planned") if not (site.root / "ready.json").exists() else None

    result = asyncio.run(Workshop(tmp_path, sandbox, {}).made("d", build))
    assert result == NotPrepared("as planned")


HOST = {
    "PATH": "/usr/bin",
    "AWS_SECRET_ACCESS_KEY": "s",
    "UV_PUBLISH_TOKEN": "s",
    "NPM_TOKEN": "s",
    "UV_INDEX_URL": "https://user:secret@index.example/simple",
    "https_proxy": "http://proxy:3128",
    "SSL_CERT_FILE": "/etc/hosts",
}


def test_only_index_and_certificate_variables_are_handed_on() -> None:
    assert set(index_variables(HOST, code_runs=False)) == {"UV_INDEX_URL", "https_proxy", "SSL_CERT_FILE"}
    # No package's own code sees a password inside an address
    assert set(index_variables(HOST, code_runs=True)) == {"https_proxy", "SSL_CERT_FILE"}
    assert "/etc/hosts" in readable_for_index(index_variables(HOST, code_runs=True), code_runs=True)


def test_an_index_known_only_to_pip_is_used_by_uv() -> None:
    chosen = index_variables({"PIP_INDEX_URL": "https://mirror/simple"}, code_runs=False)
    assert chosen["UV_INDEX_URL"] == "https://mirror/simple"


@pytest.mark.parametrize("requires", ["./evil", "/tmp/python", "--directory=/", "cpython", ">=3.8 || ./evil"])
def test_only_version_ranges_reach_the_host(tmp_path: Path, requires: str) -> None:
    found = asyncio.run(find_interpreter(requires, tmp_path, os.environ))
    assert isinstance(found, NotPrepared) and "version range" in found.reason


def test_an_interpreter_is_looked_for_again_when_it_has_changed(tmp_path: Path) -> None:
    known = tmp_path / "known"
    found = asyncio.run(find_interpreter(">=3.11", tmp_path, os.environ, known))
    assert isinstance(found, Interpreter)
    [record] = known.iterdir()

    told = json.loads(record.read_text()) | {"version": "3.99.0"}
    record.write_text(json.dumps(told))
    again = asyncio.run(find_interpreter(">=3.11", tmp_path, os.environ, known))
    record.write_text(json.dumps(told | {"changed": 1}))
    replaced = asyncio.run(find_interpreter(">=3.11", tmp_path, os.environ, known))
    record.write_text(json.dumps(told | {"at": 1}))
    later = asyncio.run(find_interpreter(">=3.11", tmp_path, os.environ, known))

    assert isinstance(again, Interpreter) and again.version == "3.99.0"  # as it was kept
    assert replaced == later == found


def test_E_22_no_suitable_interpreter_says_how_to_get_one(tmp_path: Path) -> None:
    found = asyncio.run(find_interpreter(">=3.99", tmp_path, os.environ))
    assert isinstance(found, NotPrepared)
    assert found.environment_error and found.fix_command == "uv python install 3.99"


def test_E_22_missing_node_is_reported(tmp_path: Path) -> None:
    found = asyncio.run(find_node(tmp_path, {"PATH": str(tmp_path)}))
    assert isinstance(found, NotPrepared)
    assert found.environment_error and "node is not installed" in found.reason


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"pyproject.toml": "[project", "a.py": ""}, "pyproject.toml"),
        ({"package.json": "{"}, "package.json"),
    ],
)
def test_E_21_what_cannot_be_built_says_why(
    tmp_path: Path, environments: Environments, files: dict[str, str], word: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = asyncio.run(environments.prepare(tmp_path, detect(tmp_path), tmp_path / "scratch"))
    assert isinstance(found, NotPrepared)
    assert word in found.reason and found.fix_command


def test_E_22_without_a_sandbox_nothing_is_built(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("")
    unconfined = Environments(tmp_path / "home", NoSandbox())
    found = asyncio.run(unconfined.prepare(tmp_path, detect(tmp_path), tmp_path / "scratch"))
    assert isinstance(found, NotPrepared) and "sandbox" in found.reason
    assert not (tmp_path / "home").exists()


def test_E_23_pylock_becomes_pinned_requirements() -> None:
    lock = {
        "packages": [
            {"name": "six", "version": "1.16.0", "wheels": [{"hashes": {"sha256": "ab"}}]},
            {"name": "tomli", "version": "2.0.1", "marker": "python_version < '3.11'"},
            {"name": "app", "directory": {"path": "."}},
        ]
    }
    assert requirements_of(lock) == "six==1.16.0 --hash=sha256:ab\ntomli==2.0.1 ; python_version < '3.11'\n"
    assert requirements_of({"packages": [{"name": "x", "archive": {"url": "u"}}]}) is None


def test_E_27_where_package_code_runs_the_systems_index_settings_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "npmrc"
    settings.write_text("//registry.example/:_authToken=secret")
    monkeypatch.setattr(index_settings, "SYSTEM_FILES", (str(settings),))

    assert readable_for_index({}, code_runs=False) == (str(settings),)
    assert readable_for_index({}, code_runs=True) == ()
