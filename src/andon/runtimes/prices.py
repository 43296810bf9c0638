"""What models cost, where settings do not say otherwise. Data, as of DATED.

List prices of a short prompt, in US dollars per million tokens: input, output, input from the provider's cache. What
providers ask for writing to a cache, for very long prompts and for haste is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from andon.domain.money import Price

DATED = "2026-11-16"
PRICES: Mapping[str, Price] = {
    # Names that Claude Code resolves by itself: the newest of the kind.
    "haiku": Price(0.1, 0.5, 0.01),
    "sonnet": Price(2, 10, 0.1),
    "opus": Price(4, 20, 0.2),
    "fable": Price(10, 50, 0.25),
    "claude-haiku-5-5": Price(0.1, 0.5, 0.01),
    "claude-haiku-4-5": Price(1, 5, 0.1),
    "claude-sonnet-5-5": Price(2, 10, 0.1),
    "claude-sonnet-5": Price(2, 10, 0.2),
    "claude-sonnet-4-6": Price(3, 15, 0.3),
    "claude-sonnet-4-5": Price(3, 15, 0.3),
    "claude-opus-5-5": Price(4, 20, 0.2),
    "claude-opus-5": Price(5, 25, 0.5),
    "claude-opus-4-8": Price(5, 25, 0.5),
    "claude-opus-4-7": Price(5, 25, 0.5),
    "claude-opus-4-6": Price(5, 25, 0.5),
    "claude-opus-4-5": Price(5, 25, 0.5),
    "claude-opus-4-1": Price(15, 75, 1.5),
    "claude-fable-5-1": Price(10, 50, 0.25),
    "claude-fable-5": Price(10, 50, 1),
    "gpt-6-luna": Price(0.1, 0.5, 0.01),
    "gpt-6-sol": Price(2, 10, 0.2),
    "gpt-6.1-sol": Price(2, 10, 0.1),
    "gpt-6-astra": Price(10, 50, 1),
    "gpt-5.6-luna": Price(0.2, 1.2, 0.02),
    "gpt-5.6-terra": Price(2, 12, 0.2),
    "gpt-5.6-sol": Price(4, 20, 0.4),
    "gpt-5.5": Price(5, 30, 0.5),
    "gpt-5.3-codex": Price(1.75, 14, 0.175),
    "gpt-5.1": Price(1.25, 10, 0.125),
    "gpt-5": Price(1.25, 10, 0.125),
    "gpt-5-mini": Price(0.25, 2, 0.025),
    "gpt-5-nano": Price(0.05, 0.4, 0.005),
    "gpt-4.1": Price(2, 8, 0.5),
    "o3": Price(2, 8, 0.5),
    "o4-mini": Price(1.1, 4.4, 0.275),
    # From December 2026 on; until then half of it.
    "gemini-4-argon": Price(4, 20, 0.2),
    "gemini-3.8-flash": Price(0.75, 3.75, 0.075),
    "gemini-3.7-flash": Price(0.75, 3.75, 0.075),
    "gemini-3.6-flash": Price(0.75, 3.75, 0.075),
    "gemini-3.5-flash": Price(1.5, 9, 0.15),
    "gemini-3.5-flash-lite": Price(0.3, 2.5, 0.03),
    "gemini-3.1-pro": Price(2, 12, 0.2),
    "gemini-3.1-flash-lite": Price(0.25, 1.5, 0.025),
    "gemini-3-flash": Price(0.5, 3, 0.05),
    "gemini-2.5-pro": Price(1.25, 10, 0.125),
    "gemini-2.5-flash": Price(0.3, 2.5, 0.03),
    "gemini-2.5-flash-lite": Price(0.1, 0.4, 0.01),
}
_CONTEXT = re.compile(r"\[\w+\]$")
"""How much context is wanted, as Claude Code takes it at the end of a name."""
_EDITION = re.compile(r"[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$")
"""A dated edition of a model costs what the model costs; any other variant may cost something else."""


def price_of(model: str, own: Mapping[str, Price]) -> Price | None:
    """By a person's own prices, in which `*` stands for anything, the longest name first; then by the list."""
    for name in sorted(own, key=lambda each: ("*" in each, -len(each))):
        if name == model or ("*" in name and fnmatchcase(model, name.replace("[", "[[]"))):
            return own[name]
    name = re.split(r"[/:]", _CONTEXT.sub("", model))[-1]
    return PRICES.get(name) or PRICES.get(_EDITION.sub("", name))
