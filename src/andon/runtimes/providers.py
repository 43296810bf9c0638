"""Who sells models that the `api` runtime can talk to: how a model is named, what signs one in, what a tier is there.

Data and its reading; it talks to nobody. Models are as of the date in `models.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Tier
from andon.runtimes.models import MODELS


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    package: str
    """What talks to it, of the extra `andon[api]`."""
    keys: tuple[str, ...]
    """Variables of the environment, each of which signs one in."""
    base: str
    """The variable that leads to another server than the provider's own."""
    free_at: str = ""
    """An address that needs no key, where `base` names none."""
    models: Mapping[Tier, str] = field(default_factory=dict[Tier, str])

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.keys, self.base)

    def key(self, environment: Mapping[str, str]) -> str:
        """The variable that signs one in; "" for none."""
        return next((name for name in self.keys if environment.get(name)), "")

    def reachable(self, environment: Mapping[str, str]) -> bool:
        """With a key, or without one where a server of one's own may ask for none."""
        return bool(self.key(environment) or self.free_at or (self.base == _OPENAI_BASE and environment.get(self.base)))


def _tiers(provider: str, haiku: str, sonnet: str, opus: str) -> dict[Tier, str]:
    names = (haiku, sonnet, opus, sonnet, opus)  # each of them takes a context of a million tokens
    return {tier: f"{provider}:{name}" for tier, name in zip(Tier, names, strict=True)}


_OPENAI_BASE = "OPENAI_BASE_URL"
PROVIDERS = {
    each.name: each
    for each in (
        Provider(
            "anthropic",
            "anthropic",
            ("ANTHROPIC_API_KEY",),
            "ANTHROPIC_BASE_URL",
            models=_tiers("anthropic", "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"),
        ),
        Provider(
            "openai",
            "openai",
            ("OPENAI_API_KEY",),
            _OPENAI_BASE,
            models=_tiers("openai", "gpt-6-luna", "gpt-6.1-sol", "gpt-6-astra"),
        ),
        Provider(
            "google",
            "google.genai",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            "GOOGLE_GEMINI_BASE_URL",
            models=_tiers("google", "gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-4-argon"),
        ),
        Provider("openai-chat", "openai", ("OPENAI_API_KEY",), _OPENAI_BASE),
        Provider("ollama", "openai", ("OLLAMA_API_KEY",), "OLLAMA_BASE_URL", "http://localhost:11434/v1"),
    )
}
"""In the order in which one is chosen where settings name no model."""


def provider_of(model: str) -> Provider:
    name, colon, rest = model.partition(":")
    if name in PROVIDERS and colon and rest:
        return PROVIDERS[name]
    close = get_close_matches(name, PROVIDERS, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]}:{rest or 'MODEL'}?" if close else f"PROVIDER is one of {', '.join(PROVIDERS)}."
    raise UserError(f"`{model}` is no model of the runtime api: they are named PROVIDER:MODEL", hint)


def models_here(environment: Mapping[str, str], chosen: Mapping[str, str]) -> dict[Tier, str]:
    """Every tier's model: as chosen, else the first provider's that has a key here, else one that was chosen."""
    signed_in = next((each for each in PROVIDERS.values() if each.models and each.key(environment)), None)
    known: Mapping[Tier, str] = signed_in.models if signed_in else {}
    named = [chosen[tier] for tier in (Tier.SONNET, Tier.OPUS, Tier.HAIKU, *Tier) if chosen.get(tier)]
    if not named and not known:
        keys = ", ".join(each.keys[0] for each in PROVIDERS.values() if each.models)
        hint = f'Set one of {keys}; or name a model: [runtimes.api.models] sonnet = "ollama:…".'
        raise EnvironmentProblem("The runtime api has no provider: no key is set, and settings name no model", hint)
    return {tier: chosen.get(tier) or known.get(tier) or named[0] for tier in Tier}


def models_of(runtime: str, environment: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Every tier's model of any runtime, as far as andon knows it: a program may have a choice of its own."""
    if runtime == "api":
        try:
            return {str(tier): model for tier, model in models_here(environment, chosen).items()}
        except EnvironmentProblem:
            return {}
    known = _in_opencode(environment) if runtime == "opencode" else MODELS.get(runtime, {})
    return {str(tier): chosen.get(tier) or known[tier] for tier in Tier if chosen.get(tier) or tier in known}


def _in_opencode(environment: Mapping[str, str]) -> Mapping[Tier, str]:
    """It has every provider, and names a model after its own."""
    chosen = next((each for each in _OPENCODE if each.key(environment)), _OPENCODE[0])
    return {tier: model.replace(":", "/", 1) for tier, model in chosen.models.items()}


_OPENCODE = (PROVIDERS["anthropic"], PROVIDERS["openai"])
