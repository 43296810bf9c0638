"""Tasks before they are runs: drafts, and what waits for its turn. Started once, by whoever claims it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from andon.domain.errors import UserError
from andon.domain.unreadable import Sifted, number, sift
from andon.engine import tables
from andon.engine.database import reading


class WishState(StrEnum):
    DRAFT = "draft"
    PENDING = "pending"
    STARTING = "starting"
    STARTED = "started"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants done, in their words, and how."""

    id: str
    state: WishState
    door: str
    """task, auto or uam."""
    text: str
    repository: str
    by: str
    created_at: float
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    run: str = ""
    problem: str = ""
    """Why it could not be started the last time."""


class Wishes:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def add(self, wish: Wish) -> Wish:
        with self._engine.begin() as connection:
            connection.execute(tables.wishes.insert(), asdict(wish) | {"state": str(wish.state)})
        return wish

    def get(self, id: str) -> Wish:
        with reading(self._engine) as connection:
            row = connection.execute(sa.select(tables.wishes).where(tables.wishes.c.id == id)).mappings().first()
        if row is None:
            raise UserError(f"There is no task {id} to start", "The board shows what there is.")
        return _wish(row)

    def waiting(self) -> Sifted[Wish]:
        """Drafts and what is pending, the oldest first."""
        table = tables.wishes
        over = (str(WishState.STARTED), str(WishState.DROPPED))
        query = sa.select(table).where(table.c.state.not_in(over)).order_by(table.c.created_at, table.c.id)
        with reading(self._engine) as connection:
            return sift(connection.execute(query).mappings(), lambda row: row["id"], _wish)

    def move(self, id: str, before: WishState, after: WishState, **more: Any) -> bool:
        """From one state to another. False when somebody else was faster."""
        table = tables.wishes
        change = table.update().where(table.c.id == id, table.c.state == str(before))
        with self._engine.begin() as connection:
            return bool(connection.execute(change.values(state=str(after), **more)).rowcount)

    def drop(self, id: str) -> bool:
        """Whatever stands in the row. False when it has been started, or is not there."""
        table = tables.wishes
        begun = (str(WishState.STARTING), str(WishState.STARTED))
        change = table.update().where(table.c.id == id, table.c.state.not_in(begun))
        with self._engine.begin() as connection:
            return bool(connection.execute(change.values(state=str(WishState.DROPPED))).rowcount)


def _wish(row: Mapping[Any, Any]) -> Wish:
    typed: dict[str, Any] = {
        **tables.intact(row),
        "state": WishState(row["state"]),
        "created_at": number(row["created_at"]),
    }
    if not isinstance(row["options"], Mapping):
        raise ValueError("its options are no JSON object")
    return Wish(**typed)
