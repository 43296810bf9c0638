"""The tables of the application, as SQLAlchemy Core. Only this package reads or writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Text(sa.TypeDecorator[str]):
    """Text that every database takes: NUL, and bytes that were not UTF-8, become the replacement character.

    What people and agents type must not be able to end a run. JSON columns need none of this: they escape.
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else _UNSTORABLE.sub("\ufffd", value)


class Unreadable(dict[str, Any]):
    """What stands in place of JSON that is none: whoever asks it for something hears why."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason

    def __missing__(self, key: str) -> Any:
        raise ValueError(self.reason)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key]

    def keys(self) -> Any:
        raise ValueError(self.reason)

    __iter__ = items = values = keys


def intact(row: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The row, all of whose columns can be read."""
    for name, value in row.items():
        if isinstance(value, Unreadable):
            raise ValueError(f"its {name}: {value.reason}")
    return row


class Json(sa.TypeDecorator[Any]):
    """One row that somebody broke by hand must not keep all others from being read."""

    impl = sa.JSON
    cache_ok = True

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Any:
        read = super().result_processor(dialect, coltype)

        def lenient(value: Any) -> Any:
            try:
                return read(value) if read else value
            except ValueError as error:
                return Unreadable(f"it is not JSON ({error})")

        return lenient


runs = sa.Table(
    "andon_runs",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("pipeline", Text, nullable=False),
    sa.Column("task", Text, nullable=False),
    sa.Column("feature", Text, nullable=False),
    sa.Column("repository", Text, nullable=False),
    sa.Column("branch", Text, nullable=False),
    sa.Column("status", Text, nullable=False),
    sa.Column("phase", Text, nullable=False, default=""),
    sa.Column("mode", Text, nullable=False, default=""),
    sa.Column("reason", Text, nullable=False, default=""),
    sa.Column("leg", sa.Integer, nullable=False, default=1),
    sa.Column("spec", Json, nullable=False),
    sa.Column("forked_from", Text),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
    sa.Index("andon_runs_repository", "repository", "created_at"),
)

journal = sa.Table(
    "andon_journal",
    metadata,
    sa.Column("run", Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", Text, nullable=False),
    sa.Column("phase", Text, nullable=False, default=""),
    sa.Column("data", Json, nullable=False),
    sa.UniqueConstraint("run", "key", name="andon_journal_once"),
)

evidence = sa.Table(
    "andon_evidence",
    metadata,
    sa.Column("run", Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", Text, nullable=False),
    sa.Column("digest", Text, nullable=False),
    sa.Column("previous", Text, nullable=False),
    sa.Column("envelope", Text, nullable=False),
    sa.UniqueConstraint("run", "key", name="andon_evidence_once"),
)

holds = sa.Table(
    "andon_holds",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("run", Text, sa.ForeignKey("andon_runs.id"), nullable=False),
    sa.Column("category", Text, nullable=False),
    sa.Column("text", Text, nullable=False),
    sa.Column("options", Json, nullable=False),
    sa.Column("default", Text),
    sa.Column("timeout", sa.Float),
    sa.Column("opened_at", sa.Float, nullable=False),
    sa.Column("answered_at", sa.Float),
    sa.Column("answer", Text),
    sa.Column("answered_by", Text),
    sa.Column("kept_at", sa.Float),
    sa.Column("kept_by", Text),
    sa.Index("andon_holds_run", "run"),
)

reviews = sa.Table(
    "andon_reviews",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("run", Text, sa.ForeignKey("andon_runs.id"), nullable=False),
    sa.Column("hold", Text, nullable=False),
    sa.Column("phase", sa.Integer, nullable=False),
    sa.Column("tree", Text, nullable=False),
    sa.Column("base", Text, nullable=False),
    sa.Column("deliverables", Json, nullable=False),
    sa.Column("verification", Json, nullable=False),
    sa.Column("status", Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("opened_at", sa.Float, nullable=False),
    sa.Column("decided_by", Text, nullable=False, default=""),
    sa.Column("decided_at", sa.Float),
    sa.Column("comment", Text, nullable=False, default=""),
    sa.Column("comments", Json, nullable=False),
    sa.Column("auto_approved", sa.Boolean, nullable=False, default=False),
    sa.Column("escalated_at", sa.Float),
    sa.Column("reviewer", Text, nullable=False, default=""),
    sa.Index("andon_reviews_run", "run"),
    sa.Index("andon_reviews_status", "status"),
)

wishes = sa.Table(
    "andon_wishes",
    metadata,
    sa.Column("id", Text, primary_key=True),
    sa.Column("state", Text, nullable=False),
    sa.Column("door", Text, nullable=False),
    sa.Column("text", Text, nullable=False),
    sa.Column("options", Json, nullable=False),
    sa.Column("repository", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("run", Text, nullable=False, default=""),
    sa.Column("problem", Text, nullable=False, default=""),
    sa.Index("andon_wishes_state", "state", "created_at"),
)

signals = sa.Table(
    "andon_signals",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", Text, nullable=False),
    sa.Column("kind", Text, nullable=False),
    sa.Column("subject", Text, nullable=False, default=""),
    sa.Column("at", sa.Float, nullable=False),
)

reminders = sa.Table(
    "andon_reminders",
    metadata,
    sa.Column("review", Text, sa.ForeignKey("andon_reviews.id"), primary_key=True),
    sa.Column("stage", Text, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("outcome", Text, nullable=False),
)

notices = sa.Table(
    "andon_notices",
    metadata,
    sa.Column("key", Text, primary_key=True),
    sa.Column("run", Text, nullable=False),
    sa.Column("event", Text, nullable=False),
    sa.Column("type", Text, nullable=False),
    sa.Column("urgency", Text, nullable=False),
    sa.Column("to", Text, nullable=False),
    sa.Column("title", Text, nullable=False),
    sa.Column("text", Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

deliveries = sa.Table(
    "andon_deliveries",
    metadata,
    sa.Column("notice", Text, sa.ForeignKey("andon_notices.key"), primary_key=True),
    sa.Column("target", Text, primary_key=True),
    sa.Column("name", Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("next_at", sa.Float),
    sa.Column("delivered_at", sa.Float),
    sa.Column("problem", Text, nullable=False, default=""),
    sa.Index("andon_deliveries_next", "next_at"),
)

switches = sa.Table(
    "andon_switches",
    metadata,
    sa.Column("name", Text, primary_key=True),
    sa.Column("value", Text, nullable=False),
    sa.Column("by", Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)
