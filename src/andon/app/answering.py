"""Answering a question that a run waits for."""

from __future__ import annotations

from andon.app.given_secrets import keep
from andon.app.hosting import wake
from andon.app.legs import refuse_elsewhere
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.tasks.protocol import DENIED, GRANTED, SECRET, name_asked_for, takes_own_words
from andon.engine.holds import Hold


def answer(store: Store, hold: Hold, text: str, by: str) -> Hold:
    """Answer a question: by name or number of an option, or in words of one's own where an agent asks. Empty takes the
    default."""
    if hold.question.category == "review":
        told = f"`andon task approve {hold.run}` or `andon task request-changes {hold.run}` decides it."
        raise UserError("A review is decided with the version that was looked at", told)
    if hold.question.category == SECRET and text.strip().casefold() != DENIED:
        told = f"`andon task answer {hold.run}` asks for it, `andon task answer {hold.run} denied` refuses it."
        raise UserError("A secret is given where nobody sees it", told)
    options = hold.question.options
    chosen = text.strip() or (hold.question.default or "")
    if not chosen:
        raise UserError("The question has no default: an answer is needed", _choices(options))
    if chosen.isdecimal() and 1 <= int(chosen) <= len(options) and chosen not in options:
        chosen = options[int(chosen) - 1]
    elif options and chosen not in options and (chosen.isdecimal() or not takes_own_words(hold.question)):
        raise UserError(f"`{chosen}` is not one of the answers", _choices(options))
    answered = store.holds.answer(hold.id, chosen, by)
    wake(store, store.runs.get(hold.run))
    return answered


def keep_waiting(store: Store, hold: Hold, by: str) -> Hold:
    """Somebody is about to answer: the default is not taken, however long it takes. Asking twice changes nothing."""
    if hold.question.timeout is None:
        raise UserError(f"{hold.id} has no time limit", "It waits for as long as you need.")
    if store.holds.keep_waiting(hold.id, by):
        key = f"{hold.id.removeprefix(f'{hold.run}/')}/kept"
        store.journal.append(hold.run, key, "hold_kept", "", {"hold": hold.id, "by": by})
    return store.holds.get(hold.id) or hold


def give(store: Store, hold: Hold, value: str, by: str) -> Hold:
    """Keep the secret that a run asks for, and let it go on. What is told of it is that it was given (D-116)."""
    if hold.question.category != SECRET:
        raise UserError(f"{hold.id} asks for no secret", "Answer it in words.")
    if not hold.open:
        raise UserError(f"Question {hold.id} was already answered by {hold.answered_by}")
    refuse_elsewhere(store, store.runs.get(hold.run))
    keep(store.home, hold.run, name_asked_for(hold.question), value)
    answered = store.holds.answer(hold.id, GRANTED, by)
    wake(store, store.runs.get(hold.run))
    return answered


def _choices(options: tuple[str, ...]) -> str:
    return "; ".join(f"{number} {option}" for number, option in enumerate(options, start=1))
