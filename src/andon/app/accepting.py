"""A person accepts a finding that a run ended with: signed in the ledger, told in the journal."""

from __future__ import annotations

import difflib
import os
import pwd
from collections.abc import Mapping

from andon.app.legs import last_tree, refuse_unless_at_rest
from andon.app.starting import user_name
from andon.app.store import Store
from andon.domain.auto.findings import Listed, listed
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.engine.ledger import Acceptance


def findings_of(store: Store, run: RunRow) -> tuple[Listed, ...]:
    """What the run's present leg left open, and which of it is accepted."""
    return listed(store.journal.entries(run.id), run.leg)


def accept(store: Store, run: RunRow, finding: str, reason: str, by: str) -> Listed:
    """Accept one finding. Once: who accepted it first, and why, stays."""
    refuse_unless_at_rest(store, run)
    found = _named(run, findings_of(store, run), finding)
    if found.accepted:
        return found
    if not reason.strip():
        raise UserError("An acceptance needs a reason", 'It is recorded with your name: --reason "why it may stay"')
    entries = store.journal.entries(run.id)
    key = f"{run.leg + 1}.0.accepted.{found.id}"
    clean = store.redaction.text(reason.strip())
    # The ledger first: an acceptance that only the journal knew would count without a signature.
    store.ledger.accept(run.id, key, Acceptance(found.id, found.text, by, clean, last_tree(run, entries)))
    told = {"id": found.id, "kind": found.kind, "text": found.text, "by": by, "reason": clean}
    store.journal.append(run.id, key, "accepted", run.phase, told)
    return next(each for each in findings_of(store, run) if each.id == found.id)


def _named(run: RunRow, findings: tuple[Listed, ...], wanted: str) -> Listed:
    by_id = {finding.id: finding for finding in findings}
    if wanted in by_id:
        return by_id[wanted]
    if not by_id:
        raise UserError(f"Run {run.id} has no open findings", f"`andon status {run.id}` says how it stands.")
    begin = [finding for id, finding in by_id.items() if id.startswith(wanted)]
    if len(begin) == 1:
        return begin[0]
    near = difflib.get_close_matches(wanted, by_id, n=1, cutoff=0.0)
    raise UserError(
        f"Run {run.id} has no open finding {wanted}" if not begin else f"{wanted} is ambiguous",
        f"Did you mean {near[0]}? `andon accept {run.id}` lists them.",
    )


def system_user(environment: Mapping[str, str]) -> str:
    """Who the system says is at work; what the environment says only where it does not know."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return user_name(environment)
