"""Kills at chosen moments, each a gap between two effects that belong together. What comes out must be what a run left
in peace comes to: the same journal, steps, evidence, branch and files, nothing done twice, no process left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ordeals.lanes import Lanes, Task
from ordeals.orchestrator import Moment
from ordeals.ordeal import Endured
from ordeals.place import Place

pytestmark = pytest.mark.timeout(300)


class Bench:
    """One lane, one place, and the runs in peace that others are compared with."""

    def __init__(self, root: Path) -> None:
        self.place = Place.make(root / "place", root / "downloads")
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
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("moments"))
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
MOMENTS = [
    pytest.param("plain", [Moment(after="INSERT INTO andon_runs", effect=1, of=COMMIT)], id="before the run's row"),
    pytest.param("plain", [Moment(after="INSERT INTO andon_runs", effect=2, of=COMMIT)], id="before its workflow"),
    pytest.param("plain", [Moment(effect=1, of="os.posix_spawn")], id="before an agent"),
    pytest.param("plain", [Moment(effect=2, of=r"os.mkdir .*\.git\.[0-9a-f]+\.tmp")], id="in an agent's git"),
    pytest.param("plain", [Moment(after="'1.15/check'", effect=2)], id="before a check's step is recorded"),
    pytest.param("plain", [Moment(effect=1, of="os.remove exit.json")], id="in the clearing up after a check"),
    pytest.param("plain", [Moment(effect=1, of="os.rename add-first.report.md")], id="in the writing of a document"),
    pytest.param("plain", [Moment(after="'run_ended'", effect=2)], id="before the row says done"),
    pytest.param("plain", [Moment(after="'run_ended'", effect=3)], id="before the engine says done"),
    pytest.param("slow", [Moment(key="1.10/spawn.1.m", seconds=0.5)], id="while an agent works"),
    pytest.param("trespassing", [Moment(after="'1.5-1/scope'", effect=1)], id="when an agent is refused"),
    pytest.param("trespassing", [Moment(key="1.5/spawn.2.m", seconds=0.4)], id="while its successor works"),
    pytest.param("asked", [Moment(key="1.10q1/opened", seconds=0.1)], id="while a person is asked"),
    pytest.param("stopped", [Moment(effect=1, of="open .*/cancel$")], id="while a stop is carried out"),
    pytest.param("budget-raised", [Moment(after="'run_ended'", effect=3)], id="before the engine says stopped"),
    pytest.param("budget-raised", [None, Moment(after="leg=2", effect=1, of=COMMIT)], id="before a new leg's row"),
    pytest.param("budget-raised", [None, Moment(after="leg=2", effect=2, of=COMMIT)], id="before a new leg's workflow"),
]


@pytest.mark.parametrize(("kind", "moments"), MOMENTS)
def test_E_13_a_kill_changes_nothing(bench: Bench, kind: str, moments: list[Moment | None]) -> None:
    reference = bench.reference(kind)

    endured = bench.endure(kind, *moments)

    assert endured.kills == 1, "the moment never came"
    assert_as_in_peace(endured, reference)
