"""Answering a question that a run waits for."""

from __future__ import annotations

from andon.app.hosting import wake
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.engine.holds import Hold


def answer(store: Store, hold: Hold, text: str, by: str) -> Hold:
    """Answer a question. With options, only one of them (by name or number) will do; empty takes the default."""
    if hold.question.category == "review":
        told = f"`andon task approve {hold.run}` or `andon task request-changes {hold.run}` decides it."
        raise UserError("A review is decided with the version that was looked at", told)
    options = hold.question.options
    chosen = text.strip() or (hold.question.default or "")
    if not chosen:
        raise UserError("The question has no default: an answer is needed", _choices(options))
    if options and chosen not in options:
        if not (chosen.isdecimal() and 1 <= int(chosen) <= len(options)):
            raise UserError(f"`{chosen}` is not one of the answers", _choices(options))
        chosen = options[int(chosen) - 1]
    answered = store.holds.answer(hold.id, chosen, by)
    wake(store, store.runs.get(hold.run))
    return answered


def _choices(options: tuple[str, ...]) -> str:
    return "; ".join(f"{number} {option}" for number, option in enumerate(options, start=1))
