"""Verdicts of verification for programs and screens: the same facts as JSON."""

from __future__ import annotations

from typing import Any

from andon.app.verifying import Verified
from andon.domain.verdict import CheckResult, Finding
from andon.domain.verification import RULES, finding_id

__all__ = ["as_json", "finding_id", "rule_text"]


def rule_text(rule: str) -> str:
    return RULES[rule].what


def as_json(verified: Verified) -> dict[str, Any]:
    told = verified.verification
    return {
        "kind": "andon.verification",
        "version": 1,
        "id": verified.run.id,
        "answer": str(told.answer),
        "verdict": str(told.verdict),
        "reason": told.reason,
        "base": told.base,
        "began_at": verified.began_at,
        "tree": told.tree,
        "sandbox": verified.sandbox,
        "seconds": round(verified.seconds, 3),
        "seconds_preparing": round(verified.preparing, 3),
        "layers": [str(layer) for layer in told.layers],
        "findings": [_finding(each) for each in told.findings],
        "excused": [_finding(each.finding) | {"because": each.because} for each in told.excused],
        "results": [_result(each) for each in told.results],
        "notes": list(told.notes),
        "unmeasured": list(told.unmeasured),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    rule = RULES[finding.rule]
    return {
        "id": finding_id(finding),
        "layer": str(rule.layer),
        "rule": finding.rule,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
        "subject": finding.subject,
        "asks": finding.asks,
    }


def _result(result: CheckResult) -> dict[str, Any]:
    return {
        "goal": result.goal,
        "verdict": str(result.verdict),
        "reason": result.reason,
        "command": list(result.command),
        "tests": dict(result.tests),
        "exit": result.exit_code,
        "seconds": round(result.seconds, 3),
        "output": result.output_digest,
    }
