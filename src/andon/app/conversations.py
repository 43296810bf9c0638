"""Conversations (`custom` tasks): what was said, the next message, a rating, the end, and figures over all of them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from andon.app.answering import answer
from andon.app.hosting import host
from andon.app.legs import refuse_elsewhere
from andon.app.outcome import Finished, execute
from andon.app.queries import follow, open_holds
from andon.app.resuming import Otherwise, Show, next_leg
from andon.app.standing import standing_of
from andon.app.store import Store
from andon.app.tasks import Task, tasks
from andon.domain.errors import Conflict, UserError
from andon.domain.journal import Entry
from andon.domain.run import Ending, RunRow, Status
from andon.domain.tasks.conversation import ABANDONED_SECONDS, AGENT, ENDED, PERSON
from andon.domain.tasks.metrics import Conversation, Feedback, Metrics, feedback_problem
from andon.domain.tasks.metrics import metrics as figures
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.quality import QualityScore, quality_score

MOST_CHARACTERS = 20_000
"""Of one message: as many as of a task."""


@dataclass(frozen=True, slots=True)
class Turn:
    author: str
    """`person` or `agent`."""
    by: str
    text: str
    at: float
    score: QualityScore | None = None
    """Of an answer. A person's rating is its accuracy (D-62)."""
    rating: int | None = None
    comment: str = ""

    def as_json(self) -> dict[str, Any]:
        score = asdict(self.score) | {"overall": self.score.overall} if self.score else None
        return asdict(self) | {"score": score}


def conversation(store: Store, task: Task) -> list[Turn]:
    """Everything that was said, the oldest first."""
    _need_conversation(task)
    return _turns(store.journal.entries(task.run.id))


def as_task(turns: Sequence[Turn]) -> str:
    """What a task would begin with: the question, and what was said about it, newest words kept where it is long."""
    if not turns:
        return ""
    first, *rest = turns
    said = "\n\n".join(f"{each.by}: {each.text.strip()}" for each in rest)
    left = MOST_CHARACTERS - len(first.text) - 2
    kept = said if len(said) <= left else f"…{said[len(said) - max(0, left - 1) :]}" if left > 1 else ""
    return f"{first.text.strip()}\n\n{kept}".strip()[:MOST_CHARACTERS]


def say(store: Store, task: Task, text: str, by: str, show: Show) -> Finished:
    """The next message, and in this process all that it takes to answer it."""
    run = post(store, task, text, by)
    if store.lock(run.id).held_by_someone:  # the message answers what its agent asked there
        for entry in follow(store, run.id):
            show(entry)
        run = store.runs.get(run.id)
        return Finished(run, Ending(run.status, run.reason), standing_of(store, run))
    store.journal.listen(show)
    return execute(store, run)


def post(store: Store, task: Task, text: str, by: str) -> RunRow:
    """Keep the next message; whoever executes the run then has it answered. Where the agent asks something, the message
    is the answer to that."""
    _need_conversation(task)
    _refuse_unusable(text)
    run = task.run
    if holds := open_holds(store, run):
        answer(store, holds[0], text, by)
        return run
    refuse_elsewhere(store, run)
    if store.status(run) in (Status.RUNNING, Status.WAITING, Status.INTERRUPTED):
        interrupted = store.status(run) is Status.INTERRUPTED
        hint = f"`andon resume {run.id}` goes on with it." if interrupted else "Wait for its answer."
        raise Conflict(f"The last message of {run.id} is not answered yet", hint)
    if run.status is Status.CLOSED:
        raise UserError(f"Conversation {run.id} is closed", f"`andon reopen {run.id}` opens it again.")
    return next_leg(store, run, Otherwise(by=by), {"text": text, "by": by})


def post_soon(store: Store, task: Task, text: str, by: str) -> RunRow:
    """The same for whoever does not want to wait: it is answered in the background."""
    run = post(store, task, text, by)
    if run.leg != task.run.leg:  # otherwise the answer to its question has woken it
        host(store, run)
    return run


def rate(store: Store, task: Task, rating: int, comment: str, by: str) -> Turn:
    """What a person thinks of the last answer (D-63)."""
    _need_conversation(task)
    if problem := feedback_problem(rating):
        raise UserError(problem[0].upper() + problem[1:], "1 is bad, 5 is good.")
    if not any(each.author == AGENT for each in conversation(store, task)):
        raise UserError(f"Nothing is answered yet in {task.run.id}", "Rate it when there is an answer.")
    told = {"rating": rating, "comment": comment, "by": by}
    store.journal.append(task.run.id, _key(task.run, "feedback"), "feedback", "", told)
    return next(each for each in reversed(conversation(store, task)) if each.author == AGENT)


def end(store: Store, task: Task, by: str) -> None:
    """The person has what they wanted. A later message goes on all the same (D-54)."""
    _need_conversation(task)
    refuse_elsewhere(store, task.run)
    if store.status(task.run) in (Status.RUNNING, Status.WAITING, Status.INTERRUPTED):
        raise UserError(f"{task.run.id} is being answered", f"`andon stop {task.run.id}` stops that.")
    store.journal.append(task.run.id, _key(task.run, "end"), "conversation_ended", "", {"by": by})
    store.runs.update(task.run.id, status=str(Status.DONE), reason=ENDED, ended_at=time.time())


def metrics(store: Store, repository: str | None = None, now: float | None = None) -> Metrics:
    """The eight figures over all conversations, or those of one repository (D-64)."""
    at = time.time() if now is None else now
    found = [each for each in tasks(store, 1000) if each.type is TaskType.CUSTOM]
    found = [each for each in found if repository in (None, each.run.repository)]
    return figures([_summed(store, each, at) for each in found])


def _summed(store: Store, task: Task, now: float) -> Conversation:
    entries = store.journal.entries(task.run.id)
    turns = _turns(entries)
    given = tuple(
        Feedback(each.data["rating"], datetime.fromtimestamp(each.at, UTC), each.data["comment"])
        for each in entries
        if each.kind == "feedback"
    )
    left = not task.state.ended and not given and bool(turns) and now - turns[-1].at > ABANDONED_SECONDS
    return Conversation(
        tuple(each.text for each in turns if each.author == PERSON),
        tuple(each.text for each in turns if each.author == AGENT),
        given,
        left or task.run.status is Status.CLOSED,
    )


def _turns(entries: Sequence[Entry]) -> list[Turn]:
    turns: list[Turn] = []
    for entry in entries:
        data = entry.data
        if entry.kind == "turn":
            asked = next((each.text for each in reversed(turns) if each.author == PERSON), "")
            score = quality_score(data["text"], asked) if data["author"] == AGENT else None
            turns.append(Turn(data["author"], data["by"], data["text"], entry.at, score))
        elif entry.kind == "feedback" and (last := _last_answer(turns)) is not None:
            found = turns[last]
            score = found.score and replace(found.score, accuracy=data["rating"], accuracy_assessed=True)
            turns[last] = replace(found, rating=data["rating"], comment=data["comment"], score=score)
    return turns


def _last_answer(turns: Sequence[Turn]) -> int | None:
    return next((at for at in range(len(turns) - 1, -1, -1) if turns[at].author == AGENT), None)


def _need_conversation(task: Task) -> None:
    if task.type is not TaskType.CUSTOM:
        told = f"Task {task.run.id} is no conversation but {task.type.value}"
        raise UserError(told, f"`andon task show {task.run.id}` tells how it stands.")


def _refuse_unusable(text: str) -> None:
    if not text.strip():
        raise UserError("The message says nothing", 'For example: andon task chat "And how do I test it?"')
    if len(text) > MOST_CHARACTERS:
        told = f"The message has {len(text)} characters, at most {MOST_CHARACTERS} reach a prompt"
        raise UserError(told, "Put the long part into a file of the repository, and name that.")


def _key(run: RunRow, what: str) -> str:
    """Of something that a person may do any number of times, also two at once."""
    return f"{run.leg}.0.{what}.{secrets.token_hex(6)}"
