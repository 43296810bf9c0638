"""Recording a run into a file, and playing such a file again: what is checked before, and compared afterwards."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from andon.app.home import PIECES
from andon.app.legs import last_tree
from andon.app.store import Store
from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.changeset import Changed
from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.order import Order, Outcome, Reply
from andon.domain.run import Ending, RunRow, Status
from andon.domain.secrets import without_tokens
from andon.engine.kept import once, put
from andon.ports import Workspace
from andon.runtimes import written
from andon.runtimes.events import Event
from andon.runtimes.recording import Recording, rules_of
from andon.runtimes.scenario import Recorded, load
from andon.workspace.files import read_contained
from andon.workspace.repository import Repository
from andon.workspace.store import Store as GitStore
from andon.workspace.trees import StoredTrees

LARGEST_FILE = 32 * 1024 * 1024
"""Of a file that is recorded."""
_WITH_FILES = (Outcome.DONE, Outcome.ASKED)
"""What others leave behind is put back, and no part of what comes of a run."""


class RunRecorder:
    """Implements ports.Recorder. Pieces are kept with the run, so that neither a kill nor a stop loses one; the
    file is made of all of them, whenever there is one more."""

    def __init__(self, store: Store, row: RunRow, told: Callable[[Order, Path], Iterable[Event]]) -> None:
        self._store = store
        self._row = row
        self._told = told
        self._pieces = store.home.run(row.id) / PIECES
        places = {str(store.home.run(row.id)): "RUN", str(store.home.root): "ANDON_HOME"}
        with suppress(RuntimeError):  # nobody's home
            places[str(Path.home())] = "~"
        self._recording = Recording(self._clean, {path: short for path, short in places.items() if len(path) > 1})
        self._writing = threading.Lock()

    def record(self, order: Order, number: int, reply: Reply, folder: Path, workspace: Workspace, tree: str) -> None:
        def piece() -> dict[str, Any]:
            files = ()
            if order.writable and reply.outcome in _WITH_FILES:
                after = workspace.snapshot(f"{order.position}-{number}", self._row.created_at)
                changed = workspace.change_set(tree, after).files if after != tree else ()
                files = tuple(_whole(file, workspace) for file in changed)
            return self._recording.piece(order, number, reply, self._told(order, folder), files)

        try:
            self._pieces.mkdir(exist_ok=True)
            once(self._pieces / f"{order.position}-{number}.json", piece)
            self._write({})
        except (OSError, UserError) as problem:
            self._warn(problem)

    def conclude(self, ending: Mapping[str, str]) -> bool:
        """With how the run ended. False: there is nothing that could be played again."""
        try:
            if self._write(ending):
                return True
            _give_up(Path(self._row.spec["record"]["file"]))
            return False
        except OSError as problem:
            self._warn(problem)
            return False

    def _write(self, ending: Mapping[str, str]) -> bool:
        with self._writing:
            kept = sorted(self._pieces.glob("*.json"))
            pieces: list[dict[str, Any]] = [json.loads(path.read_bytes()) for path in kept]
            if rules := rules_of(pieces):
                notes = list(dict.fromkeys(note for piece in pieces for note in piece["notes"]))
                about = {**self._about(), **ending, **({"notes": notes} if notes else {})}
                whole = {"scenario": 1, "title": f"Recorded: {about['task']}", "recorded": about, "rules": rules}
                put(Path(self._row.spec["record"]["file"]), written.document(whole).encode())
            return bool(rules)

    def _about(self) -> dict[str, Any]:
        row = self._row
        words = [self._clean(word) for word in row.spec["record"]["words"]]
        about = {"task": self._clean(row.task), "words": words, "runtime": row.spec["runtime"]}
        if reviewers := [name for name, there in row.spec.get("more", {}).get("reviewers", ()) if there]:
            about["reviewers"] = reviewers
        return {**about, "pipeline": row.pipeline, "base": row.spec["base_tree"]}

    def _clean(self, text: str) -> str:
        return without_tokens(self._store.redaction.text(text))

    def _warn(self, problem: Exception) -> None:
        text = f"The recording is not complete: {problem}"
        self._store.journal.append(
            self._row.id, f"{self._row.leg}.unrecorded", "warning", self._row.phase, {"text": text}
        )


def _whole(file: Changed, workspace: Workspace) -> Changed:
    """With the content of a file that is larger than what verification reads."""
    if file.after is None or file.after.content is not None or not file.after.regular:
        return file
    try:
        content = read_contained(workspace.folder, file.path, limit=LARGEST_FILE)
    except (OSError, UserError):
        return file
    return replace(file, after=replace(file.after, content=content))


def refuse_unrecordable(file: Path) -> None:
    """What would keep the file from being written, told before anything starts."""
    if os.path.lexists(file):
        raise _there(file)
    if not file.parent.is_dir():
        raise UserError(f"There is no folder {file.parent} for the recording", "Make it first, or name another one.")
    if not os.access(file.parent, os.W_OK):
        raise EnvironmentProblem(f"Cannot write to {file.parent}", "Name a file in a folder you can write.")


@contextmanager
def claimed(file: Path) -> Generator[None]:
    """The file is this run's from the start, and nobody's if there comes no run of it."""
    try:
        file.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise _there(file) from None
    except OSError as problem:
        raise EnvironmentProblem(f"Cannot write {file}: {problem.strerror}", "Name another file.") from problem
    try:
        yield
    except BaseException:
        _give_up(file)
        raise


def _there(file: Path) -> UserError:
    return UserError(f"{file} is there already", "Name another file for the recording, or remove this one.")


def _give_up(file: Path) -> None:
    """A claim that came to nothing."""
    with suppress(OSError):
        if file.stat().st_size == 0:
            file.unlink()


def read_recording(file: Path) -> Recorded:
    """What a recording says of its run."""
    recorded = load(file).recorded
    if recorded is None:
        raise UserError(f"{file} was not recorded from a run", f"Play it with --scenario {file}")
    return recorded


def refuse_other_pipeline(recorded: Recorded, pipeline: str) -> None:
    if recorded.pipeline != pipeline:
        told = f"The recording is of `andon {recorded.pipeline}`"
        raise UserError(told, f"Play it with `andon {recorded.pipeline} --replay`.")


def refuse_other_task(recorded: Recorded, task: str) -> None:
    if recorded.task != task:
        told = f"The recording is of another task: {recorded.task}"
        raise UserError(told, "Leave the task out: the recording knows it.")


def differences_before(recorded: Recorded, base_tree: str) -> list[str]:
    """Why a replay may go another way, as far as that is known before it starts."""
    found = list[str]()
    if recorded.base != base_tree:
        told = f"The recording began with another tree ({recorded.base[:12]}) than this commit has ({base_tree[:12]})"
        found.append(f"{told}: its agents write what they wrote then.")
    if recorded.status in ("", Status.STOPPED):
        found.append("The recorded run had not come to its end: neither does the replay.")
    return [*found, *(f"Not as recorded: {note}" for note in recorded.notes)]


def conclude(store: Store, row: RunRow, ending: Ending) -> tuple[str, ...]:
    """When a leg has ended: complete its recording, compare a replay with what was recorded. What to tell people."""
    told = list[str]()
    if not (row.spec.get("record") or row.spec.get("replay")):
        return ()
    tree = _work(store, row)
    if record := row.spec.get("record"):
        facts = {"status": str(ending.status), "reason": ending.reason, "tree": tree}
        if RunRecorder(store, row, lambda order, folder: ()).conclude(facts):
            told.append(f"Recorded in {record['file']}. `andon auto --replay {record['file']}` plays it again.")
    if (replay := row.spec.get("replay")) and ending.status is not Status.STOPPED:
        told.append(_compared(store, row, ending, tree, replay))
    return tuple(filter(None, told))


def _compared(store: Store, row: RunRow, ending: Ending, tree: str, replay: Mapping[str, Any]) -> str:
    """What to tell; nothing when a warning in the journal tells it."""
    if (ending.status, ending.reason) != (replay["status"], replay["reason"]):
        ends = f"{replay['status']} ({replay['reason']})" if replay["status"] else "no end"
        text = f"Not as recorded: the replay ended as {ending.status} ({ending.reason}), the recording has {ends}."
    elif tree != replay["tree"]:
        trees = f"{tree[:12]}, not {replay['tree'][:12]}"
        text = f"Not as recorded: the replay ended in the same way, with other files ({trees})."
    else:
        return f"Replayed as recorded: the same end, the same files ({tree[:12]})."
    store.journal.append(row.id, f"{row.leg}.differs", "warning", row.phase, {"text": text})
    return ""


def _work(store: Store, row: RunRow) -> str:
    """The tree of the work alone: documents of andon tell of times and of the run's name."""
    git = GitStore.open(store.home.repositories, Repository.open(Path(row.repository)))
    tree, base = last_tree(row, store.journal.entries(row.id)), str(row.spec["base_tree"])
    # Of the store alone: to ask the run's workspace would make its folder again, with the files of the base.
    trees = StoredTrees(git, base)
    documents = {path for each in (tree, base) for path in trees.paths(each) if path.startswith(DOCUMENT_FOLDERS)}
    return trees.with_paths_of(tree, base, sorted(documents))
