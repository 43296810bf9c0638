"""Results of the base's tests, kept from one verification to the next: by tree, environment and command.

A base is verified against many times, by people, runs and CI. Only runs that came to their end are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andon.domain.testing import Outcome, TestReport
from andon.domain.trial import Trial, Tried
from andon.engine import wire

VERSION = 1
MOST = 500
"""Files; the oldest go first."""


@dataclass(frozen=True, slots=True)
class KeptResults:
    folder: Path

    def find(self, trial: Trial, environment: str) -> Tried | None:
        """What is not there, or cannot be read, is measured."""
        try:
            record = json.loads(self._path(trial, environment).read_text("utf-8"))
            return _tried(record) if record["version"] == VERSION else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, trial: Trial, environment: str, tried: Tried) -> None:
        report = tried.report
        if report is None or not report.finished or report.forged or tried.result.environment_error:
            return
        path = self._path(trial, environment)
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(_record(tried, report)), "utf-8")
        temporary.replace(path)
        kept = sorted(self.folder.glob("*.json"), key=lambda each: each.stat().st_mtime)
        for old in kept[:-MOST]:
            old.unlink(missing_ok=True)

    def _path(self, trial: Trial, environment: str) -> Path:
        asked = json.dumps([VERSION, trial.tree, environment, trial.goal.commands, trial.goal.stdin])
        return self.folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.json"


def _record(tried: Tried, report: TestReport) -> dict[str, Any]:
    return {
        "version": VERSION,
        "result": wire.result_to_json(tried.result),
        "output": tried.output,
        "outcomes": dict(report.outcomes),
        "collected": report.collected,
        "status": report.status,
        "problems": report.problems,
    }


def _tried(record: dict[str, Any]) -> Tried:
    report = TestReport(
        "tests",
        {id: Outcome(outcome) for id, outcome in record["outcomes"].items()},
        tuple(record["collected"]),
        True,
        record["status"],
        tuple(record["problems"]),
    )
    return Tried(wire.result_from_json(record["result"]), report, record["output"])
