"""The few protocols at which pipelines and adapters meet. No behaviour lives here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from andon.domain.assignment import Assignment, TeamRecord
from andon.domain.files import Branch, Change, Merged
from andon.domain.goal import Goal
from andon.domain.order import Order, Question, Reply
from andon.domain.verdict import CheckResult, Finding

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start, complete: nothing is inherited from the orchestrator but what stands here."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a supervised process may use before its supervisor ends it."""

    seconds: float
    output_bytes: int = 64 * 1024 * 1024
    """Kept of each stream; the rest is read and thrown away, and the exit says so."""
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    """Growth allowed below `disk_folder`."""
    disk_folder: str | None = None
    lease_seconds: float = 600.0
    """How long it outlives a vanished orchestrator."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a supervised process ended."""

    reason: str
    """exited, timeout, cancelled, memory, disk, lease, unstartable, or lost: its supervisor was killed meanwhile."""
    code: int | None = None
    """Exit status, when it exited by itself."""
    signal: int | None = None
    seconds: float = 0.0
    truncated: bool = False
    """More was printed than was kept."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    source: str
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a confined process may see and touch. Everything not named is absent or read-only."""

    folder: str
    """The workspace: always visible at its own path, read-only unless listed in `writable`."""
    writable: tuple[str, ...] = ()
    """Absolute paths inside or outside `folder` that may be written."""
    readable: tuple[str, ...] = ()
    """Absolute paths outside the allow-listed system root that may be read."""
    mounts: tuple[Mount, ...] = ()
    """Further paths that appear somewhere else (a disposable .git, node_modules)."""
    network: bool = False
    home: str | None = None
    """A folder to use as HOME, writable. None: an empty private one."""


class Sandbox(Protocol):
    @property
    def tier(self) -> str:
        """bwrap+cgroup, bwrap+limits, landlock, or none: part of the evidence."""
        ...

    @property
    def confines(self) -> bool:
        """Whether a measurement made in it counts without a person's --trust-host."""
        ...

    @property
    def mounts(self) -> bool:
        """Whether it can show a folder somewhere else than where it is."""
        ...

    def confine(self, command: Command, confinement: Confinement) -> Command:
        """The same command, wrapped so that the kernel enforces the confinement."""
        ...

    def setup_failure(self, code: int | None, stderr: bytes) -> str | None:
        """The sandbox's own complaint, if the confined program never started: that is never a verdict."""
        ...


class Runtime(Protocol):
    """Translates: an order into a command to run, and what that command left behind into a reply."""

    @property
    def name(self) -> str: ...

    def command(self, order: Order, folder: Path) -> Command:
        """How to start the agent for this order. `folder` is the order's own; the runtime may write files to it."""
        ...

    def readable(self, order: Order, folder: Path) -> tuple[str, ...]:
        """Paths the agent program needs to read besides the workspace (its own installation)."""
        ...

    def reply(self, order: Order, folder: Path, exit: Exit) -> Reply:
        """Read the reply out of `folder`/stdout and the exit. Never raises for what an agent printed."""
        ...


class Agents(Protocol):
    """Carries out orders: starts the agent under supervision, or attaches to the one that is already working."""

    async def carry_out(self, order: Order, folder: Path, git: Path | None) -> Reply: ...

    async def cancel(self, folder: Path) -> None:
        """End the agent and everything it started, and return when it is gone."""
        ...


class Workspace(Protocol):
    """The files one run works on: a git tree whose gitdir, index and configuration andon owns."""

    @property
    def folder(self) -> Path: ...
    @property
    def base(self) -> str:
        """Tree id the run started from."""
        ...

    def ensure(self, tree: str) -> None:
        """Make the folder exist; when it has to be made anew, with the content of `tree`."""
        ...

    def snapshot(self, label: str, at: float) -> str:
        """Keep the folder's present content under a ref andon owns; returns the tree id."""
        ...

    def restore(self, tree: str) -> None: ...

    def changes(self, before: str, after: str) -> list[Change]: ...

    def diff(self, before: str, after: str, whole: Sequence[str] = ()) -> str:
        """Of everything; or of the files named, from their first line to their last."""
        ...

    def paths(self, tree: str) -> list[str]:
        """Every file of a tree."""
        ...

    def beside(self, name: str) -> Workspace:
        """Another folder of the same run, for a parallel worker. Made when it is first used."""
        ...

    def merge(self, onto: str, branches: Sequence[Branch], at: float) -> Merged:
        """`onto` with the work of the branches that fit, one after the other."""
        ...

    def clean_copy(self, tree: str, folder: Path) -> None: ...

    def disposable_git(self, folder: Path) -> None: ...

    def discard(self, folder: Path) -> None:
        """Remove a folder that strangers' code shaped: any depth, any mode."""
        ...

    def publish(self, tree: str, message: str, at: float) -> str:
        """One commit with this tree on the run's branch in the person's repository; returns its id."""
        ...

    def read(self, path: str) -> str | None: ...

    def write(self, path: str, text: str) -> None: ...

    def drop(self, paths: Sequence[str]) -> None:
        """Remove these files; those that are gone already do not matter."""
        ...

    def mirror(self, path: str, text: str) -> None:
        """Write a state file into the person's checkout as well."""
        ...

    def remove(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """An environment for checks: ready under `digest`, or the reason why not."""

    digest: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the checker needs to use it again; opaque to everyone else."""
    problem: str = ""
    fix: str = ""


class Checker(Protocol):
    """Measures. Knows project kinds, prepares environments, runs goals in the sandbox."""

    def goals(self, copy: Path, custom: str | None, interactive: bool) -> tuple[Goal, ...]: ...

    def traits(self, copy: Path) -> frozenset[str]:
        """What the project is made with, as far as it matters to how it is judged: `react`, `next` …"""
        ...

    def further_goals(self, copy: Path) -> tuple[Goal, ...]:
        """e2e, e2e-details and coverage: measured besides the six goals."""
        ...

    async def prepare(self, copy: Path, scratch: Path) -> Prepared: ...

    async def measure(
        self, goal: Goal, tree: str, copy: Path, scratch: Path, prepared: Prepared, git: Path | None, seconds: float
    ) -> tuple[CheckResult, bytes]:
        """The result, and the whole kept output for the content store."""
        ...

    def compare(self, goal: Goal, before: CheckResult, old: str, now: CheckResult, new: str) -> CheckResult: ...

    async def cancel(self, scratch: Path) -> None: ...


class Contract(Protocol[T_co]):
    """The form a reply must have."""

    @property
    def instruction(self) -> str:
        """What the prompt says about the form."""
        ...

    @property
    def retries(self) -> int:
        """How often a reply in the wrong form is asked for again."""
        ...

    def parse(self, text: str) -> T_co:
        """Raises ContractError. Where the grammar has a safe default, returns that instead."""
        ...


class Run(Protocol):
    """All a pipeline can do. Every verb is durable: finished ones are never repeated after a crash."""

    @property
    def id(self) -> str: ...
    @property
    def base(self) -> str: ...
    @property
    def team(self) -> tuple[TeamRecord, ...]: ...
    @property
    def moved_at(self) -> float: ...  # when the last step was recorded, or the leg began

    @property
    def folder(self) -> str:
        """Where its files lie."""
        ...

    @property
    def tree(self) -> str:
        """The tree after the last step that changed it."""
        ...

    @property
    def name(self) -> str:
        """Of a branch; nothing for the run itself."""
        ...

    @property
    def began(self) -> str:
        """Of a branch: the run's tree when it began."""
        ...

    async def ask(self, assignment: Assignment, contract: Contract[T]) -> T:
        """One order to a fresh agent instance; its reply in the form of the contract. Raises TeammateFailed."""
        ...

    async def ask_all(self, works: Sequence[tuple[Run, Assignment, Contract[T]]]) -> tuple[T, ...]:
        """One order to each at the same time, on branches if they write, with equal parts of the budget that is left.
        Who needs more is asked again, alone. What fails is raised when all have ended."""
        ...

    def branch(self, name: str, tree: str = "", began: str = "") -> Run:
        """The same run on files of its own, which are as in the present tree unless told. `began` is the tree that an
        earlier leg began the branch with. Verbs of several branches may be gathered, one of each at a time."""
        ...

    async def merge(self, branches: Sequence[Run]) -> Merged:
        """Bring the work of branches into the present tree, in order. A branch that does not fit stays as it is."""
        ...

    async def goals(
        self, custom: str | None, interactive: bool, frozen: tuple[Goal, ...] = (), *, at_base: bool = False
    ) -> tuple[Goal, ...]:
        """What there is to measure on the present tree, or was on the base. Frozen goals keep their commands."""
        ...

    async def traits(self) -> frozenset[str]:
        """What the present tree is made with: `react`, `next` …"""
        ...

    async def further_goals(self, frozen: tuple[Goal, ...] = (), *, at_base: bool = False) -> tuple[Goal, ...]:
        """End-to-end tests, the same with details, and coverage; `frozen` and `at_base` as in `goals`."""
        ...

    async def prepare(self, *, at_base: bool = False) -> None:
        """Build, freeze and remember the environment checks run in: what the present tree asks for, or the base."""
        ...

    async def check(self, goal: Goal, *, at_base: bool = False) -> CheckResult:
        """andon measures the goal on a clean copy of the present tree, or the base; evidence goes into the ledger."""
        ...

    async def compare(self, goal: Goal, before: CheckResult, now: CheckResult) -> CheckResult:
        """A failure as far as the base, measured as `before`, does not have it too; evidence goes into the ledger."""
        ...

    async def check_all(self, goals: Sequence[Goal]) -> tuple[CheckResult, ...]:
        """Several goals side by side."""
        ...

    async def hold(self, question: Question) -> str: ...

    async def accept(self, finding: str, text: str, reason: str) -> None:
        """Record in the ledger that whoever answered last accepts a finding on the present tree."""
        ...

    async def say(self, kind: str, /, **data: Any) -> None: ...

    async def mark(self, *, mode: str) -> None:
        """Show the mode wherever runs are listed."""
        ...

    def phase(self, name: str) -> AbstractAsyncContextManager[None]: ...

    async def read(self, path: str) -> str | None: ...

    async def write(self, path: str, text: str, *, state: bool = False) -> None:
        """An artefact, atomically. A state file is mirrored to the person's checkout."""
        ...

    async def drop(self, paths: Sequence[str]) -> None:
        """The present tree without these files; those that are gone already do not matter."""
        ...

    async def changes(self) -> tuple[Change, ...]:
        """What differs between the base and the present tree."""
        ...

    async def existing(self, patterns: Sequence[str]) -> frozenset[str]:
        """Those of the given paths, folders and globs that the present tree has something for."""
        ...

    async def findings(
        self, rule: Callable[[str], Sequence[Finding]], whole: Sequence[str] = ()
    ) -> tuple[Finding, ...]:
        """What a pure rule finds in the diff between the base and the present tree, which is not kept: in all of it, or
        in the files named, which it then shows from their first line to their last."""
        ...

    async def commit(self, message: str) -> str:
        """Publish the present tree as one commit on the run's branch."""
        ...

    async def call(self, connector: str, *words: str) -> CallResult:
        """Something outside: gh, notifications."""
        ...

    async def remove_workspace(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CallResult:
    available: bool
    code: int = 0
    output: str = ""
