"""The state one run of `uam` carries from phase to phase, how it words assignments and records where it stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.assignment import Assignment
from andon.domain.auto.status import moment
from andon.domain.goal import Goal
from andon.domain.language import LANGUAGE_NAMES, Language
from andon.domain.order import Tier
from andon.domain.uam import agents, state
from andon.domain.uam.artefacts import FOLDER, STATE_PATH
from andon.domain.uam.plan import Plan
from andon.domain.uam.words import BUGFIX, FULL, SMALL
from andon.domain.uam_settings import UamSettings
from andon.domain.verdict import CheckResult
from andon.pipelines.uam.failures import Failures
from andon.pipelines.uam.wording import word
from andon.ports import Run

WRITING_SECONDS, READING_SECONDS = 3600.0, 1200.0
"""Of one order: to whoever works on the code and runs its tests, and to whoever reads and judges."""
FATAL = ("unauthenticated",)
"""Outcomes of a teammate that no other one could better."""
USER = "qa-tester"
"""Who tries scenarios as a user would: none of the twelve, who all had a part in the work."""


@dataclass(frozen=True, slots=True)
class Approved:
    """The commands of a plan as they were approved: nobody changes what work is judged by on the way."""

    todos: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def all(self) -> frozenset[str]:
        return frozenset(command for commands in (*self.todos.values(), *self.tiers.values()) for command in commands)

    def as_json(self) -> dict[str, Any]:
        todos = {str(number): list(commands) for number, commands in self.todos.items()}
        return {"todos": todos, "tiers": {tier: list(commands) for tier, commands in self.tiers.items()}}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Approved:
        todos = {int(number): tuple(commands) for number, commands in told.get("todos", {}).items()}
        return cls(todos, {tier: tuple(commands) for tier, commands in told.get("tiers", {}).items()})


@dataclass(frozen=True, slots=True)
class LaneState:
    """How far a TODO's worker is whose work is not in the run's files yet."""

    name: str
    base: str
    tree: str
    attempt: int = 0
    done: bool = False
    """It has handed its work in; what is left is to measure it."""


@dataclass
class Course:
    run: Run
    task: str
    feature: str
    kind: str
    """full, small or bugfix."""
    language: Language
    settings: UamSettings
    created_at: float
    agent_seconds: float | None = None
    role_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    role_tiers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Chosen by a person, before whatever else decides (C-71)."""
    reviewers: tuple[tuple[str, bool], ...] = ()
    """Other programs that may review the change, and whether each is there."""
    history: tuple[str, ...] = ()
    """Subjects of the project's newest commits."""
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Findings a person accepts, by id, with the reason."""
    direction: str = ""
    """What a person said when they resumed the run, until a teammate that plans or writes code has been told."""
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    plan: Plan = field(default_factory=Plan)
    plan_text: str = ""
    broken: str = ""
    """What cannot be read in PLAN.md as it stands there now; `plan` is then the last that could be."""
    approved: Approved = field(default_factory=Approved)
    verified: frozenset[int] = frozenset()
    """TODOs whose commands andon saw pass. Any other tick is a claim."""
    lanes: tuple[LaneState, ...] = ()
    goals: tuple[Goal, ...] = ()
    """What the project itself measures, frozen when the plan was approved."""
    failures: Failures = field(default_factory=Failures)
    """What the last evaluation of the gates found."""
    known: tuple[CheckResult, ...] = ()
    """What was measured of the present tree."""
    told_problems: frozenset[str] = frozenset()
    """Of PLAN.md: each is told once."""
    learned: tuple[str, ...] = ()
    """What discoveries told all who work from then on (maturity mode `explore`)."""
    warnings: tuple[str, ...] = ()
    approaches: tuple[str, ...] = ()
    """What fix loops tried, for one that must try something else."""
    used_before: int = 0
    """Tokens of earlier legs: who resumes a run wants more."""
    fixing: str = ""
    """The session that fixes: its teammate's name, until a reset."""
    unreviewed: str = ""
    """SKIPPED or DEGRADED, when nobody reviewed the change."""
    recorded: tuple[Any, ...] = ()
    """How the sprint stood when the state was last written."""

    # --- words --------------------------------------------------------------------------------------------------

    @property
    def team(self) -> str:
        return f"uam-{self.feature}"

    @property
    def small(self) -> bool:
        return self.kind != FULL

    def stretch(self, phase: str) -> str:
        """What the journal calls it: the small pipeline has three phases, `bugfix` one (C-17)."""
        if self.kind == BUGFIX:
            return "fix"
        return "gate" if self.kind == SMALL and phase in ("fix", "finalize") else phase

    @property
    def most_fixes(self) -> int:
        return self.settings.small_fixes if self.kind == SMALL else self.settings.fix_loops

    @property
    def tokens(self) -> int:
        return sum(mate.usage.tokens for mate in self.run.team)

    def word(self, key: str, **values: object) -> str:
        return word(self.language, key, **values)

    async def warn(self, text: str) -> None:
        self.warnings = (*self.warnings, text)
        await self.run.say("warning", text=text)

    async def notify(self, text: str) -> None:
        """Something a person should know now."""
        await self.run.say("user_notified", text=text)

    # --- assignments --------------------------------------------------------------------------------------------

    def assignment(
        self,
        agent: str,
        name: str,
        prompt: str,
        *,
        writes: tuple[str, ...] = (),
        raised: Mapping[str, Any] | None = None,
        continues: bool = False,
        tokens: int | None = None,
        directed: bool = False,
        known: Mapping[str, str] | None = None,
        **values: str,
    ) -> Assignment:
        """Work for one agent of the catalogue. `raised` are the conditions that raise its tier (C-72)."""
        direction = self.direction if directed else ""
        if directed:
            self.direction = ""
        seconds = WRITING_SECONDS if writes else READING_SECONDS
        return Assignment(
            role=agent,
            name=name,
            prompt=f"uam/{prompt}",
            tier=self._tier(agent, raised or {}),
            values={"task": self.task, "language": LANGUAGE_NAMES[self.language], **(known or {}), **values},
            writes=writes,
            keeps=(FOLDER,) if writes else (),  # what the run is judged by: its plan, its scenarios, its state
            direction=direction,
            continues=continues,
            message=self.word("start", name=name),
            seconds=self.role_seconds.get(agent) or self.agent_seconds or seconds,
            tokens=tokens,
        )

    def _tier(self, agent: str, raised: Mapping[str, Any]) -> Tier:
        chosen = self.role_tiers.get(agent, "")
        if agent == USER:
            return Tier(chosen or Tier.SONNET)
        return Tier(chosen or agents.tier_of(agent, **raised))

    # --- state.json ---------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return str(self.state.get("current_phase") or state.PLAN)

    def change(self, **values: Any) -> None:
        self.state = {**self.state, **values}

    def gates(self, **values: Any) -> None:
        self.change(gate_results={**state.mapping(self.state.get("gate_results")), **values})

    @property
    def standing(self) -> tuple[Any, ...]:
        """How far the sprint is, in what the state says of it."""
        return self.lanes, self.verified, self.state.get("sprint_status")

    async def record(self) -> None:
        """Write .uam/state.json; keys of strangers that stand there stay."""
        self.recorded = self.standing
        usage = [mate.usage for mate in self.run.team]
        cost = {"total_tokens": self.tokens, "max_total_tokens": self.settings.total_tokens}
        cost |= {"estimated_usd": round(sum(each.money for each in usage), 4)}
        lanes = [{"name": each.name, "base": each.base, "tree": each.tree} for each in self.lanes]
        for told, each in zip(lanes, self.lanes, strict=True):
            told |= {"attempt": each.attempt, "done": each.done}
        self.change(cost=cost, lanes=lanes, verified=sorted(self.verified), updated_at=moment(self.run.moved_at))
        self.change(approaches=list(self.approaches), learned=list(self.learned))
        ours = self.state

        def change(before: str | None) -> str:
            theirs, _ = state.read(before) if before else ({}, "")
            # A phase that was left has no mark any more of where it was left.
            kept = {key: value for key, value in theirs.items() if key != "cancelled_from"}
            return json.dumps({**kept, **ours}, ensure_ascii=False, indent=2) + "\n"

        await self.run.amend(STATE_PATH, change)

    async def enter(self, phase: str) -> None:
        """The next phase of the pipeline, in the file that everybody reads."""
        before = self.state.get("current_phase")
        self.change(current_phase=phase)
        await self.record()
        if before != phase:
            await self.run.say("phase_changed", before=before, phase=phase)
