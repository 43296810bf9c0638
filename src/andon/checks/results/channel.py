"""The host's end of the channel: makes the secret, and reads the records of a run that is over.

Reads a file that code under test could write to: every record is checked, and what is not signed is forged.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from andon.checks.reading import Unreadable, read_bytes
from andon.domain.testing import Asked, Met, Outcome, TestReport

RESULTS_BYTES = 256 * 1024 * 1024
MOST_PROBLEMS = 20
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Channel:
    folder: Path
    """Writable from inside the sandbox."""
    secret: Path
    """Where the secret is kept for the reader: never inside."""

    def open(self) -> None:
        """A fresh secret. Not when there is one: then a run that began before is being attached to."""
        if self.secret.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        secret = secrets.token_bytes(SECRET_BYTES)
        (self.folder / "secret").write_bytes(secret)
        self.secret.parent.mkdir(parents=True, exist_ok=True)
        self.secret.write_bytes(secret)

    def read(self, runner: str) -> TestReport:
        data = read_bytes(self.folder, "results", limit=RESULTS_BYTES)
        if data is None:
            return TestReport(runner)
        if isinstance(data, Unreadable):
            return TestReport(runner, forged=f"the results are {data.reason}")
        return _report(runner, data, self.secret.read_bytes())


SECRET = ".secret"


def channel_of(folder: Path, rooms: Path) -> Channel:
    """Of the command whose process has `folder`, and writes to `rooms`."""
    return Channel(rooms / "channel", folder.with_name(folder.name + SECRET))


def read_reports(scratch: Path) -> TestReport | None:
    """What every command below `scratch` told, as one report; None when none of them could tell."""
    secrets_kept = sorted(scratch.glob(f"*{SECRET}"))
    rooms = scratch.with_name(f"{scratch.name}-rooms")
    told = [channel_of(each.with_suffix(""), rooms / each.stem).read("tests") for each in secrets_kept]
    if not told:
        return None
    return TestReport(
        "tests",
        {id: outcome for each in told for id, outcome in each.outcomes.items()},
        tuple(id for each in told for id in each.collected),
        all(each.finished for each in told),
        next((each.status for each in told if each.status), 0),
        tuple(problem for each in told for problem in each.problems),
        next((each.forged for each in told if each.forged), ""),
        mutants={id: met for each in told for id, met in each.mutants.items()},
        proved=frozenset(id for each in told for id in each.proved),
        idle=frozenset(id for each in told for id in each.idle),
        answers=tuple(asked for each in told for asked in each.answers),
        seen=tuple(asked for each in told for asked in each.seen),
    )


@dataclass(frozen=True, slots=True)
class _Forged(Exception):
    line: int


def _report(runner: str, data: bytes, secret: bytes) -> TestReport:
    outcomes: dict[str, Outcome] = {}
    collected: dict[str, None] = {}
    problems: list[str] = []
    mutants: dict[str, Met] = {}
    proved: set[str] = set()
    idle: set[str] = set()
    answers: list[Asked] = []
    seen: list[Asked] = []
    status: int | None = None
    finished = False
    try:
        for record in _records(data, secret):
            match record["kind"]:
                case "collected":
                    collected.update(dict.fromkeys(record["ids"]))
                case "test":
                    outcomes[record["id"]] = Outcome(record["outcome"])
                case "mutant":
                    mutants[record["id"]] = Met(record["state"], tuple(record.get("by", ())))
                case "proved":
                    proved.add(record["id"])
                case "answer":
                    answers.append(_asked(record, Met(record["state"], tuple(record["by"]))))
                case "seen":
                    seen.append(_asked(record, Met("")))
                case "idle":
                    idle.add(record["id"])
                case "problem":
                    problems.append(f"{record['id']}: {record['text']}")
                case _:
                    status, finished = record["status"], True
    except _Forged as forged:
        return TestReport(runner, forged=f"line {forged.line} of the results was not written by andon's reporter")
    found = (*collected,) or (*outcomes,)
    problems = problems[:MOST_PROBLEMS]
    return TestReport(
        runner,
        outcomes,
        found,
        finished,
        status,
        tuple(problems),
        mutants=mutants,
        proved=frozenset(proved),
        idle=frozenset(idle),
        answers=tuple(answers),
        seen=tuple(seen),
    )


def _asked(record: Mapping[str, Any], met: Met) -> Asked:
    place = (record["path"], record["line"], record["name"], record["given"])
    return Asked(*place, record.get("how", ""), record.get("shown", ""), met)


def _records(data: bytes, secret: bytes) -> Iterator[Mapping[str, Any]]:
    # A last line without its end was cut by a kill; the rest stands.
    for number, line in enumerate(data.split(b"\n")[:-1]):
        text, _, signature = line.rpartition(b" ")
        expected = hmac.new(secret, text, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signature, expected.encode()):
            raise _Forged(number + 1)
        position, _, payload = text.partition(b" ")
        if position != str(number).encode():
            raise _Forged(number + 1)
        yield cast("Mapping[str, Any]", json.loads(payload))
