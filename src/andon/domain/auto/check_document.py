"""The document of Phase 4, `docs/03-check/{feature}.check.json` (G-39): what was measured and judged.

For people, audits and a resume. Its schema is docs/reference/schemas/check.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from andon.domain.auto.mode import Mode
from andon.domain.auto.qa import Failure
from andon.domain.verdict import CheckResult

KIND = "andon.check"
VERSION = 1


def check_document(
    feature: str,
    mode: Mode,
    verifier: str,
    results: tuple[CheckResult, ...],
    history: tuple[Failure, ...],
    *,
    cycles: int = 1,
    gap: float | None = None,
    quality: Sequence[str] = (),
    further: tuple[CheckResult, ...] = (),
    accepted: Mapping[str, str] | None = None,
) -> str:
    """Its text; `verifier` is empty when it was not asked, `gap` None when there is none."""
    document = {
        "kind": KIND,
        "version": VERSION,
        "feature": feature,
        "mode": mode.value,
        "verifier": verifier or None,
        "cycles": cycles,
        "gap": gap,
        "quality": list(quality),
        "goals": [_measured(result) for result in results],
        "further": [_measured(result) for result in further],
        "history": [asdict(failure) for failure in history],
        "accepted": [{"finding": id, "reason": reason} for id, reason in (accepted or {}).items()],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _measured(result: CheckResult) -> dict[str, Any]:
    return {
        "goal": result.goal,
        "verdict": str(result.verdict),
        "reason": result.reason,
        "command": list(result.command),
        "tree": result.tree,
    }
