"""Short commands: bounded in time and output, and nothing of them left behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.processes import run

ENV = {"PATH": "/usr/bin:/bin"}


def test_reports_code_and_both_streams_without_raising(tmp_path: Path) -> None:
    done = run(["sh", "-c", "echo out; echo err >&2; exit 3"], cwd=tmp_path, env=ENV)

    assert (done.code, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
    assert not done.timed_out and not done.truncated


def test_environment_is_exactly_what_is_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDON_TEST_SECRET", "leak")

    done = run(["/usr/bin/env"], cwd=tmp_path, env={"ONLY": "한 줄"})

    assert done.stdout.decode() == "ONLY=한 줄\n"


def test_input_and_output_larger_than_any_pipe(tmp_path: Path) -> None:
    data = bytes(range(256)) * 40_000

    assert run(["cat"], cwd=tmp_path, env=ENV, stdin=data).stdout == data


def test_input_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    assert run(["true"], cwd=tmp_path, env=ENV, stdin=b"x" * 10_000_000).code == 0


def test_output_over_the_limit_is_dropped_and_said(tmp_path: Path) -> None:
    done = run(["sh", "-c", "yes | head -c 50000000; echo end >&2"], cwd=tmp_path, env=ENV, output_bytes=1000)

    assert (len(done.stdout), done.stderr, done.truncated, done.code) == (1000, b"end\n", True, 0)


def test_output_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    done = run(["printf", "12345"], cwd=tmp_path, env=ENV, output_bytes=5)

    assert (done.stdout, done.truncated) == (b"12345", False)


def test_E_27_deadline_ends_the_whole_group(tmp_path: Path, agent, eventually: Callable[..., None]) -> None:
    command = agent.shell("echo begun; sh -c 'sleep 60; :' $0 & sleep 60; :")
    begun = time.monotonic()

    done = run(command.argv, cwd=tmp_path, env=ENV, seconds=0.5)

    assert done.timed_out and done.code == -9 and done.stdout == b"begun\n"
    assert time.monotonic() - begun < 10
    eventually(lambda: not agent.survivors())


def test_a_daemon_that_keeps_the_output_open_delays_nothing(tmp_path: Path, agent) -> None:
    begun = time.monotonic()

    done = run(agent.shell("setsid sh -c 'yes; :' $0 & echo done").argv, cwd=tmp_path, env=ENV, seconds=30)

    assert b"done\n" in done.stdout and not done.timed_out
    assert time.monotonic() - begun < 15


def test_missing_program_and_missing_folder_name_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no-such-program") as program:
        run(["no-such-program"], cwd=tmp_path, env=ENV)
    with pytest.raises(EnvironmentProblem, match="nowhere"):
        run(["true"], cwd=tmp_path / "nowhere", env=ENV)

    assert "no-such-program" in program.value.hint
