"""Verdicts and the evidence behind them. Missing, skipped, unparseable and timed out are never `passed`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_MEASURED = "not_measured"
    """It applies but could not be run. Blocks like a failure, and is shown as what it is."""
    NOT_NEEDED = "not_needed"
    """It does not apply here (eslint in a Python project). Does not block, and is never counted as passed."""

    @property
    def blocks(self) -> bool:
        return self in (Verdict.FAILED, Verdict.NOT_MEASURED)


@dataclass(frozen=True, slots=True)
class Finding:
    message: str
    path: str = ""
    line: int = 0
    rule: str = ""
    """Of verification: the name it is documented by (domain/verification.py)."""
    subject: str = ""
    """What it is about besides the path, in words that stay when lines move: a test's name, a package."""
    asks: bool = False
    """Nothing was measured that speaks against it: only its owner can know whether it is meant."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check measured, on which tree, how, and what came out."""

    goal: str
    verdict: Verdict
    reason: str = ""
    """One line for people: why it failed, was not measured, or is not needed."""
    command: tuple[str, ...] = ()
    tree: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    sandbox: str = ""
    """The sandbox tier it ran in."""
    environment: str = ""
    """Digest of the prepared environment it ran with."""
    output: str = ""
    """The tail of what it printed, capped."""
    output_digest: str = ""
    """sha256 of the whole kept output, which lies in the content store."""
    truncated: bool = False
    """More was printed than was kept."""
    signatures: tuple[str, ...] = ()
    """Stable names of the failures, equal across timings, paths and line numbers."""
    findings: tuple[Finding, ...] = field(default=())
    exits: tuple[int | None, ...] = ()
    """How each of the goal's commands ended."""
    tests: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many tests ended how, where andon's own reporter told it."""
    failing: tuple[str, ...] = ()
    """Tests that failed, where andon's own reporter told of each."""
    environment_error: bool = False
    """The tool itself is missing: fixing the code cannot help (A-106)."""

    def shown(self, most: int) -> str:
        """What it printed, as prompts have it: of much the end, and last a note: failures are told by first lines."""
        text = self.output.strip()
        if len(text) <= most:
            return text
        return f"{text[-most:].lstrip()}\n(Only the last {most} characters of it: `limits.prompt_output_characters`.)"
