"""What bounds the loops of UAM, and how it decides where the sources leave a choice (C-55, G-13, G-14, G-43).

Settings may replace single values; nothing here reads settings, and no other module repeats a number.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from andon.domain.errors import UserError
from andon.domain.uam.gates import FEWEST_RUNS, MOST_RUNS
from andon.domain.uam.state import MAX_FIX_LOOPS, MAX_ITERATION_TOKENS, MAX_TOKENS

NOBODY = "none"
MATURITY_MODES = ("explore", "standard", "strict")
MEANINGS = {
    "parallel": "Most TODOs that are worked on at the same time.",
    "reconciliations": "Further workers that a TODO gets whose commands do not pass, before it has failed.",
    "fix_loops": "Fix loops of the full pipeline.",
    "small_fixes": "Fix loops of the small pipeline.",
    "bugfix_attempts": "Attempts of `bugfix`.",
    "replans": "How often a person may send planning back to its start in one leg.",
    "total_tokens": "Tokens after which no further fix loop begins.",
    "iteration_tokens": "Most tokens of one fix loop.",
    "plan_seconds": "How long the question about the plan waits before the run proceeds.",
    "direction_seconds": "How long the question after a fix loop waits before the run goes on.",
    "scenario_runs": f"How often each scenario of Gate 3 may be tried: {FEWEST_RUNS} to {MOST_RUNS}.",
    "ask_each_loop": "Ask for the direction before every fix loop.",
    "maturity_mode": "What becomes of a discovery that no pivot point forbids: explore (told to all who follow), "
    "standard (one more TODO), strict (a person is asked).",
    "reviewers": "Further runtimes that review the change in Gate 2, such as `codex, gemini`; `none` for nobody. "
    "Unset: whichever other agents are installed.",
}
"""What each setting means, as the reference says it."""
_NUMBERS = ("parallel", "reconciliations", "fix_loops", "small_fixes", "bugfix_attempts", "replans")
_MAY_BE_ZERO = ("reconciliations", "replans")


class WrongUamSetting(UserError):
    """A value that cannot be, by the setting's name."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"uam.{name} is not {rule}", f"it must be {rule}")
        self.name = name
        self.rule = rule


@dataclass(frozen=True, slots=True)
class UamSettings:
    parallel: int = 4  # G-43
    reconciliations: int = 3  # C-37
    fix_loops: int = MAX_FIX_LOOPS  # C-55
    small_fixes: int = 3  # G-13
    bugfix_attempts: int = 3  # C-15
    replans: int = 3  # C-26
    total_tokens: int = MAX_TOKENS  # C-55
    iteration_tokens: int = MAX_ITERATION_TOKENS  # C-55
    plan_seconds: float = 30.0  # C-26
    direction_seconds: float = 30.0  # C-54
    scenario_runs: int = MOST_RUNS  # C-49
    ask_each_loop: bool = False  # C-54
    maturity_mode: str = "standard"  # G-14
    reviewers: str | None = None  # C-47

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            least = 0 if name in _MAY_BE_ZERO else 1
            if getattr(self, name) < least:
                raise WrongUamSetting(name, f"a whole number of at least {least}")
        for name in ("total_tokens", "iteration_tokens"):
            if getattr(self, name) <= 0:
                raise WrongUamSetting(name, "greater than 0")
        for name in ("plan_seconds", "direction_seconds"):
            if getattr(self, name) < 0:
                raise WrongUamSetting(name, "at least 0")
        if not FEWEST_RUNS <= self.scenario_runs <= MOST_RUNS:
            raise WrongUamSetting("scenario_runs", f"from {FEWEST_RUNS} to {MOST_RUNS}")
        if self.maturity_mode not in MATURITY_MODES:
            raise WrongUamSetting("maturity_mode", f"one of {', '.join(MATURITY_MODES)}")

    @property
    def named_reviewers(self) -> tuple[str, ...] | None:
        """None: nobody said whom to ask."""
        if self.reviewers is None:
            return None
        names = (each.strip() for each in self.reviewers.split(","))
        return tuple(dict.fromkeys(name for name in names if name and name != NOBODY))


NAMES = tuple(each.name for each in fields(UamSettings))
