"""Goals and results as JSON and back: what steps record. A tuple comes back from JSON as a list, so it is made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from andon.domain.goal import Goal
from andon.domain.tasks.reviews import Comment, Review
from andon.domain.tasks.states import ReviewState
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import Excused, Layer, Verification, finding_id


def goal_to_json(goal: Goal) -> dict[str, Any]:
    return asdict(goal)


def goal_from_json(data: dict[str, Any]) -> Goal:
    settled = Verdict(data["settled"]) if data["settled"] else None
    commands = tuple(tuple(command) for command in data["commands"])
    told = (
        data["reason"],
        data["fix"],
        data["pattern"],
        data.get("stdin", ""),
        data.get("like", ""),
        bool(data.get("ours")),
    )
    return Goal(data["name"], commands, settled, *told)


def result_to_json(result: CheckResult) -> dict[str, Any]:
    return asdict(result)


def result_from_json(data: dict[str, Any]) -> CheckResult:
    fields = dict(data)
    fields["verdict"] = Verdict(fields["verdict"])
    fields["command"] = tuple(fields["command"])
    fields["signatures"] = tuple(fields["signatures"])
    fields["exits"] = tuple(fields.get("exits", ()))
    fields["failing"] = tuple(fields.get("failing", ()))
    fields["findings"] = tuple(Finding(**finding) for finding in fields["findings"])
    return CheckResult(**fields)


def goals_from_json(frozen: tuple[Goal, ...], result: dict[str, Any]) -> tuple[Goal, ...]:
    """Goals as found, with the commands of those that were frozen."""
    kept = {goal.name: goal for goal in frozen if goal.commands}
    found = (goal_from_json(goal) for goal in result["goals"])
    return tuple(kept.get(goal.name, goal) for goal in found)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    return asdict(finding) | {"id": finding_id(finding)}


def verification_to_json(told: Verification) -> dict[str, Any]:
    return asdict(replace(told, results=tuple(replace(result, output="") for result in told.results)))


def verification_from_json(data: dict[str, Any]) -> Verification:
    return Verification(
        data["base"],
        data["tree"],
        tuple(Finding(**finding) for finding in data["findings"]),
        tuple(Excused(Finding(**each["finding"]), each["because"]) for each in data["excused"]),
        tuple(map(result_from_json, data["results"])),
        tuple(map(Layer, data["layers"])),
        tuple(data["notes"]),
        tuple(data["unmeasured"]),
    )


def review_to_json(review: Review) -> dict[str, Any]:
    told = asdict(review) | {"status": str(review.status), "verdict": str(review.verdict)}
    told["deliverables"] = list(review.deliverables)
    told["comments"] = [asdict(each) for each in review.comments]
    for name in ("opened_at", "decided_at", "escalated_at"):
        moment = getattr(review, name)
        told[name] = moment.timestamp() if moment else None
    return told


def review_from_json(told: Mapping[str, Any]) -> Review:
    moments = {name: told[name] for name in ("opened_at", "decided_at", "escalated_at")}
    values: dict[str, Any] = dict(told) | {
        name: datetime.fromtimestamp(at, UTC) if at is not None else None for name, at in moments.items()
    }
    values |= {"status": ReviewState(told["status"]), "deliverables": tuple(told["deliverables"])}
    values["comments"] = tuple(Comment(**each) for each in told["comments"])
    verified = values.pop("verified", True)  # what runs recorded before there was a third verdict
    values["verdict"] = Verdict(told.get("verdict", "passed" if verified else "failed"))
    return Review(**values)
