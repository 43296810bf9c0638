"""Which model serves which tier, runtime by runtime, as settings and known defaults say here and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from andon.app.home import Home
from andon.app.settings import load_settings
from andon.domain.errors import EnvironmentProblem
from andon.domain.order import Tier
from andon.runtimes.models import DATED, MODELS
from andon.runtimes.providers import PROVIDERS, models_here


@dataclass(frozen=True, slots=True)
class Model:
    runtime: str
    tier: str
    model: str
    chosen: bool
    """By settings; otherwise as andon knows it."""

    def as_json(self) -> dict[str, str | bool]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Models:
    dated: str
    """As of when the defaults are."""
    models: tuple[Model, ...]
    roles: Mapping[str, str]
    """Role → runtime, where it is not the run's."""
    notes: tuple[str, ...]


def models(environment: Mapping[str, str], repository: Path | None) -> Models:
    settings, notes = load_settings(Home.of(environment), repository, environment, {})
    found: list[Model] = []
    for runtime in dict.fromkeys((*MODELS, "api", *settings.runtimes)):
        told = settings.runtimes.get(runtime)
        chosen = told.models if told else {}
        known = _known(runtime, environment, chosen)
        found += [
            Model(runtime, str(tier), chosen.get(tier) or known[tier], tier in chosen)
            for tier in Tier
            if tier in chosen or tier in known
        ]
    roles = {role: each.runtime for role, each in settings.roles.items() if each.runtime}
    return Models(DATED, tuple(found), roles, tuple(notes))


def _known(runtime: str, environment: Mapping[str, str], chosen: Mapping[Tier, str]) -> Mapping[Tier, str]:
    """The runtime api takes the models of whose key is set; without any, those of the first it would take are shown."""
    if runtime != "api":
        return MODELS.get(runtime, {})
    try:
        return models_here(environment, {str(tier): model for tier, model in chosen.items()})
    except EnvironmentProblem:
        return next(iter(PROVIDERS.values())).models
