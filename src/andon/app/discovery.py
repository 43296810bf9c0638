"""Bare `auto`: looks at a repository tier by tier, stops at the first finding, and says what follows (A-150 to A-152).

A look costs no tokens and changes nothing. Starting the run that it proposes is another function's business.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from andon.app.checker import ProjectChecker
from andon.app.head import Head, head_of
from andon.app.home import Home
from andon.app.sandboxes import best_sandbox
from andon.app.settings import Settings, load_settings
from andon.app.start import checked_request, obstacle_to
from andon.app.starting import StartOptions
from andon.app.store import Store
from andon.app.wiring import Wiring
from andon.domain.auto.discovery import (
    TIERS,
    Choice,
    Tier,
    World,
    choose,
    context_nearly_full,
    finding,
    lint_task,
    tasks,
)
from andon.domain.auto.proposals import Source, proposals
from andon.domain.auto.todos import in_order, todos_of
from andon.domain.errors import UserError
from andon.domain.language import Language, detect
from andon.domain.run import RunRow, Status
from andon.domain.verdict import Verdict
from andon.workspace.git import split
from andon.workspace.repository import Repository

ISSUES = ("issue", "list", "--state", "open", "--limit", "100", "--json", "number,title")
MOST_FINDINGS = 100
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was looked at, and what was seen."""

    what: str
    seen: str
    """A verdict, or a number of things; `unknown` when nobody could say."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A command a person may want to use next."""

    command: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Discovery:
    repository: str
    head: str
    choice: Choice
    looks: tuple[Look, ...] = ()
    task: str = ""
    """What a run would be given. Empty: there is nothing to start."""
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    obstacle: UserError | None = None
    """Why the run could not be started now."""

    def as_json(self) -> dict[str, Any]:
        tier = self.choice.tier
        stands_in_the_way = {"message": self.obstacle.message, "hint": self.obstacle.hint} if self.obstacle else None
        return {
            "kind": "discovery",
            "repository": self.repository,
            "head": self.head,
            "tier": int(tier),
            "name": tier.name.lower(),
            "why": TIERS[tier][0],
            "responses": [str(response) for response in self.choice.responses],
            "findings": list(self.choice.findings),
            "looks": [{"what": look.what, "seen": look.seen, "note": look.note} for look in self.looks],
            "task": self.task,
            "steps": [{"command": step.command, "meaning": step.meaning} for step in self.steps],
            "notes": list(self.notes),
            "obstacle": stands_in_the_way,
        }


def discover(options: StartOptions, environment: Mapping[str, str], tell: Tell) -> Discovery:
    """What there is to do here, and why that first. `tell` hears what is being looked at, as it happens."""
    checked_request(options.words)
    repository = Repository.open(options.repository.absolute())
    home = Home.of(environment)
    settings, notes = load_settings(home, repository.root, environment, options.settings)
    store = Store.open(home, environment)
    wiring = Wiring(store, environment)
    told = settings.environment.model_dump(mode="json")
    checker = ProjectChecker(home.root, best_sandbox(home), settings.trust_host, environment=told)
    runs = [run for run in store.runs.newest(1000, str(repository.root)) if not (_is_dry(run) and run.status.ended)]
    with head_of(store, repository, checker) as head:
        walk = _Walk(store, repository, wiring, head, runs, tell)
        choice = walk.choice(environment)
    found = Discovery(str(repository.root), repository.head, choice, tuple(walk.looks), notes=tuple(notes))
    return _with_what_follows(found, walk, options, settings)


def _is_dry(run: RunRow) -> bool:
    return bool(run.spec.get("request", {}).get("options", {}).get("dry_run"))


@dataclass(slots=True)
class _Walk:
    """Down the tiers, and no further than the first that has a finding."""

    store: Store
    repository: Repository
    wiring: Wiring
    head: Head
    runs: list[RunRow]
    tell: Tell
    looks: list[Look] = field(default_factory=list[Look])
    world: World = field(default_factory=World)
    unfinished: tuple[RunRow, ...] = ()

    def choice(self, environment: Mapping[str, str]) -> Choice:
        self.unfinished = tuple(run for run in self.runs if self._can_go_on(run))
        self.world = World(
            context_nearly_full=context_nearly_full(environment),
            unfinished=tuple(map(self._told, self.unfinished)),
        )
        for look in (self._urgent, self._work, self._support, self._quality):
            if choose(self.world).tier is not Tier.AUTONOMOUS:
                break
            look()
        return choose(self.world)

    def _can_go_on(self, run: RunRow) -> bool:
        """A run in execution or interrupted; or the newest one, if it ended short of its goal and HEAD still stands
        where it started. Once somebody has committed since, the run is history."""
        if not run.status.ended:
            return True
        newest = run.id == self.runs[0].id
        return newest and run.status is not Status.DONE and run.spec.get("base") == self.repository.head

    def _told(self, run: RunRow) -> str:
        status = str(self.store.status(run)).replace("_", " ").replace("needs user", "needs you")
        return finding(f"run {run.id} ({status}): {run.task}")

    def _urgent(self) -> None:
        broken = tuple(each for goal in ("build", "test") for each in self._failures(goal))
        self.world = replace(self.world, broken=broken)

    def _work(self) -> None:
        self.tell("Looking for open to-dos and issues")
        todos = in_order([todo for path, text in self.head.texts.items() for todo in todos_of(path, text)])
        self.looks.append(Look("to-dos", str(len(todos)), "not all files were read" if self.head.read_in_part else ""))
        found = tuple(finding(todo.finding) for todo in todos[:MOST_FINDINGS])
        self.world = replace(self.world, todos=found, issues=self._issues())

    def _issues(self) -> tuple[str, ...]:
        said = self.wiring.gh(ISSUES, self.repository.root)
        listed = _issues_in(said.output) if said.available and said.code == 0 else None
        if listed is None:
            self.looks.append(Look("issues", "unknown", finding(said.output or "gh said nothing")))
            return ()
        self.looks.append(Look("issues", str(len(listed))))
        return listed

    def _support(self) -> None:
        names = split(self.repository.git.call("diff", "--cached", "--name-only", "-z"))
        self.looks.append(Look("staged files", str(len(names))))
        staged = tuple(finding(name) for name in names[:MOST_FINDINGS])
        self.world = replace(self.world, staged=staged, lint_errors=self._failures("lint"))

    def _quality(self) -> None:
        self.tell("Looking for what could be better")
        found = (*proposals(Source(path, text) for path, text in self.head.texts.items()), *self._missing_tools())
        self.world = replace(self.world, quality=tuple(finding(each) for each in found))

    def _missing_tools(self) -> list[str]:
        python, node = self.head.project.python, self.head.project.node
        return [
            proposal
            for missing, proposal in (
                (python and python.has_code and not python.ruff, "pyproject.toml: no rules for a linter (ruff)"),
                (python and python.has_code and not (python.mypy or python.pyright), "pyproject.toml: no type checker"),
                (node and not node.eslint, "package.json: no linter (eslint)"),
            )
            if missing
        ]

    def _failures(self, goal: str) -> tuple[str, ...]:
        """Only what was measured as failed counts; what could not be measured is said, and nothing follows from it."""
        planned = self.head.goal(goal)
        if planned.commands:
            if not self.head.is_prepared:
                self.tell("Preparing what checks run with; the first time that can take a minute")
            self.tell(f"Measuring {goal} on a clean copy of HEAD: {' && '.join(' '.join(c) for c in planned.commands)}")
        result, places = self.head.measure(goal)
        note = finding(self.store.redaction.text(result.reason))
        self.looks.append(Look(goal, str(result.verdict), note))
        if result.verdict is not Verdict.FAILED:
            return ()
        return tuple(finding(f"{goal}: {self.store.redaction.text(place)}") for place in places[:MOST_FINDINGS])


def _issues_in(output: str) -> tuple[str, ...] | None:
    """`#12: title`, oldest first. None when it is not what was asked for."""
    try:
        listed: object = json.loads(output or "[]")
    except ValueError:
        return None
    if not isinstance(listed, list):
        return None
    rows = [cast("dict[str, Any]", row) for row in cast("list[object]", listed) if isinstance(row, dict)]
    numbered = sorted((row["number"], str(row.get("title", ""))) for row in rows if isinstance(row.get("number"), int))
    return tuple(finding(f"#{number}: {title}") for number, title in numbered)


def _with_what_follows(found: Discovery, walk: _Walk, options: StartOptions, settings: Settings) -> Discovery:
    choice, language = found.choice, _language(settings, found.choice)
    match choice.tier:
        case Tier.CONTEXT:
            return replace(found, steps=_advice(walk))
        case Tier.URGENT | Tier.WORK:
            return _with_task(found, walk, tasks(choice, language), options, settings)
        case Tier.SUPPORT:
            return replace(found, steps=_support_steps(walk.world, language))
        case _:
            shown = tuple(Step(_auto(task), "Have the first one done.") for task in tasks(choice, language)[:1])
            return replace(found, steps=shown)


def _with_task(
    found: Discovery, walk: _Walk, candidates: tuple[str, ...], options: StartOptions, settings: Settings
) -> Discovery:
    """The first task that no run has done already: such work waits on its branch, and is not paid for twice."""
    done = {run.task: run for run in walk.runs if run.status is Status.DONE and run.spec.get("base") == found.head}
    waiting = [done[task] for task in candidates if task in done]
    steps = [Step(f"git merge {run.branch}", f"What run {run.id} did about it already.") for run in waiting]
    task = next((task for task in candidates if task not in done), "")
    if task:
        steps += [
            Step("andon auto --yes", "Look again and start, without being asked."),
            Step(_auto(task), "Start exactly this."),
        ]
    obstacle = obstacle_to(walk.repository, options, settings, walk.wiring.environment) if task else None
    return replace(found, task=task, steps=tuple(steps), obstacle=obstacle)


def _language(settings: Settings, choice: Choice) -> Language:
    """The one that is set; else that of the text a task is made from, which for failing checks is English."""
    if settings.language != "auto":
        return Language(settings.language)
    return detect(choice.findings[0]) if choice.tier is Tier.WORK else Language.EN


def _advice(walk: _Walk) -> tuple[Step, ...]:
    if walk.world.context_nearly_full:
        return CONTEXT_STEPS
    return tuple(_way_on(walk.store, run) for run in walk.unfinished)


CONTEXT_STEPS = (
    Step("/clear", "Empty the context of the session andon runs in; or leave it and begin with `claude --continue`."),
    Step("/auto resume", "Then go on with the newest run here; in a shell: andon resume."),
)


def _way_on(store: Store, run: RunRow) -> Step:
    match store.status(run):
        case Status.WAITING:
            return Step(f"andon answer {run.id}", "It waits for an answer.")
        case Status.RUNNING:
            return Step(f"andon watch {run.id}", "Another process executes it.")
        case _:
            return Step(f"andon resume {run.id}", "Go on with it; or give a task, and it is left alone.")


def _support_steps(world: World, language: Language) -> tuple[Step, ...]:
    commit = (Step("git diff --cached", "What is staged."), Step("git commit", "Commit it.")) if world.staged else ()
    check = (Step(_auto(lint_task(world.lint_errors, language)), "Have it repaired."),) if world.lint_errors else ()
    return (*commit, *check)


def _auto(task: str) -> str:
    return f"andon auto {shlex.quote(task)}"
