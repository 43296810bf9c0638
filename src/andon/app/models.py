"""Which model serves which tier, runtime by runtime, as settings and known defaults say here and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from andon.app.home import Home
from andon.app.settings import load_settings
from andon.domain.order import Tier
from andon.runtimes.models import DATED, MODELS


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
    for runtime in dict.fromkeys((*MODELS, *settings.runtimes)):
        told = settings.runtimes.get(runtime)
        chosen = told.models if told else {}
        known = MODELS.get(runtime, {})
        found += [
            Model(runtime, str(tier), chosen.get(tier) or known[tier], tier in chosen)
            for tier in Tier
            if tier in chosen or tier in known
        ]
    roles = {role: each.runtime for role, each in settings.roles.items() if each.runtime}
    return Models(DATED, tuple(found), roles, tuple(notes))
