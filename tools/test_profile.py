"""Runs the suite once and prints what it costs: by folder, file, fixture, test and started program.

usage: test_profile.py [PYTEST ARGUMENT…]   runs scripts/test.sh with them
       test_profile.py --of FOLDER          prints what an earlier run left in FOLDER
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROWS = 40
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
    if accounted:
        threading.Thread(target=_hear_programs, args=(folder / "commands",), daemon=True).start()
    workers = os.environ.get("WORKERS", "2")
    try:
        code = subprocess.call(
            ["scripts/test.sh", workers, *words], env=os.environ | {"ANDON_TEST_PROFILE": str(folder)}
        )
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


_CONNECTOR, _PROCESS_EVENTS, _EXEC, _EXIT = 11, 1, 2, 0x80000000
_LISTEN = struct.Struct("=IHHIIIIIIHHI")


def _hear_programs(file: Path) -> None:
    """Write a line for each program that ends: its process id and its command. The kernel tells of them."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _CONNECTOR) as events, file.open("w") as lines:
        events.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        events.bind((os.getpid(), _PROCESS_EVENTS))
        events.send(_LISTEN.pack(_LISTEN.size, 3, 0, 0, os.getpid(), _PROCESS_EVENTS, 1, 0, 0, 4, 0, 1))
        running: dict[int, list[str]] = {}
        while True:
            try:
                message = events.recv(1 << 16)
            except OSError:  # more than could be heard
                continue
            what, thread, pid = struct.unpack_from("=I12xII", message, 36)
            if what == _EXEC:
                with suppress(OSError):  # it may be over already
                    running[pid] = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")[:12]
            elif what == _EXIT and thread == pid and pid in running:
                lines.write(json.dumps([pid, running.pop(pid)]) + "\n")
                lines.flush()


def _print(folder: Path) -> int:
    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    phases = [line for line in lines if line["kind"] == "phase"]
    if not all(line["whole"] for line in lines if line["kind"] == "meter"):
        print("No control group could be made: processes that outlive their parents are missing below.")
    total = sum(line["cpu"] for line in phases)
    collected = [line for line in lines if line["kind"] == "collection"]
    tests = len({line["test"] for line in phases})
    print(
        f"{tests} tests: {total / 60:.1f} CPU-minutes; {len(collected)} collections: {_sum(collected):.0f} CPU-seconds"
    )
    _table("folder", _sums(phases, lambda line: "/".join(line["test"].split("/")[:2]).split("::")[0]))
    _table("file", _sums(phases, lambda line: line["test"].split("::")[0]))
    _table(
        "fixture, without those it asks for", _sums((x for x in lines if x["kind"] == "fixture"), lambda x: x["name"])
    )
    _table("test, without its parameters", _sums(phases, lambda line: line["test"].split("[")[0]))
    _table("phase", _sums(phases, lambda line: line["when"]))
    if (records := folder / "processes").exists() and records.stat().st_size:
        _table("program started (the whole machine's)", _programs(records, _commands(folder / "commands")))
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


def _commands(file: Path) -> dict[int, list[str]]:
    """The program that each process was last, by process id, in the order of their ends."""
    found: dict[int, list[str]] = collections.defaultdict(list)
    for line in file.read_text().splitlines() if file.exists() else ():
        pid, words = json.loads(line)
        found[pid].append(_kind(words))
    return found


def _kind(words: Sequence[str]) -> str:
    """A program and what it was asked to be, without what differs from call to call."""
    program = Path(words[0]).name
    if program == "git":
        return "git " + next(
            (w for n, w in enumerate(words) if n and w[:1] != "-" and words[n - 1] not in ("-c", "-C")), ""
        )
    if not re.match(r"python|node|andon|sh$|bash$", program):
        return program
    rest = [word for word in words[1:] if word and (word[0] != "-" or word in ("-m", "-c"))]
    if rest[:1] == ["-c"]:
        return f"{program} -c {rest[1][:40]!r}" if rest[1:] else program
    if rest[:1] == ["-m"]:
        return f"{program} -m {' '.join(rest[1:3])}"
    return f"{program} {Path(rest[0]).name if rest else ''}"


def _programs(records: Path, commands: dict[int, list[str]]) -> list[Row]:
    lines: list[dict[str, Any]] = []
    for fields in _RECORD.iter_unpack(records.read_bytes()):
        name = fields[18].split(b"\0")[0].decode(errors="replace")
        cpu = (_ticks(fields[10]) + _ticks(fields[11])) / 100
        told = name if fields[0] & _FORKED or not commands.get(fields[6]) else commands[fields[6]].pop(0)
        lines.append({"name": f"{name} (forked)" if fields[0] & _FORKED else told, "cpu": cpu, "wall": fields[9] / 100})
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
