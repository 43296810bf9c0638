"""What a run would be, for `--dry-run`: its orders in turn, and what they would use up. Nobody is asked anything."""

from __future__ import annotations

from typing import Any

from andon.domain.auto.estimate import WITHOUT_MODEL, Estimate, Prices, estimate, samples_from_json
from andon.domain.auto.mode import Mode, Teammate, line_up, post_of, teammate
from andon.pipelines.auto.cycle import Cycle


async def forecast(cycle: Cycle) -> None:
    """Say who would work, in which order, on which model, and what that would take."""
    options, mode = cycle.request.options, cycle.mode or Mode.LIGHT
    mates = [teammate(name, mode, opus=options.opus, eco=options.eco) for name in line_up(mode)]
    for mate in mates:
        text = cycle.word("forecast.order", name=mate.name, type=mate.type, model=_model(mate), phase=mate.phase)
        await cycle.run.say("notice", text=text)
    known = cycle.forecast
    samples = samples_from_json(known.get("samples", {}).get(str(mode), ()))
    found = estimate(mode, mates, samples, Prices(**known.get("prices", {})))
    orders = [{"name": m.name, "type": m.type, "model": _model(m), "phase": m.phase} for m in mates]
    text = _text(cycle, mode, found)
    await cycle.run.say("forecast", text=text, mode=str(mode), orders=orders, estimate=found.as_json())


def _model(mate: Teammate) -> str:
    return "-" if post_of(mate.name) in WITHOUT_MODEL else str(mate.tier)


def _text(cycle: Cycle, mode: Mode, found: Estimate) -> str:
    values: dict[str, Any] = {
        "low": f"{found.tokens[0]:,}",
        "high": f"{found.tokens[1]:,}",
        "cheap": f"{found.money[0]:.2f}",
        "dear": f"{found.money[1]:.2f}",
    }
    ground = {0: "forecast.guess", 1: "forecast.history.one"}.get(found.runs, "forecast.history")
    source = cycle.word(ground, runs=found.runs, mode=mode)
    return cycle.word("forecast.estimate", source=source, **values)
