"""Runs the suite once and prints what it costs: by folder, file, fixture, test and started program.

usage: test_profile.py [PYTEST ARGUMENT…]   runs scripts/test.sh with them
       test_profile.py --of FOLDER          prints what an earlier run left in FOLDER
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROWS = 25
_RECORD = struct.Struct("<BBHIIIIIIfHHHHHHHH16s")
"""One process in the kernel's accounting file (acct_v3 of linux/acct.h)."""
_FORKED = 1
"""Flag of a process that never started a program of its own."""

Row = tuple[str, int, float, float]
"""A name, how often, CPU seconds, seconds of waiting."""


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["--of"]:
        return _print(Path(words[1]))
    folder = Path(tempfile.mkdtemp(prefix="andon-profile-"))
    accounted = _account(str(folder / "processes").encode())
    workers = os.environ.get("WORKERS", "2")
    try:
        code = subprocess.call(["scripts/test.sh", workers, *words], env=os.environ | {"ANDON_TEST_PROFILE": str(folder)})
    finally:
        if accounted:
            _account(None)
    _print(folder)
    print(f"\nAgain: tools/test_profile.py --of {folder}")
    return code


def _account(file: bytes | None) -> bool:
    """Let the kernel write a record for each process that ends. Only root may ask for it."""
    if file is not None:
        Path(os.fsdecode(file)).touch()
    return ctypes.CDLL(None).acct(file) == 0


def _print(folder: Path) -> int:
    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    phases = [line for line in lines if line["kind"] == "phase"]
    if not all(line["whole"] for line in lines if line["kind"] == "meter"):
        print("No control group could be made: processes that outlive their parents are missing below.")
    total = sum(line["cpu"] for line in phases)
    collected = [line for line in lines if line["kind"] == "collection"]
    tests = len({line["test"] for line in phases})
    print(f"{tests} tests: {total / 60:.1f} CPU-minutes; {len(collected)} collections: {_sum(collected):.0f} CPU-seconds")
    _table("folder", _sums(phases, lambda line: "/".join(line["test"].split("/")[:2]).split("::")[0]))
    _table("file", _sums(phases, lambda line: line["test"].split("::")[0]))
    _table("fixture, without those it asks for", _sums((x for x in lines if x["kind"] == "fixture"), lambda x: x["name"]))
    _table("test, without its parameters", _sums(phases, lambda line: line["test"].split("[")[0]))
    _table("phase", _sums(phases, lambda line: line["when"]))
    if (records := folder / "processes").exists() and records.stat().st_size:
        _table("program started (the whole machine's)", _programs(records))
    return 0


def _sum(lines: Iterable[dict[str, Any]]) -> float:
    return sum(line["cpu"] for line in lines)


def _sums(lines: Iterable[dict[str, Any]], name: Callable[[dict[str, Any]], str]) -> list[Row]:
    counts: collections.Counter[str] = collections.Counter()
    cpu: collections.Counter[str] = collections.Counter()
    wall: collections.Counter[str] = collections.Counter()
    for line in lines:
        key = name(line)
        counts[key] += 1
        cpu[key] += line["cpu"]
        wall[key] += line["wall"]
    return [(key, counts[key], cpu[key], wall[key]) for key in counts]


def _programs(records: Path) -> list[Row]:
    lines: list[dict[str, Any]] = []
    for fields in _RECORD.iter_unpack(records.read_bytes()):
        name = fields[18].split(b"\0")[0].decode(errors="replace")
        cpu = (_ticks(fields[10]) + _ticks(fields[11])) / 100
        lines.append({"name": f"{name} (forked)" if fields[0] & _FORKED else name, "cpu": cpu, "wall": fields[9] / 100})
    return _sums(lines, lambda line: line["name"])


def _ticks(number: int) -> int:
    """A number of the accounting file: 13 bits, and three that say how often it is multiplied by eight."""
    return (number & 0x1FFF) << (3 * (number >> 13))


def _table(title: str, rows: list[Row]) -> None:
    print(f"\n{'CPU s':>8} {'wait s':>8} {'times':>7}  by {title}")
    for name, count, cpu, wall in sorted(rows, key=lambda row: -row[2])[:ROWS]:
        print(f"{cpu:8.1f} {wall:8.1f} {count:7}  {name}")


if __name__ == "__main__":
    sys.exit(main())
