"""Which model each runtime takes for a tier, where settings do not say otherwise, and which names it can know.

Data, as of DATED. A name is doubted only where its shape is wrong or a word of it is nearly a known one: new models
come every month, and must not wait for a new andon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from andon.domain.errors import UserError
from andon.domain.order import Tier
from andon.runtimes.prices import PRICES

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
}
_SHAPES = {
    "claude": re.compile(r"(?:default|best|opusplan|haiku|sonnet|opus|fable|claude-[a-z0-9.@-]+)(?:\[1m\])?"),
    "codex": re.compile(r"(?:gpt|codex)-[a-z0-9.-]+|o\d[a-z0-9.-]*"),
    "gemini": re.compile(r"(?:gemini|gemma)-[a-z0-9.-]+"),
}
_ELSEWHERE = {"claude": "ANTHROPIC_BASE_URL", "codex": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}
"""Whoever has a server of their own names its models as they like."""
_WORD = re.compile(r"[a-z]{4,}")


def refuse_unknown(runtime: str, tier: str, model: str, own_prices: Mapping[str, object], elsewhere: bool) -> None:
    """Before anything runs: a name that the runtime cannot know, unless a person has said what it costs."""
    if runtime not in _SHAPES or elsewhere or model in own_prices or (meant := _meant(runtime, model)) is None:
        return
    near = f"Did you mean {meant}? " if meant else ""
    raise UserError(
        f"[runtimes.{runtime}.models] {tier}: {runtime} knows no model {model!r}",
        f'{near}If the name is right, say what it costs: [prices."{model}"] input = …, output = …',
    )


def _meant(runtime: str, model: str) -> str | None:
    """The known name that was probably meant, "" when none is near; None when the name may well be right."""
    known = [*dict.fromkeys((*MODELS[runtime].values(), *filter(_SHAPES[runtime].fullmatch, PRICES)))]
    if model in known:
        return None
    if not _SHAPES[runtime].fullmatch(model):
        return next(iter(get_close_matches(model, known, n=1, cutoff=0.5)), "")
    words = sorted({word for name in known for word in _WORD.findall(name)})
    for word in _WORD.findall(model):
        if word not in words and (near := get_close_matches(word, words, n=1, cutoff=0.85)):
            return model.replace(word, near[0])
    return None


def has_own_server(runtime: str, environment: Mapping[str, str]) -> bool:
    return bool(environment.get(_ELSEWHERE.get(runtime, "")))


def model_for(runtime: str, tier: Tier, chosen: Mapping[str, str]) -> str:
    """The model of a tier, as chosen in settings or as known."""
    model = chosen.get(tier) or MODELS.get(runtime, {}).get(tier)
    if model is None:
        raise UserError(
            f"the runtime {runtime} has no model for the tier {tier}",
            f"Name one in settings: [runtimes.{runtime}.models] {tier} = …; `andon models` shows all.",
        )
    return model
