"""Which sandbox this machine gets, tried once per process."""

from __future__ import annotations

from functools import cache

from andon.app.home import Home
from andon.domain.errors import EnvironmentProblem
from andon.ports import Sandbox
from andon.workspace.sandbox import best

_best = cache(best)


def best_sandbox(home: Home) -> Sandbox:
    return _best(home.root / "sandbox")


def needed_sandbox(home: Home, trust_host: bool) -> Sandbox:
    """The sandbox runs get here; an EnvironmentProblem when there is none and nobody chose to do without."""
    sandbox = best_sandbox(home)
    if not sandbox.confines and not trust_host:
        raise EnvironmentProblem(
            "There is no working sandbox on this machine",
            "`andon doctor` says why and what to do. --trust-host does without; the evidence then says so.",
        )
    return sandbox
