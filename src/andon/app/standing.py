"""Where a run stands, put together for screens from its row, its journal, its ledger and its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from andon.app.legs import areas_of
from andon.app.store import Store
from andon.app.team_decisions import decided_in
from andon.domain.auto.standing import Facts, Standing, standing
from andon.domain.auto.ways_on import Situation
from andon.domain.errors import UserError
from andon.domain.language import Language
from andon.domain.run import TEAM, RunRow
from andon.domain.teams.team import lane_of, team_from
from andon.engine.ledger import Record


def standing_of(store: Store, run: RunRow) -> Standing:
    spec = run.spec
    worktree = Path(spec.get("worktree") or store.home.run(run.id) / "worktree")
    records = store.ledger.records(run.id)
    entries = store.journal.entries(run.id)
    written = _written_units(run) if run.pipeline == TEAM else None
    situation = Situation(
        run=run.id,
        status=store.status(run),
        reason=run.reason,
        branch=run.branch,
        base=spec["base"],
        runtime=spec["runtime"],
        scenario=spec.get("scenario_source") or "",
        leg=run.leg,
        failed_record=failed_record(records),
        budget=spec["budget"],
        areas=tuple(name for name in areas_of(run) if written is None or name in written),
        titles=written or {},
        only_read=not any(entry.kind == "committed" for entry in entries),
        proposals=sum(each.open for each in decided_in(Path(run.repository))) if run.pipeline == TEAM else 0,
        language=Language(spec["language"]),
    )
    facts = Facts(situation, run.phase, str(worktree), worktree.exists(), len(records))
    return standing(facts, entries)


def _written_units(run: RunRow) -> dict[str, str]:
    """Areas of a team in which there are files to change, by the titles of their units."""
    works = team_from(run.spec["request"]["options"]["team"]).works
    return {lane_of(number): work.title for number, work in enumerate(works, start=1) if work.writes}


def failed_record(records: Sequence[Record]) -> int:
    """The newest failure of the work; 0 when there is none. Of a goal on a tree the last word counts."""
    last: dict[tuple[str, str], tuple[int, str]] = {}
    for record in records:
        try:
            if record.measurement and not record.at_base:
                told, [subject] = record.predicate, record.statement["subject"]
                last[told["goal"], subject["digest"]["gitTree"]] = record.seq, told["verdict"]
        except (UserError, LookupError, TypeError, ValueError):
            continue  # somebody changed it: `andon evidence verify` is for that
    return max((seq for seq, verdict in last.values() if verdict == "failed"), default=0)
