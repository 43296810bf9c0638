"""Alembic's entry: upgrades the connection that database.py hands over, and looks at andon's own tables only."""

from __future__ import annotations

from typing import Any

from alembic import context

from andon.engine.tables import metadata


def _ours(thing: Any, name: str | None, kind: str, reflected: bool, compare_to: Any) -> bool:
    # DBOS keeps its tables in the same database; autogenerate must not propose to drop them.
    table = name if kind == "table" else getattr(getattr(thing, "table", None), "name", None)
    return table in metadata.tables


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="andon_schema",
    include_object=_ours,
)
with context.begin_transaction():
    context.run_migrations()
