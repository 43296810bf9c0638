"""The document of Phase 4, `docs/03-check/{feature}.check.json` (G-39): what was measured and judged.

For people, audits and a resume. Its schema is docs/reference/schemas/check.schema.json.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from andon.domain.auto.mode import Mode
from andon.domain.auto.qa import Failure
from andon.domain.verdict import CheckResult

KIND = "andon.check"
VERSION = 1


def check_document(
    feature: str, mode: Mode, verifier: str, results: tuple[CheckResult, ...], history: tuple[Failure, ...]
) -> str:
    """Its text; `verifier` is empty when it was not asked."""
    document = {
        "kind": KIND,
        "version": VERSION,
        "feature": feature,
        "mode": mode.value,
        "verifier": verifier or None,
        "goals": [
            {"goal": r.goal, "verdict": str(r.verdict), "reason": r.reason, "command": list(r.command), "tree": r.tree}
            for r in results
        ],
        "history": [asdict(failure) for failure in history],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
