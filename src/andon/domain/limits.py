"""The constants that bound every loop of `auto`, in one place (E-15, E-16).

Settings may replace single values; nothing here reads settings, and no other module repeats a number.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from andon.domain.errors import UserError

MAY_BE_ZERO = frozenset(
    {
        "light_plan_rerequests",
        "critic_lite_passes",
        "critic_lite_revisions",
        "plan_completion_requests",
        "rejection_bonus",
        "diagnosis_rerequests",
        "e2e_fixes",
        "respawns",
        "gap_threshold",
        "coverage_warning",
    }
)
LEAST_CHARACTERS = 500
"""Of a material in a prompt: with less, its beginning and its end say nothing."""
MOST_OUTPUT = 7_500
"""Of what a check printed: hardly more than that is at hand when a prompt is worded."""
PERCENTAGES = frozenset({"gap_threshold", "coverage_warning"})
MEANINGS = {
    "plan_iterations": "HEAVY: rounds of planner and critic.",
    "feedback_tokens": "HEAVY: most tokens of a critic's feedback.",
    "feedback_kept": "HEAVY: how many of the newest feedbacks the planner sees.",
    "light_plan_characters": "LIGHT: a plan shorter than this is asked for again.",
    "light_plan_rerequests": "LIGHT: how often a plan that falls short is asked for again.",
    "critic_lite_passes": "STANDARD: readings by the Critic-Lite.",
    "critic_lite_revisions": "STANDARD: revisions it may ask for.",
    "plan_completion_requests": "STANDARD, HEAVY: how often missing sections are asked for before a person is.",
    "implementation_iterations": "STANDARD, HEAVY: verifications of the impl-manager.",
    "implementation_restart_at": "STANDARD, HEAVY: where its count begins again after a resume near its end.",
    "architect_rejections": "STANDARD, HEAVY: rejections at the architect gate.",
    "qa_cycles_light": "LIGHT: cycles of checks.",
    "qa_cycles_standard": "STANDARD: cycles of checks.",
    "qa_cycles_heavy": "HEAVY: cycles of checks.",
    "same_failure": "How often the same failure may come before the cycles end.",
    "diagnosis_rerequests": "STANDARD, HEAVY: how often a diagnosis that cannot be used is asked for again.",
    "gap_threshold": "STANDARD, HEAVY: per cent of the design that must be there.",
    "e2e_fixes": "STANDARD, HEAVY: how often failing end-to-end tests are debugged.",
    "phase4_reentries": "How often Phase 4 is entered again.",
    "cumulative_improvements": "Improvements over the whole run.",
    "iterator_repetitions": "STANDARD, HEAVY: repetitions of gap improvement.",
    "rejection_bonus": "Further improvements after a rejection.",
    "coverage_warning": "Per cent of test coverage below which there is a warning.",
    "promotion_build_failures": "Failed builds that promote LIGHT to STANDARD.",
    "promotion_qa_cycles": "Cycles of checks that promote STANDARD to HEAVY.",
    "promotion_files": "Affected files that promote LIGHT and STANDARD to HEAVY.",
    "slack_messages": "Most messages read from Slack.",
    "gmail_messages": "Most messages read from Gmail.",
    "respawns": "Successors of a teammate that crashes, hangs or babbles.",
    "prompt_plan_characters": "Most characters of a plan that go into a prompt.",
    "prompt_feedback_characters": "Most characters of a critic's feedback that go into a prompt.",
    "prompt_task_characters": "Most characters of the task that go into a prompt.",
    "prompt_messages_characters": "Most characters of what Slack or Gmail said that go into a prompt.",
    "prompt_output_characters": "Most characters of what a check printed that go into a prompt.",
    "prompt_other_characters": "Most characters of any other material that go into a prompt.",
    "interactive_seconds": "How long an `--interactive` question waits. Unset: for ever.",
}
"""What each limit bounds, as the reference says it."""


class WrongLimit(UserError):
    """A limit that does not limit, by name."""

    def __init__(self, name: str, value: float, rule: str) -> None:
        super().__init__(f"limit {name} is {value}", f"it must be {rule}")
        self.name = name
        self.rule = rule


@dataclass(frozen=True, slots=True)
class AutoLimits:
    """Defaults are the table of E-15; the comment names the requirement a value comes from."""

    plan_iterations: int = 5
    feedback_tokens: int = 5_000
    feedback_kept: int = 3
    light_plan_characters: int = 50
    light_plan_rerequests: int = 1
    critic_lite_passes: int = 1
    critic_lite_revisions: int = 1
    plan_completion_requests: int = 2
    implementation_iterations: int = 10
    implementation_restart_at: int = 5
    architect_rejections: int = 2
    qa_cycles_light: int = 1
    qa_cycles_standard: int = 3
    qa_cycles_heavy: int = 5
    same_failure: int = 3
    diagnosis_rerequests: int = 1  # E-06
    gap_threshold: int = 90  # A-116, per cent
    e2e_fixes: int = 2
    phase4_reentries: int = 3  # A-127, compared with >=
    cumulative_improvements: int = 5  # A-128, compared with >=
    iterator_repetitions: int = 5
    rejection_bonus: int = 2
    coverage_warning: int = 80  # A-121, per cent
    promotion_build_failures: int = 2
    promotion_qa_cycles: int = 3
    promotion_files: int = 5
    slack_messages: int = 100
    gmail_messages: int = 20
    respawns: int = 1
    prompt_plan_characters: int = 40_000  # G-37, as all that follow
    prompt_feedback_characters: int = 40_000  # room for what A-54 keeps
    prompt_task_characters: int = 20_000
    prompt_messages_characters: int = 60_000
    prompt_output_characters: int = 3_000
    prompt_other_characters: int = 16_000
    interactive_seconds: float | None = None
    """E-16: an `--interactive` question waits for ever; empty input takes the default."""

    def __post_init__(self) -> None:
        """A limit that does not limit would make a loop endless (E-18)."""
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None:
                continue
            lowest = LEAST_CHARACTERS if each.name.startswith("prompt_") else int(each.name not in MAY_BE_ZERO)
            if value < lowest:
                raise WrongLimit(each.name, value, f"at least {lowest}")
            if each.name == "prompt_output_characters" and value > MOST_OUTPUT:
                raise WrongLimit(each.name, value, f"at most {MOST_OUTPUT}")
            if each.name in PERCENTAGES and value > 100:
                raise WrongLimit(each.name, value, "a percentage: 0 to 100")
