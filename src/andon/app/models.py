"""Which model serves which tier and what it costs, runtime by runtime, as settings and defaults say here and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from andon.app.home import Home
from andon.app.settings import load_settings
from andon.domain.errors import UserError
from andon.domain.money import Price
from andon.domain.order import Tier
from andon.runtimes.models import DATED, MODELS, has_own_server, refuse_unknown
from andon.runtimes.prices import DATED as PRICES_DATED
from andon.runtimes.prices import price_of
from andon.runtimes.providers import PROVIDERS, models_of


@dataclass(frozen=True, slots=True)
class Model:
    runtime: str
    tier: str
    model: str
    chosen: bool
    """By settings; otherwise as andon knows it."""
    price: Price | None = None
    own_price: bool = False
    """By settings; otherwise as andon knows it."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Models:
    dated: str
    """As of when the defaults are."""
    prices_dated: str
    models: tuple[Model, ...]
    roles: Mapping[str, str]
    """Role → runtime, where it is not the run's."""
    notes: tuple[str, ...]


def models(environment: Mapping[str, str], repository: Path | None) -> Models:
    settings, notes = load_settings(Home.of(environment), repository, environment, {})
    own = {name: Price(**each.model_dump()) for name, each in settings.prices.items()}
    found: list[Model] = []
    for runtime in dict.fromkeys((*MODELS, "opencode", "api", *settings.runtimes)):
        told = settings.runtimes.get(runtime)
        chosen = told.models if told else {}
        known = models_of(runtime, environment, {str(tier): model for tier, model in chosen.items()})
        if runtime == "api" and not known:  # nobody is signed in: those of the first provider that it would take
            known = {str(tier): model for tier, model in next(iter(PROVIDERS.values())).models.items()}
        for tier in (each for each in Tier if each in known):
            model = known[tier]
            price = price_of(model, own)
            found.append(Model(runtime, str(tier), model, tier in chosen, price, price != price_of(model, {})))
            try:
                refuse_unknown(runtime, str(tier), model, own, has_own_server(runtime, environment))
            except UserError as doubt:
                notes.append(f"{doubt.message}. {doubt.hint}")
    roles = {role: each.runtime for role, each in settings.roles.items() if each.runtime}
    return Models(DATED, PRICES_DATED, tuple(found), roles, tuple(notes))
