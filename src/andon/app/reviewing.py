"""A review as a screen shows it: what was measured, the files of its two trees, its versions and its ladder. Files
come out of andon's own git trees by name, never through a path of a folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePosixPath

from andon.app.reminding import auto_approval
from andon.app.store import Store
from andon.app.tasks import Task, task_of
from andon.domain.changeset import Changed
from andon.domain.errors import UserError
from andon.domain.patches import LONG, Patch, generated, read_patches
from andon.domain.run import RunRow
from andon.domain.tasks import reminders
from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.reminders import LADDER, Rung, Stage
from andon.domain.tasks.reporting import Outcome, Tally, outcomes, tally
from andon.domain.tasks.reviews import Comment, Review
from andon.domain.tasks.workflows import workflow_of
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.trees import StoredTrees

MOST_COMMENTS = 500
LONGEST_COMMENT = 10_000


class Folded(StrEnum):
    """Why a file is not shown at once."""

    NO = ""
    LONG = "long"
    GENERATED = "generated"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class File:
    """One changed file."""

    path: str
    kind: str
    """A, M or D: added, modified, deleted."""
    patch: Patch
    old: str | None
    new: str | None
    folded: Folded = Folded.NO

    @property
    def document(self) -> bool:
        """Shown as people read it, not as a diff."""
        return self.new is not None and PurePosixPath(self.path).suffix.lower() in (".md", ".markdown")

    @property
    def folder(self) -> str:
        folder, slash, _ = self.path.rpartition("/")
        return f"{folder}/" if slash else ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Step:
    """A rung of the ladder, as it stands."""

    rung: Rung
    due_at: float
    done_at: float | None
    off: bool = False
    """Switched off, or it must not happen by itself."""
    next: bool = False


@dataclass(frozen=True, slots=True)
class Reviewed:
    review: Review
    run: RunRow
    task: Task
    phase: str
    outcomes: tuple[Outcome, ...]
    tally: Tally
    report: str
    versions: tuple[Review, ...]
    """Every review of this phase, the oldest first."""
    ladder: tuple[Step, ...]

    @property
    def waits(self) -> bool:
        """Whether somebody can decide it now: its run waits for that, and does not work on it again."""
        return self.review.awaited(self.run.leg) and not self.run.status.ended

    @property
    def number(self) -> int:
        """Which version of the phase's work this is, as people count."""
        return self.number_of(self.review)

    def number_of(self, review: Review) -> int:
        return self.versions.index(review) + 1

    @property
    def newest(self) -> Review:
        return self.versions[-1]

    @property
    def earlier(self) -> tuple[Review, ...]:
        """The newest first."""
        return tuple(reversed(self.versions[: self.number - 1]))

    @property
    def previous(self) -> Review | None:
        return self.versions[self.number - 2] if self.number > 1 else None


def reviewed(store: Store, id: str) -> Reviewed:
    review = store.reviews.get(id)
    run = store.runs.get(review.task)
    task = task_of(store, run)
    verification = store.reviews.verification(id)
    rows = tuple(outcomes(criteria_of(task.type, review.phase), verification))
    versions = tuple(each for each in task.reviews if each.phase == review.phase)
    phase = next((each.name for each in workflow_of(task.type).phases if each.number == review.phase), "")
    current = next(each for each in versions if each.id == id)
    return Reviewed(
        review=current,
        run=run,
        task=task,
        phase=phase,
        outcomes=rows,
        tally=tally(rows),
        report=str(verification.get("report", "")),
        versions=versions,
        ladder=_ladder(store, current, verification),
    )


def _ladder(store: Store, review: Review, verification: Mapping[str, object]) -> tuple[Step, ...]:
    done = store.reminders.of_review(review.id)
    by_time = auto_approval(store).on and not reminders.obstacle(verification)
    left = [
        rung.stage for rung in LADDER if rung.stage not in done and (by_time or rung.stage is not Stage.AUTO_APPROVAL)
    ]
    following = left[0] if left and review.pending else None
    return tuple(
        Step(
            rung,
            reminders.due_at(rung.stage, review.opened_at).timestamp(),
            done.get(rung.stage),
            rung.stage is Stage.AUTO_APPROVAL and not by_time,
            rung.stage is following,
        )
        for rung in LADDER
    )


# --- files ----------------------------------------------------------------------------------------------------------


def files_of(store: Store, found: Reviewed, since: Review | None = None) -> tuple[File, ...]:
    """What changed in the phase; or since an earlier version of it was looked at."""
    before = since.tree if since else found.review.base
    if not before or before == found.review.tree:
        return ()
    return _files(store.home.repositories, found.run.repository, before, found.review.tree)


@lru_cache(maxsize=48)
def _files(repositories: Path, repository: str, before: str, after: str) -> tuple[File, ...]:
    """Trees never change, so this is read once."""
    trees = StoredTrees(GitStore.open(repositories, Repository.open(Path(repository))), before)
    changed = trees.change_set(before, after)
    patches = read_patches(changed.diff)
    return tuple(_file(each, patches.get(each.path, Patch(each.path))) for each in changed)


def _file(changed: Changed, patch: Patch) -> File:
    kind = "A" if changed.added else "D" if changed.deleted else "M"
    present = changed.before if changed.deleted else changed.after
    text = changed.old if changed.deleted else changed.new
    folded = Folded.NO
    if text is None and not patch.hunks and present is not None:
        folded = Folded.BINARY
    elif generated(changed.path, text or ""):
        folded = Folded.GENERATED
    elif patch.added + patch.deleted > LONG and not changed.path.lower().endswith((".md", ".markdown")):
        folded = Folded.LONG
    return File(changed.path, kind, patch, changed.old, changed.new, folded)


def file_of(files: Sequence[File], path: str) -> File | None:
    return next((each for each in files if each.path == path), None)


# --- comments -------------------------------------------------------------------------------------------------------


def refuse_unusable(comments: Sequence[Comment]) -> None:
    if len(comments) > MOST_COMMENTS:
        raise UserError(f"At most {MOST_COMMENTS} comments are sent at once", "Say it once, for all of the files.")
    for each in comments:
        if not each.path or not each.text.strip() or each.line < 0:
            raise UserError("A comment needs a file and a text", "Write it, or take the comment away.")
        if len(each.text) > LONGEST_COMMENT:
            raise UserError(f"A comment on {each.path} is too long", f"At most {LONGEST_COMMENT} characters.")


def waiting_hours(review: Review) -> float:
    ended = review.decided_at or datetime.now(UTC)
    return (ended - review.opened_at).total_seconds() / 3600
