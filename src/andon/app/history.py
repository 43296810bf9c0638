"""What finished runs of this machine used: the ground for the estimate of a `--dry-run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from andon.app.runtime_settings import own_prices
from andon.app.store import Store
from andon.domain.auto.estimate import Sample, Tokens, sample_to_json
from andon.domain.auto.mode import Mode, post_of
from andon.domain.journal import Entry
from andon.domain.order import Tier
from andon.domain.run import RunRow, Status

LOOKED_AT = 200
"""Newest runs of `auto`, of every repository, among which finished ones are looked for."""
SAMPLES = 10
"""Newest finished runs of a mode that count: what a machine did a year ago says little."""


def forecast_ground(store: Store, runtimes: Mapping[str, Any]) -> dict[str, Any]:
    """Prices, and by mode what the newest finished runs with this runtime used. Part of a run's frozen input."""
    runtime = runtimes["runtime"]
    samples: dict[str, list[dict[str, list[int]]]] = {str(mode): [] for mode in Mode}
    for run in store.runs.newest(LOOKED_AT, pipeline="auto"):
        known = samples.get(run.mode)
        if known is not None and len(known) < SAMPLES and _counts(run, runtime):
            known.append(sample_to_json(used_by(store.journal.entries(run.id))))
    return {"prices": _prices(runtimes), "samples": samples}


def _prices(runtimes: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """By role, where it has a runtime of its own ("" for all others), and by tier."""
    from andon.runtimes.prices import price_of

    own = own_prices(runtimes)

    def of(runtime: str) -> dict[str, dict[str, Any]]:
        # A scenario is estimated as if the models played it whose names the tiers have.
        models: Mapping[str, str] = runtimes["models"][runtime] or (
            {tier: tier for tier in Tier} if runtime == "scripted" else {}
        )
        prices = {tier: price_of(model, own) for tier, model in models.items()}
        return {str(tier): asdict(price) for tier, price in prices.items() if price is not None}

    return {"": of(runtimes["runtime"]), **{role: of(name) for role, name in runtimes["role_runtimes"].items()}}


def _counts(run: RunRow, runtime: str) -> bool:
    """Another runtime uses other amounts, and a dry run is no run."""
    return run.status is Status.DONE and run.reason != "dry_run" and run.spec.get("runtime") == runtime


def used_by(entries: Iterable[Entry]) -> Sample:
    """Tokens by post. Names outside the team's table (another version wrote them) are left out."""
    used: dict[str, Tokens] = {}
    for entry in entries:
        if entry.kind != "result":
            continue
        usage = entry.data.get("usage", {})
        try:
            post = post_of(str(entry.data.get("name", "")))
        except ValueError:
            continue
        tokens = Tokens(int(usage.get("input_tokens", 0)), int(usage.get("output_tokens", 0)))
        used[post] = used.get(post, Tokens()).plus(tokens)
    return used
