"""Settings of runtimes, roles and prices, and the runtimes made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from andon.domain.money import Price
from andon.domain.order import Tier
from andon.ports import Runtime

if TYPE_CHECKING:
    from andon.runtimes.by_role import RuntimeByRole
    from andon.runtimes.servers import Servers

TELL_MONEY = ("claude", "scripted")


class RuntimeSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    program: str | None = Field(None, description="The program to start: a path, or a name on PATH.")
    arguments: tuple[str, ...] = Field((), description="Further words for the program.")
    kind: Literal["acp"] | None = Field(
        None,
        description="acp: an agent that speaks the Agent Client Protocol, under a name of your own.",
        examples=["acp"],
    )
    mode: str | None = Field(
        None, description="ACP: the mode to work in, one of those the agent offers.", examples=["code"]
    )
    keys: tuple[str, ...] = Field((), description="ACP: variables that sign the agent in, handed on to it.")
    files: tuple[str, ...] = Field((), description="ACP: files of your home folder that sign the agent in.")
    models: dict[Tier, str] = Field({}, description="Tier → model, where it is not the one `andon models` shows.")


class RoleSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    runtime: str | None = Field(None, description="Which runtime carries out orders to this role.")
    tier: Tier | None = Field(
        None, description="Which tier of model it gets, whatever else decides.", examples=["opus"]
    )


class PriceSettings(BaseModel):
    """Of one model, or of all whose names fit: `*` stands for anything."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0, description="US dollars per million input tokens.")
    output: float = Field(ge=0, description="US dollars per million output tokens.")
    cached: float | None = Field(
        None, ge=0, description="US dollars per million input tokens from the provider's cache. Unset: as other input."
    )


def frozen(
    runtime: str,
    runtimes: Mapping[str, RuntimeSettings],
    roles: Mapping[str, RoleSettings],
    prices: Mapping[str, PriceSettings] | None = None,
    environment: Mapping[str, str] | None = None,
    reviewers: Iterable[tuple[str, bool]] = (),
) -> dict[str, Any]:
    """What a run keeps of them: a later edit of settings does not change who works for it."""
    from andon.runtimes.prices import DATED
    from andon.runtimes.providers import models_of

    others = {role: each.runtime for role, each in roles.items() if each.runtime and each.runtime != runtime}
    told_reviewers = [[name, there] for name, there in reviewers]
    used = {runtime, *others.values(), *(name for name, there in reviewers if there)}
    kept = {name: each.model_dump(mode="json") for name, each in runtimes.items() if name in used}
    own = {name: each.model_dump() for name, each in (prices or {}).items()}
    models = {name: models_of(name, environment or {}, kept.get(name, {}).get("models", {})) for name in sorted(used)}
    told = {"runtime": runtime, "role_runtimes": others, "runtimes": kept, "models": models}
    return {**told, "reviewers": told_reviewers, "prices": {"dated": DATED, "own": own}}


def made(
    spec: Mapping[str, Any],
    scenario: str | Path | None,
    environment: Mapping[str, str],
    servers: Servers | None = None,
) -> RuntimeByRole:
    """The runtimes of a run as one. Whatever one of them lacks is told here, before it is needed."""
    # Settings are read by every command; runtimes are made by few.
    from andon.runtimes.by_role import RuntimeByRole
    from andon.runtimes.models import has_own_server, refuse_unknown
    from andon.runtimes.priced import PricedRuntime
    from andon.runtimes.providers import models_of
    from andon.runtimes.registry import find
    from andon.runtimes.servers import no_server
    from andon.runtimes.setup import Setup

    prices = own_prices(spec)

    def one(name: str) -> Runtime:
        told = RuntimeSettings.model_validate(spec.get("runtimes", {}).get(name, {}))
        models = {str(tier): model for tier, model in told.models.items()}
        if told.kind is None:
            for tier, model in models.items():
                refuse_unknown(name, tier, model, prices, has_own_server(name, environment))
        setup = Setup(
            name=name,
            scenario=Path(scenario) if scenario else None,
            environment=environment,
            models=models,
            program=told.program,
            arguments=told.arguments,
            mode=told.mode or "",
            keys=told.keys,
            files=told.files,
            servers=servers or no_server,
        )
        ready = find(told.kind or name)(setup)
        # Nobody pays for a scenario.
        return ready if name == "scripted" else PricedRuntime(ready, models_of(name, environment, models), prices)

    others: Mapping[str, str] = spec.get("role_runtimes", {})
    reviewers = [name for name, there in spec.get("reviewers", ()) if there]
    ready = {name: one(name) for name in dict.fromkeys((spec["runtime"], *others.values(), *reviewers))}
    named = {name: ready[name] for name in reviewers}
    return RuntimeByRole(ready[spec["runtime"]], {role: ready[name] for role, name in others.items()}, named)


def unpriced(spec: Mapping[str, Any]) -> list[str]:
    """Runtimes of which no price is known for some tier, and which do not tell money either as far as we know."""
    from andon.runtimes.prices import price_of

    def lacks(name: str) -> bool:
        models, own = spec["models"][name], own_prices(spec)
        return any(price_of(models.get(tier, ""), own) is None for tier in Tier)

    used = dict.fromkeys((spec["runtime"], *spec["role_runtimes"].values()))
    return [name for name in used if name not in TELL_MONEY and lacks(name)]


def own_prices(spec: Mapping[str, Any]) -> dict[str, Price]:
    """The person's, as the run keeps them."""
    return {name: Price(**told) for name, told in spec.get("prices", {}).get("own", {}).items()}
