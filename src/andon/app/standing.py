"""Where a run stands, put together for screens from its row, its journal, its ledger and its folder."""

from __future__ import annotations

from pathlib import Path

from andon.app.store import Store
from andon.domain.auto.standing import Facts, Standing, standing
from andon.domain.auto.ways_on import Situation
from andon.domain.language import Language
from andon.domain.run import RunRow


def standing_of(store: Store, run: RunRow) -> Standing:
    spec = run.spec
    worktree = Path(spec.get("worktree") or store.home.run(run.id) / "worktree")
    situation = Situation(
        run=run.id,
        status=store.status(run),
        reason=run.reason,
        branch=run.branch,
        base=spec["base"],
        runtime=spec["runtime"],
        scenario=spec.get("scenario_source") or "",
        leg=run.leg,
        budget=spec["budget"],
        language=Language(spec["language"]),
    )
    evidence = len(store.ledger.records(run.id))
    facts = Facts(situation, run.phase, str(worktree), worktree.exists(), evidence)
    return standing(facts, store.journal.entries(run.id))
