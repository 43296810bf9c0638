"""How a run begins, whatever its pipeline: everything that can be wrong is found before anything is changed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andon.app.home import Home
from andon.app.hosting import host
from andon.app.outcome import Finished, execute
from andon.app.sandboxes import needed_sandbox
from andon.app.settings import Settings, load_settings
from andon.app.standing import standing_of
from andon.app.statefile import keep_broken_aside, refuse_unwritable, strangers_keys, without_ours
from andon.app.store import Store
from andon.app.workspace import CLAUDE
from andon.domain.errors import UserError
from andon.domain.feature import branch_name, feature_name
from andon.domain.journal import Entry
from andon.domain.language import Language, detect
from andon.domain.run import Ending, RunRow, Status
from andon.engine.database import locked
from andon.engine.runs import new_run_id
from andon.engine.signing import SigningKey
from andon.workspace.removal import remove_tree
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.worktree import refuse_unusable

if TYPE_CHECKING:
    from andon.runtimes.scenario import Recorded

Show = Callable[[Entry], None]
Reviewers = Callable[[Settings, str, Mapping[str, str]], tuple[tuple[str, bool], ...]]
"""From the settings, the run's own runtime and the environment: names, and whether each is there."""


@dataclass(frozen=True, slots=True)
class StartOptions:
    words: tuple[str, ...]
    repository: Path
    allow_dirty: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    record: Path | None = None
    """The file to record the run into."""
    replay: Path | None = None
    """The recording to play."""
    background: bool = False
    """In a process of its own: this one does not wait for it."""
    making: Callable[[], AbstractContextManager[None]] = nullcontext
    """Around the making of the run: takes back what was made for it, where it does not come about."""
    beside: tuple[Path, ...] = ()
    """Files that the run is started with, and may lie in the checkout uncommitted."""

    @property
    def besides(self) -> tuple[Path, ...]:
        """Files that are no part of the work, wherever they lie."""
        named = (self.record, self.replay, *self.beside)
        return tuple(file.absolute() for file in named if file)


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of the place and the people when a run is about to begin."""

    store: Store
    repository: Repository
    settings: Settings
    runtimes: dict[str, Any]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Commission:
    """What a front door wants done: a pipeline, and its request as it is frozen."""

    pipeline: str
    task: str
    """In the words of the person; empty for a run that only reads."""
    title: str
    """What the run is called."""
    request: dict[str, Any]
    worktree: bool = False
    """In a visible folder."""
    reads: bool = False
    """It changes nothing: others may work on the repository meanwhile."""
    reviewers: Reviewers | None = None
    """Other programs that may be asked for a second opinion."""
    more: Callable[[Ground], dict[str, Any]] | None = None
    """What else the pipeline has to know, the same in every leg."""
    first: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the first leg begins with, besides."""


def begin(
    options: StartOptions,
    environment: Mapping[str, str],
    show: Show,
    commission: Commission,
    recorded: Recorded | None = None,
) -> Finished:
    """Make a run, and execute it: in this process, or in one of its own."""
    with options.making():
        store, run = make(options, environment, commission, recorded, show)
    if not options.background:
        return execute(store, run)
    host(store, run)
    return Finished(run, Ending(Status.RUNNING, "background"), standing_of(store, run))


def make(
    options: StartOptions,
    environment: Mapping[str, str],
    commission: Commission,
    recorded: Recorded | None = None,
    show: Show | None = None,
) -> tuple[Store, RunRow]:
    """Make a run that is ready to be executed, by this process or by another one."""
    repository = Repository.open(options.repository.absolute())
    home = Home.of(environment)
    settings, notes = load_settings(home, repository.root, environment, options.settings)
    refuse_dirty(repository, options)
    refuse_unwritable(repository)
    runtimes, scenario = runtimes_of(settings, environment, options.replay, commission)
    kept = _kept(options, recorded, commission.title)
    store = Store.open(home, environment)
    _need_machine(store, settings)
    ground = Ground(store, repository, settings, runtimes | kept, environment)
    with locked(home.root / "start.lock"):
        if not commission.reads:
            _refuse_second(store, repository)
        with _claimed(options.record):
            run = _create(ground, commission, scenario)
    if show is not None:
        store.journal.listen(show)
    notes += _differences(recorded, run) if recorded else ()
    for note in filter(None, (*notes, _unkept(settings, runtimes), keep_broken_aside(repository.root))):
        store.journal.append(run.id, f"0.note.{note}", "warning", "prepare", {"text": note})
    return store, run


def recorded_of(options: StartOptions, pipeline: str) -> Recorded | None:
    """What the recording to be played says of its run."""
    if options.replay is None:
        return None
    if given := [name for name in ("runtime", "scenario") if options.settings.get(name)]:
        raise UserError(f"--replay and --{given[0]} exclude each other", "A replay has no agent but its recording.")
    from andon.app.recording import read_recording, refuse_other_pipeline

    found = read_recording(options.replay)
    refuse_other_pipeline(found, pipeline)
    return found


def _differences(recorded: Recorded, run: RunRow) -> list[str]:
    from andon.app.recording import differences_before

    return [*differences_before(recorded, run.spec["base_tree"])]


def _claimed(record: Path | None) -> AbstractContextManager[None]:
    """While a run is made: the file that it is recorded into."""
    if record is None:
        return nullcontext()
    from andon.app.recording import claimed

    return claimed(record)


def _kept(options: StartOptions, recorded: Recorded | None, title: str) -> dict[str, Any]:
    """What a run keeps of its recordings: the file it is recorded into, and what a replay is compared with."""
    if not recorded and not options.record:
        return {"record": None, "replay": None}
    from andon.app.recording import refuse_other_task, refuse_unrecordable

    if recorded:
        refuse_other_task(recorded, title)
    if options.record:
        refuse_unrecordable(options.record)
    record = {"file": str(options.record), "words": list(options.words)} if options.record else None
    return {"record": record, "replay": recorded.model_dump(mode="json") if recorded else None}


def refuse_dirty(repository: Repository, options: StartOptions) -> None:
    inside = [file for file in options.besides if file.is_relative_to(repository.root)]
    ignoring = [str(file.relative_to(repository.root)) for file in inside]
    dirty = without_ours(repository.dirty(ignoring))
    if dirty and not options.allow_dirty:
        shown = ", ".join(dirty[:3]) + (f" and {len(dirty) - 3} more" if len(dirty) > 3 else "")
        raise UserError(
            f"{repository.root} has uncommitted changes: {shown}",
            "Commit or stash them, or use --allow-dirty: the run then starts from HEAD and leaves them alone.",
        )


def runtimes_of(
    settings: Settings,
    environment: Mapping[str, str],
    replay: Path | None = None,
    commission: Commission | None = None,
) -> tuple[dict[str, Any], Path | None]:
    """Who works for the run, and what is played. Made once, so that whatever lacks is told before anything starts."""
    from andon.app.runtime_settings import frozen, made
    from andon.runtimes.installed import how_to_get_one, ready

    if replay:
        return frozen("scripted", {}, {}), replay
    name = settings.runtime or ("scripted" if settings.scenario else None)
    if name is None and (program := ready(environment)):
        name = program.runtime
    if name is None:
        raise UserError(
            "No agent runtime is set up", f"{how_to_get_one(environment)} `andon demo` works now, without one."
        )
    scenario = Path(settings.scenario).expanduser().absolute() if settings.scenario else None
    asked = commission.reviewers if commission else None
    reviewers = asked(settings, name, environment) if asked else ()
    chosen = frozen(name, settings.runtimes, settings.roles, settings.prices, environment, reviewers)
    made(chosen, scenario, environment)
    return chosen, scenario


def _unkept(settings: Settings, runtimes: Mapping[str, Any]) -> str:
    """A limit of money that may not hold, in words; "" for none."""
    from andon.app.runtime_settings import unpriced

    if settings.budget.money is None or not (names := unpriced(runtimes)):
        return ""
    return (
        f"The budget of money holds for {', '.join(names)} only where its program tells its cost: not every model has "
        "a known price. [prices] in settings sets them."
    )


def _need_machine(store: Store, settings: Settings) -> None:
    # Imported before the run exists: until its executor holds the lock, the run looks interrupted to others.
    import_module("andon.app.execute")
    needed_sandbox(store.home, settings.trust_host)
    SigningKey.load(store.home.key)  # without it nothing can be measured


def _refuse_second(store: Store, repository: Repository) -> None:
    for other in store.runs.unfinished(str(repository.root)):
        if other.spec.get("reads") or store.elsewhere(other):  # whose files have the same path by chance
            continue
        if store.status(other) is Status.INTERRUPTED:
            hint = f"`andon resume {other.id}` goes on with it, `andon stop {other.id}` gives it up."
            raise UserError(f"Run {other.id} on this repository was interrupted", hint)
        raise UserError(
            f"Run {other.id} is already working on this repository",
            f"`andon watch {other.id}`, `andon stop {other.id}`.",
        )


def _create(ground: Ground, commission: Commission, scenario: Path | None) -> RunRow:
    store, repository, settings = ground.store, ground.repository, ground.settings
    run_id = new_run_id()
    git = GitStore.open(store.home.repositories, repository)
    feature = _feature(store, repository, commission.title)
    folder = store.home.run(run_id)
    worktree = _worktree_folder(commission, settings, repository, folder, feature)
    refuse_unusable(worktree)
    folder.mkdir(parents=True, mode=0o700)
    try:
        return store.runs.create(run_id, _row(ground, commission, scenario, feature, folder, worktree, git))
    except BaseException:
        remove_tree(folder)
        raise


def _row(
    ground: Ground,
    commission: Commission,
    scenario: Path | None,
    feature: str,
    folder: Path,
    worktree: Path,
    git: GitStore,
) -> dict[str, Any]:
    repository, settings = ground.repository, ground.settings
    kept = freeze(scenario, folder, 1) if scenario else None
    language = detect(commission.task) if settings.language == "auto" else Language(settings.language)
    spec: dict[str, Any] = {
        "version": 1,
        "pipeline": commission.pipeline,
        "reads": commission.reads,
        "request": commission.request,
        "language": str(language),
        "base": repository.head,
        "base_tree": git.tree_of(repository.head),
        "worktree": str(worktree),
        "claude": _claude_folder(commission, settings, repository, git),
        **ground.runtimes,
        "scenario": str(kept) if kept else None,
        "scenario_source": str(scenario) if scenario else None,
        "trust_host": settings.trust_host,
        "interactive_command": settings.interactive_command,
        "lease_seconds": settings.lease_seconds,
        "agent_seconds": settings.agent_seconds,
        "role_seconds": dict(settings.role_seconds),
        "role_tiers": {role: str(each.tier) for role, each in settings.roles.items() if each.tier},
        "budget": settings.budget.model_dump(),
        "limits": asdict(settings.limits),
        # A play has nothing to learn, and must not meet what others did.
        "learnings": settings.memory.learnings and not ground.runtimes.get("replay"),
        "more": commission.more(ground) if commission.more else {},
    }
    created_at = time.time()
    first = {"extra": strangers_keys(repository.root), **commission.first}
    spec["payload"] = payload(created_at, feature, spec, **first)
    return {
        "created_at": created_at,
        "pipeline": commission.pipeline,
        "task": commission.title,
        "feature": feature,
        "repository": str(repository.root),
        "branch": branch_name(feature),
        "spec": spec,
    }


def _feature(store: Store, repository: Repository, task: str) -> str:
    taken = {row.feature for row in store.runs.newest(1000, str(repository.root)) if row.status is not Status.DONE}
    branches = {branch.removeprefix("feat/") for branch in repository.branches() if branch.startswith("feat/")}
    feature = feature_name(task, taken | branches)
    repository.refuse_obstructed(branch_name(feature))  # told now, not when the work is done and has no branch
    return feature


def freeze(scenario: Path, folder: Path, leg: int) -> Path:
    """Keep a scenario with the run: one that is edited meanwhile must not change a run that is recovered."""
    kept = folder / f"scenario-{leg}{scenario.suffix}"
    shutil.copyfile(scenario, kept)
    return kept


def _worktree_folder(
    commission: Commission, settings: Settings, repository: Repository, folder: Path, feature: str
) -> Path:
    if not commission.worktree:
        return folder / "worktree"
    root = settings.worktree_root or str(repository.root.parent / f"{repository.root.name}-worktrees")
    return Path(root).expanduser().absolute() / feature


def _claude_folder(commission: Commission, settings: Settings, repository: Repository, git: GitStore) -> str | None:
    """The person's own .claude, for a visible worktree to link to (A-31). A committed one is in the tree anyway."""
    folder = repository.root / CLAUDE
    wanted = commission.worktree and settings.link_claude and folder.is_dir()
    return str(folder) if wanted and not git.holds(repository.head, CLAUDE) else None


def payload(created_at: float, feature: str, spec: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The frozen input of one leg: everything a replay needs, so that nothing is read from the world again."""
    return {
        "pipeline": spec["pipeline"],
        "version": spec["version"],
        "request": spec["request"],
        "feature": feature,
        "language": spec["language"],
        "budget": spec["budget"],
        "limits": spec.get("limits", {}),
        "learnings": spec.get("learnings", False),
        "prices_dated": spec.get("prices", {}).get("dated", ""),
        "agent_seconds": spec["agent_seconds"],
        "role_seconds": spec.get("role_seconds", {}),
        "role_tiers": spec.get("role_tiers", {}),
        "created_at": created_at,
        "base": spec["base_tree"],
        "tree": spec["base_tree"],
        "resume": None,
        "direction": "",
        "accepted": [],
        **spec.get("more", {}),
        **more,
    }


def user_name(environment: Mapping[str, str]) -> str:
    """Whom to name as the one who answered."""
    return environment.get("USER") or environment.get("LOGNAME") or "terminal"
