"""What a run is given to work with. Built by the composition root, one per run; holds no behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from andon.domain.assignment import Assignment
from andon.engine.durable import Durable
from andon.engine.holds import Holds, Watcher
from andon.engine.journal import Journal
from andon.engine.ledger import Ledger
from andon.engine.reviews import Reviews
from andon.engine.runs import Runs
from andon.ports import Agents, CallResult, ChangeVerifier, Checker, Memory, Recorder, TeamMemory, Workspace

Render = Callable[[Assignment, str], tuple[str, str]]
"""(assignment, form of the reply) → (system prompt, prompt)."""
Connector = Callable[[tuple[str, ...]], CallResult]


@dataclass(frozen=True, slots=True)
class Shared:
    """One per process."""

    durable: Durable
    journal: Journal
    ledger: Ledger
    holds: Holds
    watcher: Watcher
    runs: Runs
    reviews: Reviews


@dataclass(frozen=True, slots=True)
class Services:
    """One per run."""

    shared: Shared
    folder: Path
    """The run's own folder in andon's data folder: orders, checks, worktree."""
    workspace: Workspace
    agents: Agents
    checker: Checker
    verifier: ChangeVerifier
    render: Render
    connectors: Mapping[str, Connector]
    visible: tuple[str, ...] = ()
    """Folders that prompts and documents name: with `--worktree` the run's own, then those of the runs it was forked
    from. Not in the run's payload, which a fork shares."""
    recorder: Recorder | None = None
    team_memory: TeamMemory | None = None
    """Of a team: what it shares above its files. None: it has only those."""
    memory: Memory | None = None
    """What the repository's runs learn. None: this one neither asks nor tells."""
    variables: Callable[[], Mapping[str, str]] = dict
    """Secrets that a person gave to the agents of the run, by the name of the variable."""
    branch: str = ""
    """Of a parallel worker; nothing for the run itself."""
