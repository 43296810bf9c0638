"""Runtimes by name: a small table of our own, and what other packages register as entry points.

Nothing is imported before it is asked for. Choosing among runtimes is not its business.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from andon.domain.errors import EnvironmentProblem, UserError
from andon.ports import Runtime
from andon.runtimes.setup import Setup

GROUP = "andon.runtimes"
BUILT_IN = {
    "claude": "andon.runtimes.claude:ClaudeRuntime",
    "codex": "andon.runtimes.codex:CodexRuntime",
    "gemini": "andon.runtimes.acp:AcpRuntime",
    "opencode": "andon.runtimes.acp:AcpRuntime",
    "acp": "andon.runtimes.acp:AcpRuntime",
    "scripted": "andon.runtimes.scripted:made",
    "api": "andon.runtimes.api:ApiRuntime",
}


def names() -> tuple[str, ...]:
    """Every known runtime, our own first."""
    return (*BUILT_IN, *sorted({point.name for point in entry_points(group=GROUP)} - BUILT_IN.keys()))


def find(name: str) -> Callable[[Setup], Runtime]:
    """What makes the runtime of this name."""
    address = BUILT_IN.get(name) or next((each.value for each in entry_points(group=GROUP) if each.name == name), None)
    if address is None:
        close = get_close_matches(name, names(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(names())}"
        raise UserError(f"there is no runtime `{name}`", hint=hint)
    module, _, attribute = address.partition(":")
    try:
        return cast(Callable[[Setup], Runtime], getattr(import_module(module), attribute))
    except (ImportError, AttributeError) as wrong:
        raise EnvironmentProblem(
            f"the runtime `{name}` cannot be loaded from {address}: {wrong}",
            hint="the package that provides it is missing or broken; install it again",
        ) from wrong
