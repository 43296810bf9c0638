"""What keeps the gates shut, as one value: the failing tests, the findings of reviewers and users, andon's verdict."""

from __future__ import annotations

from dataclasses import dataclass

from andon.domain.auto.findings import OpenFinding
from andon.domain.uam.summary import failure_summary


@dataclass(frozen=True, slots=True)
class Failures:
    gate: int = 0
    """Which gate failed; 0 when none did."""
    passed: int = 0
    total: int = 0
    tests: tuple[tuple[str, str, str], ...] = ()
    """Test, kind of error, message."""
    texts: tuple[str, ...] = ()
    """Further reasons in words: findings of a review, a scenario, verification."""
    findings: tuple[OpenFinding, ...] = ()
    """Those a person can accept by id."""
    environment: str = ""
    """What the machine lacks: nothing an agent does could help."""
    unmeasured: str = ""
    """Why there is nothing to measure: nor could it here."""
    output: str = ""
    """The end of what the failing commands printed."""

    @property
    def rate(self) -> float:
        return self.passed / self.total if self.total else 0.0

    @property
    def signature(self) -> str:
        """Equal when the same thing fails again, whatever its message says this time."""
        tests = sorted({f"{name} {kind}" for name, kind, _ in self.tests})
        return "; ".join(tests or [text.partition("\n")[0][:120] for text in self.texts])

    @property
    def summary(self) -> str:
        """At most 500 characters (C-42)."""
        if self.gate == 1:
            further = [(text.partition(":")[0][:40], "Verification", text) for text in self.texts]
            return failure_summary(self.passed, self.total, (*self.tests, *further))
        text = "\n".join((f"Gate {self.gate} failed:", *(f"  - {each}" for each in self.texts)))
        return text if len(text) <= 500 else f"{text[:499]}…"
