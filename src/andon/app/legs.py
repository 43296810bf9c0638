"""What the legs of a run leave for the next one: files, what has been spent, what people said. From its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from andon.app.machine import refused_elsewhere
from andon.app.statefile import AREAS, status_of
from andon.app.store import Store
from andon.domain.assignment import TeamRecord
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.order import Usage
from andon.domain.run import RunRow, Status
from andon.domain.tasks.checkpoints import Reason
from andon.domain.tasks.conversation import ANSWERED, COMPLETE, ENDED, PERSON

WITH_TREE = ("run_started", "result", "file_written", "taken_over", "closed", "merged", "notice")
WITH_USAGE = ("result", "task_update")
"""What an order used stands in its result; of one that was stopped, where its task is."""
LOCK_SECONDS = 2.0
"""For a process that has just ended the run and is about to go."""


def last_tree(run: RunRow, entries: Iterable[Entry]) -> str:
    """The tree after the last of these entries that changed it."""
    trees = [entry.data["tree"] for entry in entries if entry.kind in WITH_TREE and _of_the_run_itself(entry)]
    return str(trees[-1] if trees else run.spec["base_tree"])


def _of_the_run_itself(entry: Entry) -> bool:
    """A branch's tree is not the run's until it is merged."""
    return bool(entry.data.get("tree")) and not entry.data.get("branch")


def spent(entries: Iterable[Entry]) -> dict[str, Any]:
    """What the run has used so far: a resumed run does not get its budget again."""
    ended = [entry for entry in entries if "spent" in entry.data]
    return dict(ended[-1].data["spent"]) if ended else {}


def accepted(entries: Iterable[Entry]) -> list[dict[str, str]]:
    """The findings that a person has accepted, for the next leg to leave alone."""
    found = {entry.data["id"]: entry.data for entry in entries if entry.kind == "accepted"}
    return [{"id": id, "reason": data["reason"], "by": data["by"]} for id, data in found.items()]


def undelivered(entries: Sequence[Entry]) -> str:
    """What a person said last, if the run was stopped before any teammate was told."""
    directed = [entry for entry in entries if entry.kind == "directed"]
    if not directed:
        return ""
    text = str(directed[-1].data["text"])
    later = (entry for entry in entries if entry.kind == "spawn" and entry.seq > directed[-1].seq)
    return "" if any(entry.data.get("directed") for entry in later) else text


def next_key(run: RunRow, entries: Iterable[Entry], kind: str) -> str:
    """Of something a person does after the present leg, which they may do more than once."""
    count = sum(entry.kind == kind for entry in entries)
    return f"{run.leg + 1}.0.{kind}.{count + 1}"


def refuse_unreadable(run: RunRow) -> None:
    if run.problem:
        hint = f"Another version of andon may have written it. Its journal is there still: `andon logs {run.id}`."
        raise UserError(f"Run {run.id} cannot be read: {run.problem}", hint)


def refuse_elsewhere(store: Store, run: RunRow) -> None:
    """Only the machine that a run belongs to has its files, its key and its agents."""
    if host := store.elsewhere(run):
        raise refused_elsewhere(run, host)


def refuse_unless_at_rest(store: Store, run: RunRow) -> None:
    """Nobody executes the run, and it is neither done nor closed: it may be taken up, taken over, or changed."""
    refuse_unreadable(run)
    refuse_elsewhere(store, run)
    status = store.status(run)
    if status is Status.DONE and run.reason in (ANSWERED, COMPLETE, ENDED):
        raise UserError(f"{run.id} is a conversation, and answered", f'`andon task chat {run.id} "…"` goes on with it.')
    if status is Status.DONE:
        raise UserError(f"Run {run.id} is done", f"Its work is on branch {run.branch}.")
    if status is Status.CLOSED:
        raise UserError(f"Run {run.id} is closed", f"`andon reopen {run.id}` opens it again.")
    if status in (Status.RUNNING, Status.WAITING):
        hint = f"`andon watch {run.id}` follows it, `andon stop {run.id}` stops it."
        raise UserError(f"Run {run.id} is being executed by another process", hint)
    if status is Status.INTERRUPTED:
        return  # which is to say that nobody holds its lock
    lock = store.lock(run.id)
    if not lock.acquire(patience=LOCK_SECONDS):
        hint = "Perhaps somebody has taken it over and is still in that shell. Try again when they have left it."
        raise UserError(f"Run {run.id} is in use by another process", hint)
    lock.release()


def warnings(entries: Iterable[Entry]) -> list[str]:
    """What went otherwise than it should in earlier legs: a report tells that too."""
    told = sorted((entry for entry in entries if entry.kind == "warning"), key=lambda entry: entry.place)
    return [str(entry.data["text"]) for entry in told]


def team(entries: Iterable[Entry]) -> tuple[TeamRecord, ...]:
    """Who worked, order by order, and what they used (A-28)."""
    models: dict[str, tuple[str, str]] = {}
    found: list[TeamRecord] = []
    # By step: who of several at once was ready first is chance, and a report must not depend on it.
    for entry in sorted(entries, key=lambda entry: entry.place):
        if entry.kind == "spawn":
            models[entry.data["name"]] = (entry.data["role"], entry.data["model"])
        elif entry.kind in WITH_USAGE and entry.data.get("usage"):
            name, told = entry.data["name"], Usage.read(entry.data["usage"])
            role, model = models.get(name, ("", ""))
            found.append(TeamRecord(name, role, entry.phase, model, told, entry.data["seconds"]))
    return tuple(found)


def calls(entries: Iterable[Entry]) -> dict[str, int]:
    """Orders that each teammate has had."""
    return dict(Counter(str(entry.data["name"]) for entry in entries if entry.kind == "task_created"))


def sessions(entries: Iterable[Entry]) -> dict[str, str]:
    """Each teammate's own last session, where its program has such a thing."""
    told = sorted((entry for entry in entries if entry.kind == "result"), key=lambda entry: entry.place)
    return {entry.data["name"]: entry.data["session"] for entry in told if entry.data.get("session")}


def checkpoint(entries: Iterable[Entry]) -> dict[str, Any]:
    """Where a task stood when it last said so: within a phase, or at the beginning of the one after (D-119)."""
    kept = [entry.data for entry in entries if entry.kind == "checkpoint"]
    if kept and kept[-1]["reason"] == Reason.PHASE_COMPLETE:
        return {"phase": int(kept[-1]["phase"]) + 1}
    return dict(kept[-1]) if kept else {}


def talk(entries: Iterable[Entry], message: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was said in a conversation, and what is to be answered: a new message, or the last one that nobody has
    answered."""
    said = [entry.data for entry in entries if entry.kind == "turn"]
    told = [{"author": str(each["author"]), "text": str(each["text"])} for each in said]
    if message is None and said and said[-1]["author"] == PERSON:
        return {"talk": told[:-1], "message": {"text": told[-1]["text"], "by": said[-1]["by"], "said": True}}
    return {"talk": told, "message": dict(message) if message else None}


def series(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Commits that wait to be published, each with its tree, the oldest first."""
    told = sorted((entry for entry in entries if entry.kind == "part_committed"), key=lambda entry: entry.place)
    return [(entry.data["commit"], entry.data["of"]) for entry in told]


def approved(entries: Iterable[Entry]) -> dict[str, Any]:
    """The commands of the plan as they were approved last: not what its file says by now."""
    told = [entry.data for entry in entries if entry.kind == "plan_approved" and "tiers" in entry.data]
    return {"todos": told[-1]["todos"], "tiers": told[-1]["tiers"]} if told else {}


def by_hand(entries: Sequence[Entry]) -> list[str]:
    """Whose files a person took over since the last leg ended: those of these parallel implementers, and of the run
    itself, which has no name; accepting a finding counts as that too. Files that differ are no sign of it: an agent
    that was stopped leaves some too."""
    kinds = [entry.kind for entry in entries]
    since = len(kinds) - kinds[::-1].index("run_ended") if "run_ended" in kinds else 0
    told = (entry for entry in entries[since:] if entry.kind in ("taken_over", "accepted"))
    return sorted({str(entry.data.get("branch", "")) for entry in told})


def areas_of(run: RunRow) -> dict[str, str]:
    """Parallel implementers whose work is in folders of their own still, and the tree of each as they left it."""
    areas = status_of(run).get(AREAS[run.pipeline], ())
    there = {area["name"]: Path(f"{run.spec['worktree']}-{area['name']}").is_dir() for area in areas}
    return {area["name"]: area["tree"] for area in areas if there[area["name"]] or area["tree"] != area["base"]}
