"""Open findings: what still stands against the work when a run ends, each with a name that a person can accept.

Accepting is recorded elsewhere. Here is what a finding is, and which of them a journal leaves open.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.journal import Entry
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.domain.verification import Verification, finding_id

DIGEST_LENGTH = 6
MOST_NAMED = 100
"""Failures a check names at most."""


class FindingKind(StrEnum):
    CHECK = "check"
    """A goal that andon measured and that does not hold."""
    VERDICT = "verdict"
    """A judge's rejection."""
    GAP = "gap"
    """What the design asks for and the work does not have."""
    QUALITY = "quality"
    RED_FLAG = "red_flag"
    DELETED_TEST = "deleted_test"
    SETTINGS = "settings"
    """Of a linter or type checker, changed by whom they measure."""
    SCOPE = "scope"
    VERIFICATION = "verification"
    """What andon's own verification holds against the work."""


@dataclass(frozen=True, slots=True)
class OpenFinding:
    kind: FindingKind
    signature: str
    """Equal whenever the same thing is found again; the id follows from it."""
    text: str
    """What a person reads before they accept it."""
    name: str = ""
    """Its id, where it has one already."""

    @property
    def id(self) -> str:
        """Short enough to be typed, and the same in every leg: `check-3fa2c1`."""
        if self.name:
            return self.name
        digest = hashlib.sha256(f"{self.kind}\n{self.signature}".encode("utf-8", "replace")).hexdigest()
        return f"{str(self.kind).replace('_', '-')}-{digest[:DIGEST_LENGTH]}"

    def as_data(self) -> dict[str, str]:
        """For the journal's `open_finding`."""
        return {"id": self.id, "kind": str(self.kind), "text": self.text}


def verification_findings(told: Verification) -> tuple[OpenFinding, ...]:
    """What verification holds against the work, by the ids that `andon verify` tells too."""
    return tuple(
        OpenFinding(FindingKind.VERIFICATION, finding_id(each), _with_place(each), name=finding_id(each))
        for each in told.findings
    )


def _with_place(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    return f"{place}: {finding.message}" if place and not finding.message.startswith(finding.path) else finding.message


def check_findings(result: CheckResult) -> tuple[OpenFinding, ...]:
    """One for each failure that a check names, or one for the check, when it names none."""
    if not result.verdict.blocks:
        return ()
    text = f"{result.goal} {str(result.verdict).replace('_', ' ')}: {result.reason}"
    if result.verdict is not Verdict.FAILED or not result.signatures:
        return (OpenFinding(FindingKind.CHECK, text, text),)
    named = [OpenFinding(FindingKind.CHECK, each, each) for each in dict.fromkeys(result.signatures)]
    if result.truncated or len(named) >= MOST_NAMED:
        # More failed than has a name: that is accepted for this very output, or not at all.
        named.append(OpenFinding(FindingKind.CHECK, f"{result.goal} {result.output_digest}", f"{text} (and more)"))
    return tuple(named)


@dataclass(frozen=True, slots=True)
class Listed:
    """A finding as the journal tells it, and whether a person has accepted it."""

    id: str
    kind: str
    text: str
    accepted_by: str = ""
    accepted_because: str = ""

    @property
    def accepted(self) -> bool:
        return bool(self.accepted_because)


def listed(entries: Iterable[Entry], leg: int) -> tuple[Listed, ...]:
    """What the leg found open, in its order. What an earlier leg found and this one did not is settled."""
    entries = list(entries)
    accepted = {entry.data["id"]: entry.data for entry in entries if entry.kind == "accepted"}
    found: dict[str, Listed] = {}
    for entry in entries:
        if entry.kind == "open_finding" and entry.place[0] == leg:
            told = accepted.get(entry.data["id"], {})
            by, reason = str(told.get("by", "")), str(told.get("reason", ""))
            found[entry.data["id"]] = Listed(entry.data["id"], entry.data["kind"], entry.data["text"], by, reason)
    return tuple(found.values())
