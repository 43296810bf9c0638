"""Which model each runtime takes for a tier, where settings do not say otherwise. Data, as of DATED."""

from __future__ import annotations

from collections.abc import Mapping

from andon.domain.errors import UserError
from andon.domain.order import Tier

DATED = "2026-11-16"
MODELS: Mapping[str, Mapping[Tier, str]] = {
    # Names that Claude Code itself resolves to its newest model of that kind.
    "claude": {
        Tier.HAIKU: "haiku",
        Tier.SONNET: "sonnet",
        Tier.OPUS: "opus",
        Tier.SONNET_1M: "sonnet[1m]",
        Tier.OPUS_1M: "opus[1m]",
    },
    "codex": {
        Tier.HAIKU: "gpt-6-luna",
        Tier.SONNET: "gpt-6.1-sol",
        Tier.OPUS: "gpt-6-astra",
        Tier.SONNET_1M: "gpt-6.1-sol",
        Tier.OPUS_1M: "gpt-6-astra",
    },
    "gemini": {
        Tier.HAIKU: "gemini-3.5-flash-lite",
        Tier.SONNET: "gemini-3.8-flash",
        Tier.OPUS: "gemini-3.1-pro-preview",
        Tier.SONNET_1M: "gemini-3.8-flash",
        Tier.OPUS_1M: "gemini-3.1-pro-preview",
    },
    "opencode": {
        Tier.HAIKU: "anthropic/claude-haiku-4-5",
        Tier.SONNET: "anthropic/claude-sonnet-5",
        Tier.OPUS: "anthropic/claude-opus-5-5",
        Tier.SONNET_1M: "anthropic/claude-sonnet-5",
        Tier.OPUS_1M: "anthropic/claude-opus-5-5",
    },
}


def model_for(runtime: str, tier: Tier, chosen: Mapping[str, str]) -> str:
    """The model of a tier, as chosen in settings or as known."""
    model = chosen.get(tier) or MODELS.get(runtime, {}).get(tier)
    if model is None:
        raise UserError(
            f"the runtime {runtime} has no model for the tier {tier}",
            f"Name one in settings: [runtimes.{runtime}.models] {tier} = …; `andon models` shows all.",
        )
    return model
