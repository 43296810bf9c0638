"""A whole LIGHT run on PostgreSQL, by ANDON_DATABASE_URL alone, killed in the middle and resumed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from andon.app.demo import TASK
from andon.domain.run import Status

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]


def committed(repository: Path, branch: str) -> list[str]:
    words = ["git", "-C", str(repository), "diff", "--name-only", f"main..{branch}"]
    return subprocess.run(words, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()


def test_S_01_a_run_on_postgresql_killed_in_each_phase_ends_done_with_its_evidence_verified(
    postgres_url: str,
    andon_home: Path,
    sample_repository: Path,
    sample_scenario: Path,
    start_andon: Callable[..., Any],
    run_andon: Callable[..., Any],
    open_store: Callable[..., Any],
    eventually: Callable[..., None],
) -> None:
    # given a run that is killed in each of these phases, and no SQLite file
    (andon_home / "andon.db").unlink()
    where: dict[str, Any] = {"cwd": sample_repository, "env": {"ANDON_DATABASE_URL": postgres_url}}
    begin = ("auto", TASK, "--runtime", "scripted", "--scenario", str(sample_scenario))
    store = open_store(postgres_url)

    def killed_in(phase: str, process: Any) -> None:
        def there() -> bool:
            return process.poll() is not None or any(run.phase == phase for run in store.runs.newest())

        eventually(there, seconds=90)
        assert process.poll() is None, "it ended before it could be killed"
        process.kill()
        process.wait(timeout=20)

    for phase in ("plan", "do", "check"):
        known = store.runs.newest()
        killed_in(phase, start_andon(*(("resume", known[0].id) if known else begin), **where))
    (run,) = store.runs.newest()
    before = store.journal.entries(run.id)
    assert store.runs.get(run.id).status is Status.RUNNING

    # when
    done = run_andon("resume", run.id, seconds=200, **where)

    # then it ended well, as the same leg
    assert done.code == 0, done.stderr + done.stdout
    ended = store.runs.get(run.id)
    assert (ended.status, ended.reason, ended.leg) == (Status.DONE, "goal_met", 1)
    # the story goes on where it stopped, without holes and without telling anything twice
    entries = store.journal.entries(run.id)
    assert entries[: len(before)] == before
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert len([entry for entry in entries if entry.kind == "run_ended"]) == 1
    # the evidence holds, and the work is there
    verified = json.loads(run_andon("evidence", "verify", run.id, "--json", **where).stdout)
    assert verified["intact"] and verified["records"] > 0
    assert "src/tally/__init__.py" in committed(sample_repository, ended.branch)
    # and all of it is in PostgreSQL
    assert not (andon_home / "andon.db").exists()
