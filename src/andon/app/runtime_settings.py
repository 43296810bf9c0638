"""Settings of runtimes and roles, and the runtimes made from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from andon.domain.order import Tier
from andon.ports import Runtime

if TYPE_CHECKING:
    from andon.runtimes.by_role import RuntimeByRole


class RuntimeSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    program: str | None = Field(None, description="The program to start: a path, or a name on PATH.")
    arguments: tuple[str, ...] = Field((), description="Further words for the program.")
    kind: Literal["acp"] | None = Field(
        None, description="acp: an agent that speaks the Agent Client Protocol, under a name of your own."
    )
    mode: str | None = Field(None, description="ACP: the mode to work in, one of those the agent offers.")
    keys: tuple[str, ...] = Field((), description="ACP: variables that sign the agent in, handed on to it.")
    files: tuple[str, ...] = Field((), description="ACP: files of your home folder that sign the agent in.")
    models: dict[Tier, str] = Field({}, description="Tier → model, where it is not the one `andon models` shows.")


class RoleSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    runtime: str | None = Field(None, description="Which runtime carries out orders to this role.")


def frozen(runtime: str, runtimes: Mapping[str, RuntimeSettings], roles: Mapping[str, RoleSettings]) -> dict[str, Any]:
    """What a run keeps of them: a later edit of settings does not change who works for it."""
    others = {role: each.runtime for role, each in roles.items() if each.runtime and each.runtime != runtime}
    used = {runtime, *others.values()}
    kept = {name: each.model_dump(mode="json") for name, each in runtimes.items() if name in used}
    return {"runtime": runtime, "role_runtimes": others, "runtimes": kept}


def made(spec: Mapping[str, Any], scenario: str | Path | None, environment: Mapping[str, str]) -> RuntimeByRole:
    """The runtimes of a run as one. Whatever one of them lacks is told here, before it is needed."""
    # Settings are read by every command; runtimes are made by few.
    from andon.runtimes.by_role import RuntimeByRole
    from andon.runtimes.registry import find
    from andon.runtimes.setup import Setup

    def one(name: str) -> Runtime:
        told = RuntimeSettings.model_validate(spec.get("runtimes", {}).get(name, {}))
        models = {str(tier): model for tier, model in told.models.items()}
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
        )
        return find(told.kind or name)(setup)

    others: Mapping[str, str] = spec.get("role_runtimes", {})
    ready = {name: one(name) for name in dict.fromkeys((spec["runtime"], *others.values()))}
    return RuntimeByRole(ready[spec["runtime"]], {role: ready[name] for role, name in others.items()})
