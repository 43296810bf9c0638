"""Telling people: what a run says in its journal becomes notices, and a courier of its own delivers them.

Nothing a run does waits for it. What could not be delivered stays a row, and is tried again by whichever process comes.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from andon.app.notify_settings import HINT, Address, Book, book
from andon.app.serving import running
from andon.app.settings import load_settings
from andon.app.store import Store
from andon.connect import notify
from andon.domain.errors import UserError
from andon.domain.journal import Entry
from andon.domain.language import Language
from andon.domain.notices import About, Notice, of_entry, trial
from andon.domain.run import RunRow
from andon.engine.notices import BACK_OFF, Delivery

GRACE_SECONDS = 3.0
"""How long the last word of a run may wait for its turn once the run has ended."""
IDLE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one attempt."""

    delivery: Delivery
    problem: str = ""
    hint: str = ""
    given_up: bool = False


def book_of(store: Store, environment: Mapping[str, str], repository: Path | None = None) -> Book:
    """The addresses in force; of a repository's file only what a person trusted."""
    settings, _ = load_settings(store.home, repository, environment, {})
    return book(settings.notify, environment)


def language_of(run: RunRow) -> Language:
    """One that cannot be read is spoken of in English."""
    told = run.spec.get("language")
    return Language(told) if told in list(Language) else Language.EN


def about(run: RunRow) -> About:
    return About(run.id, run.task, run.repository, language_of(run))


class Courier:
    """Delivers what is due. Of several couriers each delivery is one's alone."""

    def __init__(self, store: Store, book: Book, environment: Mapping[str, str]) -> None:
        self._store = store
        self._book = book
        self._environment = environment

    def deliver_due(self, more: Callable[[], bool] = lambda: True) -> list[Tried]:
        """Everything that is due now, target by target side by side. One that fails is left alone until its time."""
        addresses = list(self._book.all.values())
        if not addresses:
            return []
        with ThreadPoolExecutor(len(addresses)) as pool:
            return [tried for each in pool.map(partial(self._to, more), addresses) for tried in each]

    def _to(self, more: Callable[[], bool], address: Address) -> list[Tried]:
        made: list[Tried] = []
        while more() and (found := self._store.notices.claim([address.target.fingerprint], time.time())):
            made.append(self._attempt(found, address))
            if made[-1].problem:
                break  # the same server would keep the next one waiting as long
        return made

    def _attempt(self, delivery: Delivery, address: Address) -> Tried:
        notice, notices = delivery.notice, self._store.notices
        problem = notify.deliver(address.url, notice.title, self._text(notice), notice.urgency, self._environment)
        if problem is None:
            notices.delivered(delivery, time.time())
            return Tried(delivery)
        message = self._store.redaction.text(problem.message)
        given_up = notices.failed(delivery, message, time.time())
        if notice.run and (given_up or not delivery.attempts):
            self._complain(delivery, message, given_up)
        return Tried(delivery, message, problem.hint, given_up)

    def _text(self, notice: Notice) -> str:
        """With the address of its page, where one is served."""
        served = running(self._store.home) if notice.run else []
        return f"{notice.text}\n\n{served[0]}/runs/{notice.run}" if served else notice.text

    def _complain(self, delivery: Delivery, problem: str, given_up: bool) -> None:
        """In the journal of the run it is about: when it first failed, and when there will be no more attempts."""
        notice = delivery.notice
        after = f"given up after {delivery.attempts + 1} attempts" if given_up else "tried again later"
        told = {"text": f"{delivery.target.name} was not told ({notice.event.value}): {problem}; {after}."}
        place = notice.key.removeprefix(notice.run).lstrip("/.")
        key = f"{place}/untold.{delivery.target.fingerprint[:6]}.{delivery.attempts + 1}"
        self._store.journal.append(notice.run, key, "warning", "", told)

    def next_at(self) -> float | None:
        return self._store.notices.next_at(self._book.all)


class Messenger:
    """For as long as this process executes a run: a thread that hears its journal, and a courier in it."""

    def __init__(self, store: Store, run: RunRow, book: Book, environment: Mapping[str, str]) -> None:
        self._store, self._run, self._book = store, run, book
        self._about = about(run)
        self._courier = Courier(store, book, environment)
        self._heard: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._until: float | None = None
        self._thread = threading.Thread(target=self._work, name="andon-messenger", daemon=True)

    def start(self) -> None:
        for entry in self._missed():
            self._heard.put(entry)
        self._store.journal.listen(self.hear)
        self._thread.start()

    def hear(self, entry: Entry) -> None:
        if entry.run == self._run.id:
            self._heard.put(entry)

    def close(self) -> None:
        """What was heard is kept and tried once; an attempt that is under way is waited for, and no other begins."""
        self._store.journal.ignore(self.hear)
        self._until = time.monotonic() + GRACE_SECONDS
        self._heard.put(None)
        self._thread.join(GRACE_SECONDS + notify.SECONDS + 2.0)

    def _missed(self) -> list[Entry]:
        """Of this leg, what a process that is gone may have kept to itself: questions that are still open."""
        open_ones = {hold.id for hold in self._store.holds.of_run(self._run.id) if hold.open}
        entries = self._store.journal.entries(self._run.id) if open_ones else []
        return [entry for entry in entries if entry.kind == "hold_opened" and entry.data.get("hold") in open_ones]

    def _work(self) -> None:
        while True:
            over = self._listen()
            with suppress(Exception):  # the database is away for a moment, or for good: that is the run's to tell
                self._courier.deliver_due(lambda: self._until is None or time.monotonic() < self._until)
            if over:
                return

    def _listen(self) -> bool:
        """Until something is heard, or due. True when it was the last."""
        entry = self._next(self._pause())
        while entry is not _SILENCE:
            if entry is None:
                return True
            self._keep(entry)
            entry = self._next(0.0)
        return False

    def _next(self, seconds: float) -> Entry | None:
        try:
            return self._heard.get(timeout=seconds) if seconds else self._heard.get_nowait()
        except queue.Empty:
            return _SILENCE

    def _pause(self) -> float:
        with suppress(Exception):
            due = self._courier.next_at()
            # Never less than a moment: one that another process has in hand is not asked for again and again.
            return IDLE_SECONDS if due is None else min(IDLE_SECONDS, max(0.5, due - time.time()))
        return IDLE_SECONDS

    def _keep(self, entry: Entry) -> None:
        notice = of_entry(self._about, entry)
        targets = self._book.addressed(notice) if notice else ()
        if notice and targets:
            with suppress(Exception):
                self._store.notices.post(notice, targets, time.time())


_SILENCE = Entry("", 0, 0.0, "")


@contextmanager
def notifying(store: Store, run: RunRow, environment: Mapping[str, str] | None = None) -> Generator[None]:
    """Tell people about a run while it is executed. Settings that are wrong cost the notices, never the run."""
    chosen = _chosen(store, run, environment if environment is not None else os.environ)
    if chosen is None:
        yield
        return
    messenger = Messenger(store, run, *chosen)
    messenger.start()
    try:
        yield
    finally:
        messenger.close()


def _chosen(store: Store, run: RunRow, environment: Mapping[str, str]) -> tuple[Book, Mapping[str, str]] | None:
    try:
        found = book_of(store, environment, Path(run.repository))
    except UserError as error:
        _warn(store, run, f"Nobody is told about this run: {error.message}")
        return None
    if found.missing:
        _warn(store, run, f"[notify] names {', '.join(found.missing)}, which is not set.")
    return (found, environment) if found.all else None


def _warn(store: Store, run: RunRow, text: str) -> None:
    store.journal.append(run.id, f"{run.leg}.0.notify", "warning", "prepare", {"text": text})


# --- by hand --------------------------------------------------------------------------------------------------------


def send_trial(
    store: Store, environment: Mapping[str, str], repository: Path | None, language: Language
) -> list[Tried]:
    """One notice to every address, now; what came of each."""
    found = book_of(store, environment, repository)
    if found.missing:
        raise UserError(f"[notify] names {', '.join(found.missing)}, which is not set", "Set it, or take it out.")
    if not found.all:
        raise UserError("No address to tell anybody at", HINT)
    notice = trial(language, f"test/{time.time_ns()}")
    targets = [each.target for each in found.all.values()]
    store.notices.post(notice, targets, time.time())
    tried = Courier(store, found, environment).deliver_due()
    return [each for each in tried if each.delivery.notice.key == notice.key]


def retry_in(delivery: Delivery) -> float | None:
    """Seconds from its last attempt to the next; None when there is none."""
    return BACK_OFF[delivery.attempts] if delivery.attempts < len(BACK_OFF) else None


def kept(store: Store, limit: int) -> list[Delivery]:
    return store.notices.deliveries(limit)


def newest(store: Store, run: str | None = None, limit: int = 50) -> list[Notice]:
    """What people were told, whether or not there is an address to tell them at."""
    return store.notices.newest(limit, run)
