"""What another program may do with runs and tasks: look at everything, start, stop, resume, answer; not decide.

Who lets work pass is a person, unless the settings say otherwise (`mcp.may_decide`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from andon.app import tasks
from andon.app.answering import answer
from andon.app.controlling import resume_soon, stop_soon
from andon.app.folders import refuse_unlisted
from andon.app.home import HOSTED
from andon.app.memory import memory_of
from andon.app.queries import (
    find_evidence,
    find_run,
    list_runs,
    open_holds,
    open_questions,
    open_store,
    refuse_unknown_kinds,
    view,
)
from andon.app.resuming import Otherwise
from andon.app.settings import load_settings
from andon.app.start import host_auto
from andon.app.starting import StartOptions, user_name
from andon.app.store import Store
from andon.app.team_runs import host_team_inside
from andon.app.uam import Wish as UamWish
from andon.app.uam import host_uam
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.protocol import takes_own_words
from andon.domain.teams.recalling import Query
from andon.engine.holds import Hold

ANSWERABLE = ("question", "business", "clarification", "choice", "confirmation", "direction", "plan")
"""Questions of agents, and those that time answers anyway. What a person vouches for is not among them."""
MOST_OUTPUT = 20_000
MOST_ENTRIES = 500
MOST_HITS = 100
STARTING_SECONDS = 20.0
"""A process in the background needs a moment until it holds its run."""


class NotAllowed(UserError):
    """Only a person may do this."""


class Programs:
    """The same functions that people's commands call, for a program in their name."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.name = f"mcp:{user_name(environment)}"

    @cached_property
    def store(self) -> Store:
        return open_store(self.environment)

    # --- looking ------------------------------------------------------------------------------------------------

    def runs(self, repository: str | None, limit: int) -> list[dict[str, Any]]:
        return [each.as_json() for each in list_runs(self.store, max(1, limit), _folder(repository), whole=True)]

    def run(self, id: str) -> dict[str, Any]:
        store = self.store
        run = find_run(store, id)
        return view(store, run).as_json() | {"status": str(self._status(run))}

    def journal(self, id: str, after: int, limit: int, kinds: list[str] | None) -> dict[str, Any]:
        """A page: entries, and where the next one begins; `next_after` is null at the end."""
        refuse_unknown_kinds(kinds or ())
        store = self.store
        run = find_run(store, id)
        most = min(max(1, limit), MOST_ENTRIES)
        found = [each for each in store.journal.entries(run.id, after) if not kinds or each.kind in kinds]
        page = found[:most]
        more = page[-1].seq if len(found) > most else None
        return {"run": run.id, "entries": [asdict(each) for each in page], "next_after": more}

    def evidence(self, id: str) -> list[dict[str, Any]]:
        store = self.store
        records = store.ledger.records(find_evidence(store, id).id)
        return [{"number": each.seq, "digest": each.digest, "step": each.step, **each.predicate} for each in records]

    def evidence_of(self, id: str, number: int) -> dict[str, Any]:
        store = self.store
        row = find_evidence(store, id)
        record = next((each for each in store.ledger.records(row.id) if each.seq == number), None)
        if record is None:
            raise UserError(f"Run {row.id} has no evidence {number}", "list_evidence numbers what there is.")
        told = record.predicate
        output = store.ledger.store.read(told["output"]) if told.get("output") else None
        text = (output or b"").decode("utf-8", "replace")
        return {"statement": record.statement, "output": text[-MOST_OUTPUT:], "cut": len(text) > MOST_OUTPUT}

    def questions(self) -> list[dict[str, Any]]:
        return [_question(each) for each in open_questions(self.store)]

    def tasks(self, limit: int) -> list[dict[str, Any]]:
        return [each.as_json() for each in tasks.tasks(self.store, limit)]

    def task(self, id: str) -> dict[str, Any]:
        store = self.store
        found = tasks.task_of(store, find_run(store, id))
        review = found.pending
        told = dict(store.reviews.verification(review.id)) if review else {}
        return found.as_json() | {"verification": told, "deliverables": list(review.deliverables) if review else []}

    def memory(self, words: str, repository: str, limit: int) -> dict[str, Any]:
        """What a project remembers. No server is started for it."""
        folder = _folder(repository) or Path.cwd()
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder", "Name the folder of a repository.")
        kept = memory_of(folder, self.environment, server=False)
        return kept.search(Query(words, most=min(max(1, limit), MOST_HITS))).as_json()

    # --- acting -------------------------------------------------------------------------------------------------

    def start_auto(self, task: str, repository: str, budget: Mapping[str, Any]) -> dict[str, Any]:
        options = self._options(("--", task), repository, budget)
        return self._told(host_auto(options, self.environment))

    def start_uam(self, task: str, repository: str, kind: str, budget: Mapping[str, Any]) -> dict[str, Any]:
        options = self._options(("uam", kind, "--", task), repository, budget)
        return self._told(host_uam(options, UamWish(task, kind), self.environment))

    def start_task(
        self, text: str, repository: str, type: str | None, fields: Mapping[str, str], budget: Mapping[str, Any]
    ) -> dict[str, Any]:
        options = self._options(("task", "--", text), repository, budget)
        wish = tasks.Wish(text, TaskType(type) if type else None, fields)
        return self._told(tasks.host_task(options, wish, self.environment))

    def start_team(self, file: str, repository: str, budget: Mapping[str, Any]) -> dict[str, Any]:
        options = self._options((), repository, budget)
        limits = options.settings["budget"]
        return self._told(host_team_inside(options.repository, file, self.environment, limits))

    def answer(self, question: str, text: str) -> dict[str, Any]:
        store = self.store
        found = [each for each in open_questions(store) if each.id.startswith(question)] if question else []
        if len(found) != 1:
            what = f"No open question {question}" if not found else f"{question} is ambiguous"
            raise UserError(what, "list_questions lists what is open.")
        [hold] = found
        # A review is refused by `answer` itself, with how it is decided.
        if hold.question.category not in (*ANSWERABLE, "review") and not self._may_decide(store.runs.get(hold.run)):
            raise self._refusal("answer this question", f"andon answer {hold.id}")
        answered = answer(store, hold, text, self.name)
        return _question(answered) | {"answer": answered.answer}

    def decide(self, task: str, approve: bool, comment: str, version: int) -> dict[str, Any]:
        """Only where the settings allow it: whoever approves vouches for the work."""
        store = self.store
        run = find_run(store, task)
        found = tasks.task_of(store, run)
        if not self._may_decide(run):
            raise self._refusal("decide a review", f"andon task show {run.id}")
        review = tasks.decide(store, found, tasks.Verdict(approve, self.name, comment, version=version))
        return {"review": review.id, "phase": review.phase, "status": review.status.value, "version": review.version}

    def stop(self, id: str) -> dict[str, Any]:
        store = self.store
        run = find_run(store, id)
        stop_soon(store, run)
        return self._told(store.runs.get(run.id))

    def resume(self, id: str, direction: str | None) -> dict[str, Any]:
        store = self.store
        run = find_run(store, id)
        return self._told(resume_soon(store, run, Otherwise(None, None, direction, self.name)))

    # --- helpers ------------------------------------------------------------------------------------------------

    def resting(self, id: str) -> dict[str, Any] | None:
        """How a run stands, once nobody works on it; None while somebody does, or is about to: one that was answered
        says for a moment still that it waits."""
        store = self.store
        run = find_run(store, id)
        status = self._status(run)
        goes_on = status is Status.RUNNING or (status is Status.WAITING and not open_holds(store, run))
        return None if goes_on else view(store, run).as_json()

    def _status(self, run: RunRow) -> Status:
        """How it stands; one whose process is only starting is no interrupted one."""
        status, mark = self.store.status(run), self.store.home.run(run.id) / HOSTED
        with suppress(OSError):
            if status is Status.INTERRUPTED and time.time() - mark.stat().st_mtime < STARTING_SECONDS:
                return Status.RUNNING
        return status

    def _options(self, words: tuple[str, ...], repository: str, budget: Mapping[str, Any]) -> StartOptions:
        folder = _folder(repository) or Path.cwd()
        refuse_unlisted(self.store, self.environment, folder)
        limits = {key: value for key, value in budget.items() if value is not None}
        return StartOptions(words, folder, settings={"budget": limits or None})

    def _told(self, run: RunRow) -> dict[str, Any]:
        names = {"run": run.id, "pipeline": run.pipeline, "task": run.task, "repository": run.repository}
        return names | {"branch": run.branch, "status": str(self._status(run))}

    def _may_decide(self, run: RunRow) -> bool:
        settings, _ = load_settings(self.store.home, Path(run.repository), self.environment, {})
        return settings.mcp.may_decide

    def _refusal(self, what: str, way: str) -> NotAllowed:
        hint = f"A person does, with `{way}`. `mcp.may_decide = true` in the user's settings lets programs decide."
        return NotAllowed(f"Programs may not {what}: a person decides", hint)


def _folder(given: str | None) -> Path | None:
    return Path(given).expanduser().absolute() if given else None


def _question(hold: Hold) -> dict[str, Any]:
    asked = hold.question
    told = {"id": hold.id, "run": hold.run, "category": asked.category, "text": asked.text}
    told |= {"options": list(asked.options), "own_words": takes_own_words(asked)}
    told |= {"default": asked.default, "timeout": asked.timeout}
    return told | {"opened_at": hold.opened_at, "deadline": hold.deadline}
