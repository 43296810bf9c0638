"""Measures what tests and fixtures cost: the CPU of everything they start. `make test-profile` switches it on.

A worker puts itself into a control group of its own, so that processes which outlive their parents are counted too.
Where it may not, only what the worker has waited for is counted, and the table says so.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Meter:
    """CPU seconds of this process and of all it has started."""

    def __init__(self) -> None:
        self.group = _own_group()
        self.whole = self.group is not None

    def seconds(self) -> float:
        if self.group is None:
            who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))
        first = (self.group / "cpu.stat").read_text().split("\n", 1)[0]
        return int(first.removeprefix("usage_usec ")) / 1e6


def _own_group() -> Path | None:
    mounts = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    mounted = next((Path(words[1]) for words in mounts if words[2] == "cgroup2"), None)
    now = next(
        (line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), None
    )
    if mounted is None or now is None:
        return None
    group = mounted / now.strip("/") / f"andon-tests-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        return None
    return group


class Cost:
    """A pytest plugin that writes one line of JSON for each phase of a test and for each fixture that is made."""

    def __init__(self, folder: Path) -> None:
        self.meter = Meter()
        self.file = (folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-{os.getpid()}.jsonl").open("w")
        self.open: list[list[float]] = []
        """What the fixtures within those that are being made have cost so far: CPU and waiting."""
        self._write("meter", whole=self.meter.whole)

    def _write(self, kind: str, **facts: Any) -> None:
        self.file.write(json.dumps({"kind": kind, **facts}) + "\n")
        self.file.flush()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Iterator[None]:
        began = self.meter.seconds(), time.monotonic()
        result = yield
        self._write("collection", cpu=self.meter.seconds() - began[0], wall=time.monotonic() - began[1])
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        yield from self._phase(item, "setup")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        yield from self._phase(item, "call")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        yield from self._phase(item, "teardown")

    def _phase(self, item: pytest.Item, when: str) -> Iterator[None]:
        began = self.meter.seconds(), time.monotonic()
        try:
            return (yield)
        finally:
            cpu, wall = self.meter.seconds() - began[0], time.monotonic() - began[1]
            self._write("phase", test=item.nodeid, when=when, cpu=cpu, wall=wall)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        began = self.meter.seconds(), time.monotonic()
        self.open.append([0.0, 0.0])
        try:
            return (yield)
        finally:
            cpu, wall = self.meter.seconds() - began[0], time.monotonic() - began[1]
            within = self.open.pop()
            if self.open:
                self.open[-1][0] += cpu
                self.open[-1][1] += wall
            name = f"{fixturedef.baseid.removeprefix('tests/')}::{fixturedef.argname}"
            self._write("fixture", name=name, scope=fixturedef.scope, cpu=cpu - within[0], wall=wall - within[1])
