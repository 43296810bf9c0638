"""`andon uam`: start a pipeline, show, cancel and clear one, keep what it taught, take over what the plugin began."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andon.app.home import Home
from andon.app.hosting import host
from andon.app.outcome import Finished
from andon.app.settings import Settings
from andon.app.starting import Commission, Ground, Show, StartOptions, begin, make, recorded_of
from andon.app.uam_files import UAM, read_plan, read_state, read_text, sound, write_state
from andon.domain.artefacts import STATE_FILES
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.domain.uam import plan, state
from andon.domain.uam.artefacts import FOLDER, MEMORY_PATH, OUTPUTS_PATH, PLAN_PATH, STATE_PATH, learnings_path
from andon.domain.uam.dashboard import dashboard
from andon.domain.uam.knowledge import KEPT, added, collected, metrics, remembered
from andon.domain.uam.words import FULL
from andon.pipelines.uam.pipeline import PIVOT
from andon.workspace.checkout import tree_of_checkout
from andon.workspace.files import write_contained
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore

if TYPE_CHECKING:
    from andon.runtimes.scenario import Recorded

SUBJECTS = 30
"""Newest commits whose style counts."""
OTHERS = ("claude", "codex", "gemini")
"""Who is asked for a second opinion where no setting says whom."""


@dataclass(frozen=True, slots=True)
class Wish:
    task: str
    kind: str = FULL
    command: str = ""
    """Of `bugfix`: what shows the bug."""
    points: tuple[str, ...] = ()
    """Of `pivot`: constraints that are told already."""
    worktree: bool = False
    reviewers: tuple[tuple[str, bool], ...] | None = None
    """Of a recording: who reviewed then."""

    def as_request(self) -> dict[str, Any]:
        options = {"pipeline": self.kind, "command": self.command, "points": list(self.points)}
        return {"task": self.task, "options": {**options, "worktree": self.worktree, "dry_run": False}}


def start_uam(options: StartOptions, wish: Wish, environment: Mapping[str, str], show: Show) -> Finished:
    """Start a pipeline, and execute it in this process."""
    recorded = recorded_of(options, UAM)
    commission = _commissioned(options, _as_recorded(wish, recorded) if recorded else wish)
    return begin(options, environment, show, commission, recorded)


def host_uam(options: StartOptions, wish: Wish, environment: Mapping[str, str]) -> RunRow:
    """Start a pipeline that goes on in the background."""
    store, run = make(options, environment, _commissioned(options, wish))
    host(store, run)
    return run


def _commissioned(options: StartOptions, wish: Wish) -> Commission:
    if not wish.task.strip() and wish.kind != PIVOT:
        raise UserError("Say what to do", 'For example: andon uam "Add rate limiting to the login endpoint"')
    repository = Repository.open(options.repository.absolute())
    if wish.kind != PIVOT:
        refuse_foreign(repository.root)
    title = wish.task or "Pivot points"
    more = partial(_frozen, reviewers=wish.reviewers)
    return Commission(UAM, wish.task, title, wish.as_request(), wish.worktree, reviewers=reviewers, more=more)


def _as_recorded(wish: Wish, recorded: Recorded) -> Wish:
    """What the recording was of, unless that was said again; the words are `uam`, the pipeline, and the task."""
    kind = recorded.words[1] if len(recorded.words) > 1 else FULL
    reviewers = tuple((name, True) for name in recorded.reviewers)
    return replace(wish, task=wish.task or recorded.task, kind=kind, reviewers=reviewers)


def _frozen(ground: Ground, reviewers: tuple[tuple[str, bool], ...] | None = None) -> dict[str, Any]:
    """`reviewers` are those of a recording, whose agents the recording itself plays."""
    subjects = ground.repository.subjects(SUBJECTS)
    asked = ground.runtimes["reviewers"] if reviewers is None else reviewers
    return {"uam": asdict(ground.settings.uam), "history": subjects, "reviewers": asked}


def reviewers(settings: Settings, runtime: str, environment: Mapping[str, str]) -> tuple[tuple[str, bool], ...]:
    """Those that settings name, else every other program of those most people have. A scenario asks nobody unasked."""
    from andon.runtimes.installed import KNOWN

    named = settings.uam.named_reviewers
    if named is None:
        named = () if runtime == "scripted" else tuple(name for name in OTHERS if name != runtime)
    programs = {each.runtime: each for each in KNOWN}

    def there(name: str) -> bool:
        told = settings.runtimes.get(name)
        program = programs.get(name)
        if program is None:
            return told is None or not told.program or shutil.which(told.program) is not None
        found = program.path(environment, told.program if told else None)
        return bool(found and program.signed_in(environment))

    return tuple((name, there(name)) for name in named)


def refuse_foreign(root: Path) -> None:
    """A pipeline that the plugin drives is not started over."""
    found, _ = read_state(root)
    if state.active(found) and found.get("driver") != "andon":
        hint = "`andon uam adopt` goes on with it, `andon uam cancel` ends it."
        raise UserError(f"A session drives the pipeline {found.get('pipeline_id', '')} here", hint)


# --- looking --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How a pipeline stands in a checkout."""

    lines: tuple[str, ...]
    state: Mapping[str, Any]
    problem: str
    todos: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        return {"state": dict(self.state), "problem": self.problem, "todos": list(self.todos)}


def pipeline_in(folder: Path) -> Pipeline:
    """Reads and changes nothing (C-12)."""
    root = Repository.open(folder.absolute()).root
    found, problem = read_state(root)
    text = read_plan(root)
    todos = plan.parse(text).todos if text else []
    rows = tuple({"number": todo.number, "title": todo.title, "box": todo.state.strip()} for todo in todos)
    return Pipeline(tuple(dashboard(found, problem, text)), found, problem, rows)


# --- changing -------------------------------------------------------------------------------------------------------


def cancel(folder: Path) -> dict[str, Any]:
    """Inactive, and resumable at its phase. The state afterwards."""
    root = Repository.open(folder.absolute()).root
    found, problem = read_state(root)
    if problem:
        raise UserError(f"{FOLDER}state.json cannot be read: {problem}", "`andon uam cancel --force` clears it.")
    if not state.active(found):
        raise UserError("No pipeline is active here", "`andon uam status` shows what there is.")
    told = state.cancelled(found)
    write_state(root, told)
    return told


def clear(folder: Path) -> None:
    """No state at all; PLAN.md and what was learned stay. Where there is none, nothing is made."""
    root = Repository.open(folder.absolute()).root
    if read_text(root, STATE_PATH) is not None:
        write_state(root, {})


def compound(folder: Path) -> list[str]:
    """What workers told, in the files of learnings and in the project's memory, each once (C-16). The changed paths."""
    root = Repository.open(folder.absolute()).root
    found_state, _ = read_state(root)
    try:
        outputs = state.listing(json.loads(read_text(root, OUTPUTS_PATH) or "[]"))
    except ValueError as error:
        raise UserError(f"{OUTPUTS_PATH} cannot be read: {error}", "Mend it, or remove it.") from error
    found = collected(outputs)
    feature = _feature(found_state, root)
    wanted = {learnings_path(feature, kind): (f"{title}: {feature}", found[kind]) for kind, title in KEPT.items()}
    texts = {path: added(read_text(root, path) or "", *told) for path, told in wanted.items()}
    texts[learnings_path(feature, "metrics")] = _metrics(feature, found_state)
    texts[MEMORY_PATH] = remembered(read_text(root, MEMORY_PATH) or "", feature, found)
    changed = [path for path, text in texts.items() if read_text(root, path) != text]
    for path in changed:
        write_contained(root, path, texts[path].encode())
    return changed


def _metrics(feature: str, told: Mapping[str, Any]) -> str:
    rates = state.listing(state.mapping(told.get("convergence")).get("pass_rate_history"))
    gates = {key: value for key, value in state.mapping(told.get("gate_results")).items() if key.endswith("_passed")}
    tokens = int(state.mapping(told.get("cost")).get("total_tokens") or 0)
    return metrics(feature, rates, int(told.get("fix_loop_count") or 0), tokens, gates)


def _feature(told: Mapping[str, Any], root: Path) -> str:
    parts = str(told.get("pipeline_id") or "").split("-", 2)
    if len(parts) == 3 and parts[0] == UAM:
        return parts[2]
    named = plan.parse(read_plan(root) or "").feature
    if not named:
        raise UserError("There is no pipeline here to learn from", "`andon uam status` shows what there is.")
    from andon.domain.feature import feature_name

    return feature_name(named)


def adopt(options: StartOptions, environment: Mapping[str, str], show: Show) -> Finished:
    """Go on in andon with what the plugin began, from its files. Its ticks are claims: their commands are run."""
    repository = Repository.open(options.repository.absolute())
    found, problem = read_state(repository.root)
    if problem:
        raise UserError(f"{FOLDER}state.json cannot be read: {problem}", "Mend it first.")
    if not found.get("current_phase") or found.get("driver") == "andon":
        hint = "`andon uam resume` goes on with a run of andon."
        raise UserError("No pipeline of a session is here to adopt", hint)
    if found["current_phase"] == state.COMPLETED:
        raise UserError("That pipeline is completed", "`andon uam` starts another one.")
    text = read_plan(repository.root)
    name = plan.parse(text or "").feature or str(found.get("pipeline_id"))
    task = str(found.get("task") or (plan.parse(text).summary if text else "") or name)
    wish = Wish(task, str(found.get("pipeline") or FULL))
    # A plan that nobody has approved yet is not written anew: it is what a person is asked about.
    planned = bool(text) and not plan.parse(text or "").problems
    before: dict[str, Any] = {**sound(found), "verified": [], "lanes": [], "planned": planned}
    git = GitStore.open(Home.of(environment).repositories, repository)
    # What the session's workers wrote lies in the checkout, committed or not.
    first = {"resume": before, "tree": tree_of_checkout(git, repository.root, repository.head, STATE_FILES)}
    commission = Commission(UAM, task, task, wish.as_request(), reviewers=reviewers, more=_frozen, first=first)
    options = replace(options, allow_dirty=True)
    if text is not None and read_text(repository.root, PLAN_PATH) is None:
        write_contained(repository.root, PLAN_PATH, text.encode())
    return begin(options, environment, show, commission)
