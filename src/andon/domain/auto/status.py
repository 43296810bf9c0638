"""The status file of `auto`, `docs/.pdca-status.json`: its fields, and reading and writing them (A-142, A-155, E-11).

Text in, text out; the file itself is written elsewhere, atomically. Keys of strangers are kept, `ralph*` is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar, cast

from andon.domain.auto.act import Counters
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Cause, Promotion
from andon.domain.auto.qa import Failure
from andon.domain.run import Status

KIND = "pdca-status"
VERSION = 1
_LEGACY = "ralph"


@dataclass(frozen=True, slots=True)
class AreaState:
    """How far a parallel implementer is whose work is not part of the run's files yet."""

    name: str
    base: str
    """The run's files when it began, as andon's store has them."""
    tree: str
    """Its own files now."""
    done: bool = False


@dataclass(frozen=True, slots=True)
class PdcaStatus:
    feature: str
    phase: int
    """0 to 5, the one being worked on."""
    status: Status = Status.RUNNING
    task: str = ""
    run: str = ""
    mode: Mode | None = None
    """None: not scored yet, or written by an older program."""
    promotions: tuple[Promotion, ...] = ()
    phases_completed: tuple[int, ...] = ()
    counters: Counters = field(default_factory=Counters)
    build_failures: int = 0
    qa_cycle: int = 0
    """The cycle being worked on; 0 before the first."""
    failures: tuple[Failure, ...] = ()
    iteration: int = 0
    """Verifications the impl-manager has used."""
    implementation: str = ""
    """in_progress, completed, failed, or nothing yet."""
    remaining_issues: tuple[str, ...] = ()
    areas: tuple[AreaState, ...] = ()
    merged: bool = False
    """The work of parallel implementers has come together."""
    skipped: tuple[int, ...] = ()
    """Phases a person chose to leave out."""
    exit_reason: str = ""
    updated_at: str = ""
    """When the run last moved: the moment its last step before this was recorded, so that a replay writes the same."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class StatusProblem:
    """Why a status file cannot be used. A value: a broken file never ends the program."""

    problem: str


def moment(at: float) -> str:
    """As the file has it: to the second, of everywhere."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def to_json(status: PdcaStatus) -> str:
    return json.dumps(to_dict(status), ensure_ascii=False, indent=2) + "\n"


def from_json(text: str) -> PdcaStatus | StatusProblem:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as problem:
        return StatusProblem(f"not JSON: {problem}")
    if not isinstance(value, dict):
        return StatusProblem("not a JSON object")
    found = from_dict(cast("dict[str, Any]", value))
    try:
        if isinstance(found, PdcaStatus):
            to_json(found).encode()  # half of a surrogate pair can be read, but never written back
    except (ValueError, RecursionError) as problem:
        return StatusProblem(f"cannot be written back: {problem}")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def to_dict(status: PdcaStatus) -> dict[str, Any]:
    own: dict[str, Any] = {
        "kind": KIND,
        "schemaVersion": VERSION,
        "primaryFeature": status.feature,
        "phaseNumber": status.phase,
        "status": status.status.value,
        "task": status.task,
        "run": status.run,
        "mode": status.mode.value if status.mode else None,
        "promotions": [
            {
                "from": each.before.value,
                "to": each.after.value,
                "cause": each.cause.value,
                "count": each.count,
                "phase": each.phase,
            }
            for each in status.promotions
        ],
        "phasesCompleted": list(status.phases_completed),
        "counters": {
            "rejections": status.counters.rejections,
            "phase4Reentries": status.counters.reentries,
            "cumulativeIterations": status.counters.improvements,
            "buildFailures": status.build_failures,
        },
        "qaCycle": status.qa_cycle,
        "failureHistory": [
            {"cycle": each.cycle, "type": each.type, "detail": each.detail, "signature": each.signature}
            for each in status.failures
        ],
        "implManagerIteration": status.iteration,
        "implManagerStatus": status.implementation,
        "implManagerRemainingIssues": list(status.remaining_issues),
        "phasesSkipped": list(status.skipped),
        "implManagerMerged": status.merged,
        "implManagerAreas": [asdict(each) for each in status.areas],
        "exitReason": status.exit_reason,
        "updatedAt": status.updated_at,
    }
    return {key: value for key, value in status.extra.items() if not key.startswith(_LEGACY)} | own


def from_dict(value: Mapping[str, Any]) -> PdcaStatus | StatusProblem:
    """Known keys strictly, missing ones by their default, unknown ones kept."""
    try:
        return _read(value)
    except ValueError as problem:
        return StatusProblem(str(problem))


def _read(value: Mapping[str, Any]) -> PdcaStatus:
    version = _get(value, "schemaVersion", int, 0)
    if version > VERSION:
        raise ValueError(f"schemaVersion {version} is newer than this program understands ({VERSION})")
    feature = _get(value, "primaryFeature", str, "")
    if not feature:
        raise ValueError("primaryFeature is missing")
    phase = _get(value, "phaseNumber", int, -1)
    if not 0 <= phase <= 5:
        raise ValueError("phaseNumber must be 0 to 5")
    counts = _Object(_get(value, "counters", dict, {}), "counters")
    mode = value.get("mode")
    return PdcaStatus(
        feature=feature,
        phase=phase,
        status=_member(Status, value.get("status", Status.RUNNING.value), "status"),
        task=_get(value, "task", str, ""),
        run=_get(value, "run", str, ""),
        mode=None if mode is None else _member(Mode, mode, "mode"),
        promotions=tuple(_promotion(each) for each in _objects(value, "promotions")),
        phases_completed=tuple(_list(value, "phasesCompleted", int)),
        counters=Counters(
            counts.count("rejections"), counts.count("phase4Reentries"), counts.count("cumulativeIterations")
        ),
        build_failures=counts.count("buildFailures"),
        qa_cycle=_Object(value, "").count("qaCycle"),
        failures=tuple(_failure(each) for each in _objects(value, "failureHistory")),
        iteration=_Object(value, "").count("implManagerIteration"),
        implementation=_get(value, "implManagerStatus", str, ""),
        remaining_issues=tuple(_list(value, "implManagerRemainingIssues", str)),
        merged=value.get("implManagerMerged") is True,
        skipped=tuple(_list(value, "phasesSkipped", int)),
        areas=tuple(_area(each) for each in _objects(value, "implManagerAreas")),
        exit_reason=_get(value, "exitReason", str, ""),
        updated_at=_get(value, "updatedAt", str, ""),
        extra={key: each for key, each in value.items() if key not in _KEYS and not key.startswith(_LEGACY)},
    )


_KEYS = frozenset(to_dict(PdcaStatus("", 0)))

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


def _get(value: Mapping[str, Any], key: str, kind: type[T], default: T) -> T:
    found = value.get(key, default)
    if not isinstance(found, kind) or isinstance(found, bool):
        raise ValueError(f"{key} must be {_NAMES[kind]}")
    return found


_NAMES: Mapping[type, str] = {int: "a whole number", str: "text", dict: "an object", list: "a list"}


def _list(value: Mapping[str, Any], key: str, kind: type[T]) -> list[T]:
    found = cast("list[object]", _get(value, key, list, []))
    if not all(isinstance(each, kind) and not isinstance(each, bool) for each in found):
        raise ValueError(f"{key} must be a list, each entry {_NAMES[kind]}")
    return cast("list[T]", found)


def _objects(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", _list(value, key, dict))


def _member(kind: type[E], found: object, key: str) -> E:
    try:
        return kind(found)
    except ValueError:
        known = ", ".join(kind)
        raise ValueError(f"{key} is {found!r}, known are {known}") from None


@dataclass(frozen=True, slots=True)
class _Object:
    value: Mapping[str, Any]
    name: str

    def count(self, key: str) -> int:
        found = _get(self.value, key, int, 0)
        if found < 0:
            raise ValueError(f"{self.name}.{key} is below zero".removeprefix("."))
        return found


def _promotion(entry: Mapping[str, Any]) -> Promotion:
    return Promotion(
        _member(Mode, entry.get("from"), "promotions.from"),
        _member(Mode, entry.get("to"), "promotions.to"),
        _member(Cause, entry.get("cause"), "promotions.cause"),
        _Object(entry, "promotions").count("count"),
        _Object(entry, "promotions").count("phase"),
    )


def _failure(entry: Mapping[str, Any]) -> Failure:
    return Failure(
        _Object(entry, "failureHistory").count("cycle"),
        *(_get(entry, key, str, "") for key in ("type", "detail", "signature")),
    )


def _area(entry: Mapping[str, Any]) -> AreaState:
    texts = (_get(entry, key, str, "") for key in ("name", "base", "tree"))
    return AreaState(*texts, done=entry.get("done") is True)
