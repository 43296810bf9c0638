"""What a run would be, for `--dry-run`: its orders in turn, and what they would use up. Nobody is asked anything."""

from __future__ import annotations

from andon.domain.auto.estimate import WITHOUT_MODEL, Estimate, PriceList, estimate, samples_from_json
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
    found = estimate(mode, mates, samples, PriceList.read(known.get("prices", {})))
    orders = [{"name": m.name, "type": m.type, "model": _model(m), "phase": m.phase} for m in mates]
    text = _text(cycle, mode, found)
    await cycle.run.say("forecast", text=text, mode=str(mode), orders=orders, estimate=found.as_json())


def _model(mate: Teammate) -> str:
    return "-" if post_of(mate.name) in WITHOUT_MODEL else str(mate.tier)


def _text(cycle: Cycle, mode: Mode, found: Estimate) -> str:
    values = {"low": f"{found.tokens[0]:,}", "high": f"{found.tokens[1]:,}"}
    ground = {0: "forecast.guess", 1: "forecast.history.one"}.get(found.runs, "forecast.history")
    source = cycle.word(ground, runs=found.runs, mode=mode)
    if found.money is None:
        return cycle.word("forecast.unpriced", source=source, **values)
    cheap, dear = (f"{money:.2f}" for money in found.money)
    return cycle.word("forecast.estimate", source=source, cheap=cheap, dear=dear, **values)
