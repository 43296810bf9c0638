"""`andon verify`: the verdict on any change of a repository, without a pipeline. Nothing in the repository changes."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from andon.app.checker import ProjectChecker
from andon.app.interrupting import or_end
from andon.app.sandboxes import needed_sandbox
from andon.app.settings import load_settings
from andon.app.store import Store
from andon.app.verifier import SECONDS, ProjectVerifier
from andon.checks.tamper.dependencies import dependency_findings
from andon.checks.verifying.layers import ground_of
from andon.checks.verifying.oracle import read_cases
from andon.checks.verifying.sorting import sorted_out
from andon.domain.errors import UserError
from andon.domain.goal import Goal
from andon.domain.run import VERIFY, RunRow, Status
from andon.domain.verdict import Verdict
from andon.domain.verification import Question, Verification, finding_id
from andon.engine.ledger import Acceptance
from andon.engine.runs import new_run_id
from andon.ports import Prepared
from andon.workspace.checkout import tree_of_checkout
from andon.workspace.removal import remove_tree
from andon.workspace.repository import ANDON, Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.trees import StoredTrees

LEFT_SECONDS = 86400.0
_SHELL = re.compile(r"[|&;<>()$`*?~#]|\\$")
_STATUS = {Verdict.PASSED: Status.DONE, Verdict.FAILED: Status.FAILED}


@dataclass(frozen=True, slots=True)
class Request:
    repository: Path
    base: str
    head: str = "HEAD"
    worktree: bool = False
    """The files as they lie in the checkout, also those that are not committed."""
    commands: tuple[str, ...] = ()
    plan: Path | None = None
    oracle: Path | None = None
    accepted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Finding → why it may stay."""
    by: str = ""
    trust_host: bool = False
    seconds: float = SECONDS


@dataclass(frozen=True, slots=True)
class Verified:
    run: RunRow
    verification: Verification
    sandbox: str
    seconds: float
    preparing: float
    """Of these, what it took to have the environments ready."""
    began_at: str
    """The commit of the base where the change begins."""


async def verify(store: Store, request: Request, began: Callable[[str], None] = lambda name: None) -> Verified:
    started = time.monotonic()
    repository = Repository.open(request.repository)
    git = GitStore.open(store.home.repositories, repository)
    sandbox = needed_sandbox(store.home, request.trust_host)
    run_id = new_run_id()
    folder = _scratch(store, run_id)
    began_at = repository.fork_point(repository.resolve(request.base), _head_commit(repository, request))
    base = git.tree_of(began_at)
    tree = _head(git, repository, request)
    plan = _text(request.plan)
    cases = read_cases(request.oracle) if request.oracle else ()
    settings, _ = load_settings(store.home, repository.root, os.environ, {})
    told = settings.environment.model_dump(mode="json")
    checker = ProjectChecker(store.home.root, sandbox, request.trust_host, environment=told)
    bench = _Bench(StoredTrees(git, base), checker, folder, base, tree)
    try:
        accepted = {id: f"accepted by {request.by}: {why}" for id, why in request.accepted.items()}
        goals = await asyncio.to_thread(bench.goals, request.commands)
        question = Question(base, tree, goals, plan, accepted, seed=store.ledger.seed_of(base, tree))
        began_preparing = time.monotonic()
        prepared = await bench.prepare(question)
        preparing = time.monotonic() - began_preparing
        verifier = ProjectVerifier(
            bench.trees, checker, store.keep, cases, request.seconds, began, results=store.home.results
        )
        verification = await or_end(
            verifier.verify(question, folder / "trials", prepared), lambda: verifier.cancel(folder / "trials")
        )
    finally:
        await asyncio.to_thread(remove_tree, folder)
    git.set_ref(run_id, "verified", git.write_commit(tree, [], "verified", ANDON, int(time.time())))
    unknown = {*request.accepted} - {finding_id(each.finding) for each in verification.excused}
    notes = (*verification.notes, *(f"nothing was found that is called {id}" for id in sorted(unknown)))
    verification = replace(verification, notes=notes)
    row = _record(store, repository, request, run_id, began_at, question, verification)
    return Verified(row, verification, sandbox.tier, time.monotonic() - started, preparing, began_at)


def _scratch(store: Store, run_id: str) -> Path:
    """A folder for trials. What verifications left that were killed goes first, once nothing of them can be alive."""
    above = store.home.root / "verifications"
    for left in above.glob("*"):
        if time.time() - left.stat().st_mtime > LEFT_SECONDS:
            remove_tree(left)
    return above / run_id


@dataclass
class _Bench:
    """What the trials of one verification share: trees, and the environments of the base and of the change."""

    trees: StoredTrees
    checker: ProjectChecker
    folder: Path
    base: str
    tree: str

    def goals(self, commands: tuple[str, ...]) -> tuple[Goal, ...]:
        """As the base has them: whoever writes the change does not say what it is measured by."""
        before, after = self.folder / "base", self.folder / "head"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.trees.clean_copy(self.base, before)
        self.trees.clean_copy(self.tree, after)
        if commands:
            return (Goal("test", commands=tuple(map(_argv, commands))),)
        kept = {goal.name: goal for goal in self.checker.goals(before, None, False) if goal.commands}
        return tuple(
            kept.get(goal.name, goal)
            for goal in self.checker.goals(after, None, False)
            if goal.name not in ("custom", "interactive")
        )

    async def prepare(self, question: Question) -> dict[str, Prepared]:
        """From the base; for the new code from itself, where what it depends on changed and nothing objects."""
        base = await self.checker.prepare(self.folder / "base", self.folder / "prepare-base")
        change = await asyncio.to_thread(self.trees.change_set, self.base, self.tree)
        manifests = ground_of(self.trees, self.base, change).manifests
        against, _ = sorted_out(question, tuple(dependency_findings(change, manifests)))
        if against:
            return {self.base: base, self.tree: base}
        own = await self.checker.prepare(self.folder / "head", self.folder / "prepare-head")
        return {self.tree: own, self.base: base}


def _head_commit(repository: Repository, request: Request) -> str:
    return repository.head if request.worktree else repository.resolve(request.head)


def _head(git: GitStore, repository: Repository, request: Request) -> str:
    if request.worktree:
        return tree_of_checkout(git, repository.root, repository.head)
    return git.tree_of(_head_commit(repository, request))


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", "--plan names a Markdown file.") from error


def _argv(command: str) -> tuple[str, ...]:
    """Words, or what a shell is given, when it has words only a shell understands."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        words = ()
    if not words:
        raise UserError(f"{command!r} is no command", "--command takes a command line, such as --command 'make test'.")
    return ("sh", "-c", command) if _SHELL.search(command) else words


def _record(
    store: Store,
    repository: Repository,
    request: Request,
    run_id: str,
    began_at: str,
    question: Question,
    verification: Verification,
) -> RunRow:
    """A row and its evidence: every result, what was accepted, and last the verdict."""
    verdict = verification.verdict
    head = "the working tree" if request.worktree else request.head
    status = _STATUS.get(verdict, Status.NEEDS_PERSON)
    store.runs.create(
        run_id,
        {
            "pipeline": VERIFY,
            "task": f"verify {head} against {request.base}",
            "feature": "",
            "repository": str(repository.root),
            "branch": "",
            "status": str(status),
            "reason": str(verdict),
            "ended_at": time.time(),
            "spec": {
                "base": began_at,
                "tree": verification.tree,
                "trust_host": request.trust_host,
                "request": {"options": {"dry_run": True}},  # leaves no trace in the repository
            },
        },
    )
    ledger = store.ledger
    goals = {goal.name: goal for goal in question.goals}
    for number, result in enumerate(verification.results, start=1):
        # One that failed and passes compared with the base is no measurement that could be made again alone.
        alone = result.verdict.blocks or not any(result.exits)
        ledger.append(run_id, f"1.{number}", result, goals.get(result.goal) if alone else None)
    for excused in verification.excused:
        id = finding_id(excused.finding)
        if id in request.accepted:
            reason = store.redaction.text(request.accepted[id])
            accepted = Acceptance(id, excused.finding.message, request.by, reason, verification.tree)
            ledger.accept(run_id, f"1.accepted.{id}", accepted)
    ledger.append(run_id, "1.verdict", verification.as_result)
    return store.runs.get(run_id)
