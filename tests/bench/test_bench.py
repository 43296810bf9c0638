"""That `make bench` works and tells everything it should. How fast andon is, is no test's business."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).with_name("bench.py")
SECONDS = 280
LIMITED = (
    *("light", "ask", "help", "status", "parked-cpu", "parked-memory", "verify"),
    *("hook-idle", "hook-idle-node", "hook-busy-node", "hook-write", "hook-stop", "sprint"),
)
PARTS = ("step", "say", "true", "supervised", "sandboxed", "both", "git", "snapshot", "restore", "copy", "disposable")


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCH), *words], env=dict(os.environ), capture_output=True, text=True, timeout=SECONDS
    )


@pytest.mark.timeout(SECONDS + 20)
def test_a_quick_round_measures_every_row(andon_home: Path) -> None:
    """Given a fresh data folder, when everything is measured briefly, then every row is there and it ends well."""
    done = bench("--quick", "--json", "--home", str(andon_home))

    assert done.returncode == 0, done.stderr
    rows = {row["id"]: row for row in json.loads(done.stdout)["rows"]}
    assert set(LIMITED) | set(PARTS) <= set(rows)
    assert not [row["detail"] for row in rows.values() if row["verdict"] == "not measured"]
    assert all(rows[id]["limit"] is not None for id in LIMITED)


def test_what_is_measured_is_shown_beside_its_limit(andon_home: Path) -> None:
    """Given one measure, when it is shown to people, then it is a table: what, measured, limit, verdict."""
    done = bench("--quick", "--only", "help", "--home", str(andon_home))

    heading, _, row, *_ = done.stdout.splitlines()
    assert heading.split() == ["what", "measured", "limit", "verdict"]
    assert row.startswith("andon --help ÷ python -c pass")
    assert "≤ 12 ×" in row


def test_a_measure_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    """Given a data folder that cannot be made, when two measures are asked for, then both say why and it ends with 0,
    or with 1 where limits must be kept."""
    blocked = tmp_path / "file"
    blocked.touch()

    told = bench("--quick", "--json", "--only", "status", "--only", "ask", "--home", str(blocked / "home"))
    strict = bench("--quick", "--strict", "--only", "status", "--home", str(blocked / "home"))

    assert (told.returncode, strict.returncode) == (0, 1)
    rows = json.loads(told.stdout)["rows"]
    assert [(row["id"], row["verdict"]) for row in rows] == [("ask", "not measured"), ("status", "not measured")]
    assert all("Cannot write" in row["detail"] for row in rows)
