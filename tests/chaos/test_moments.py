"""Kills at chosen moments, each a gap between two effects that belong together. What comes out must be what a run left
in peace comes to: the same journal, steps, evidence, branch and files, nothing done twice, no process left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ordeals.kinds import TASK
from ordeals.lanes import Lanes, Task
from ordeals.orchestrator import Moment, Orchestrator
from ordeals.ordeal import Endured
from ordeals.place import Place

pytestmark = pytest.mark.timeout(600)


class Bench:
    """One lane, one place, and the runs in peace that others are compared with."""

    def __init__(self, root: Path, environments: Path) -> None:
        self.place = Place.make(root / "place", root / "downloads", environments)
        self._lanes = Lanes(1)
        self._count = 0
        self._references: dict[str, Endured] = {}

    def endure(self, kind: str, *moments: Moment | None, place: Place | None = None) -> Endured:
        self._count += 1
        chosen = (place or self.place).root
        self._lanes.begin(Task(self._count, kind, chosen, "fixed", moments=moments or (None,)))
        return self._lanes.next()[1]

    def reference(self, kind: str) -> Endured:
        if kind not in self._references:
            self._references[kind] = self.endure(kind)
            assert not self._references[kind].lost
        return self._references[kind]

    def close(self) -> None:
        self._lanes.close()


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("moments"), shared_environments)
    yield made
    made.close()


def assert_as_in_peace(endured: Endured, reference: Endured) -> None:
    assert not endured.lost, endured
    assert endured.story is not None and reference.story is not None
    assert endured.story.repeated(reference.story) == []
    assert endured.story.differences(reference.story) == []
    assert endured.orphans == []
    assert endured.story.litter(reference.story) == []


COMMIT = "^commit"
MOMENTS: dict[str, dict[str, list[Moment | None]]] = {
    "plain": {
        "before the run's row": [Moment(after="INSERT INTO andon_runs", effect=1, of=COMMIT)],
        "before its workflow": [Moment(after="INSERT INTO andon_runs", effect=2, of=COMMIT)],
        "before an agent": [Moment(effect=1, of="os.posix_spawn")],
        "in an agent's git": [Moment(effect=2, of=r"os.mkdir .*\.git\.[0-9a-f]+\.tmp")],
        "before a check's step is recorded": [Moment(after="'1.16/check'", effect=2)],
        "in the clearing up after a check": [Moment(effect=1, of="os.remove exit.json")],
        "in the verification": [Moment(effect=3, of="os.mkdir .*/trials/")],
        "before a verdict is told": [Moment(after="/verification'", effect=1)],
        "before a verdict's step is recorded": [Moment(after="/verification'", effect=2)],
        "in the writing of a document": [Moment(effect=1, of="os.rename add-first.report.md")],
        "before it is told that it ended": [Moment(after="'run_ended'", effect=1)],
        "before the engine says done": [Moment(after="'run_ended'", effect=2)],
        "before the row says done": [Moment(after="status='done'", effect=1, of=COMMIT)],
    },
    "slow": {
        "while an agent works": [Moment(key="1.11/spawn.1.m", seconds=0.5)],
        "while a check runs": [Moment(key="1.15.13", seconds=0.8)],
    },
    "trespassing": {
        "when an agent is refused": [Moment(after="'1.6-1/scope'", effect=1)],
        "while its successor works": [Moment(key="1.6/spawn.2.m", seconds=0.4)],
    },
    "asked": {
        "while a person is asked": [Moment(key="1.11q1/opened", seconds=0.1)],
        "while it works on the answer": [Moment(key="1.11/answer.1", seconds=0.2)],
    },
    "heavy": {
        "while two implementers work": [Moment(key="1.26/spawn.1.m", seconds=0.2)],
        "while one works and the other is done": [Moment(key="1.26/result", seconds=0.05)],
        "in the merge": [Moment(after="'1.42.16'", effect=4)],
        "before a merge is told": [Moment(after="'1.43/merged'", effect=1)],
        "before a merge's step is recorded": [Moment(after="'1.43/merged'", effect=2)],
    },
    "uam": {
        "while three workers work": [Moment(after="worker-3: start", effect=3)],
        "before it is recorded who has ended": [Moment(after="'ended'", effect=1, of=COMMIT)],
        "between a lane's end and what follows": [Moment(after="'ended'", effect=2, of=COMMIT)],
        "when a claim is refused": [Moment(after="'reconciliation'", effect=1, of=COMMIT)],
        "between a merge and its commits": [Moment(after="/merged'", effect=3, of=COMMIT)],
        "between a commit and its box": [Moment(after="/commit.1'", effect=1, of="PLAN.md")],
        "between a box and the person's copy of it": [Moment(after="/commit.1'", effect=2, of="os.rename .*PLAN.md")],
        "before a fix is measured": [Moment(after="'fix_loop'", effect=1, of="os.posix_spawn")],
    },
    "stopped": {"while a stop is carried out": [Moment(effect=1, of="open .*/cancel$")]},
    "budget-raised": {
        "before the row says stopped": [Moment(after="status='needs_user'", effect=1, of=COMMIT), None],
        "before a new leg's row": [Moment(after="leg=2", effect=1, of=COMMIT)],
        "before a new leg's workflow": [Moment(after="leg=2", effect=2, of=COMMIT)],
    },
    "forked": {
        "before a fork has its story": [None, Moment(after="INSERT INTO andon_runs", effect=2, of=COMMIT)],
        "before a fork has its workflow": [Moment(after="INSERT INTO andon_journal", effect=2, of=COMMIT)],
    },
}


# One worker for each kind, so that its run in peace is needed once.
ROWS = [pytest.param(kind, marks=pytest.mark.xdist_group(f"chaos-{kind}")) for kind in MOMENTS]


@pytest.mark.parametrize("kind", ROWS)
def test_E_13_kills_between_effects_that_belong_together_change_nothing(bench: Bench, kind: str) -> None:
    """One run for all moments of its kind: each process is killed at the next of them."""
    reference = bench.reference(kind)
    moments = [moment for chosen in MOMENTS[kind].values() for moment in chosen]

    endured = bench.endure(kind, *moments)

    assert endured.kills == sum(moment is not None for moment in moments), f"a moment never came: {endured.moments}"
    assert_as_in_peace(endured, reference)


@pytest.mark.xdist_group("chaos-plain")
def test_E_13_kills_at_the_very_first_start_change_nothing(bench: Bench, tmp_path: Path) -> None:
    """Tables of two schemas, the key, the sandbox's filter: whatever a data folder gets at its first use."""
    reference = bench.reference("plain")
    environments = (bench.place.home / "environments").resolve()
    fresh = Place.make(tmp_path / "fresh", tmp_path / "downloads", environments)

    moments = [Moment(effect=n, of=COMMIT) for n in (1, 2, 12)]
    endured = bench.endure("plain", Moment(effect=3), Moment(effect=1, of="ledger.ed25519"), *moments, place=fresh)

    assert endured.kills >= 4
    assert_as_in_peace(endured, reference)


@pytest.mark.xdist_group("chaos-slow")
def test_E_13_of_two_who_resume_at_once_one_is_refused(bench: Bench, tmp_path: Path) -> None:
    # Given a run whose orchestrator was killed while its agent works
    place, scenario = bench.place, bench.place.root / "slow.yaml"
    bench.reference("slow")
    repository = place.repository("twice")
    words = ("auto", TASK, "--repo", str(repository), "--runtime", "scripted", "--scenario", str(scenario), "--json")
    first = Orchestrator(place, words, tmp_path / "first.log")
    while not any(entry["key"] == "1.11/spawn.1.m" for entry in first.entries):
        assert not first.ended
        _ = first.reached
    first.kill()
    assert first.wait()
    run = first.entries[0]["run"]

    # When two people resume it
    command = [sys.executable, "-m", "andon", "resume", run]
    both = [subprocess.Popen(command, cwd=place.user, env=place.environment, stderr=subprocess.PIPE) for _ in "ab"]
    told = [each.communicate(timeout=200)[1].decode() for each in both]

    # Then one brings it to its end, and the other is told who does
    codes = [each.returncode for each in both]
    assert sorted(codes) == [0, 3], told
    assert "is being executed by another process" in told[codes.index(3)]
    assert set(place.witnessed(run).values()) == {1}
