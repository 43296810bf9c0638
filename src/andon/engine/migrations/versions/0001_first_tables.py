"""First tables: runs, journal, evidence, holds, signals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

APPEND_ONLY = ("andon_journal", "andon_evidence")


def upgrade() -> None:
    _create_runs()
    _create_logs()
    _create_holds()
    dialect = op.get_bind().dialect.name
    for table in APPEND_ONLY:
        _forbid_changes_sqlite(table) if dialect == "sqlite" else _forbid_changes_postgresql(table)


def _create_runs() -> None:
    op.create_table(
        "andon_runs",
        sa.Column("id", sa.Text, primary_key=True),
        *[
            sa.Column(name, sa.Text, nullable=False)
            for name in ("pipeline", "task", "feature", "repository", "branch", "status", "phase", "mode", "reason")
        ],
        sa.Column("leg", sa.Integer, nullable=False),
        sa.Column("spec", sa.JSON, nullable=False),
        sa.Column("forked_from", sa.Text),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
    )
    op.create_index("andon_runs_repository", "andon_runs", ["repository", "created_at"])


def _create_logs() -> None:
    op.create_table(
        "andon_journal",
        sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.UniqueConstraint("run", "key", name="andon_journal_once"),
    )
    op.create_table(
        "andon_evidence",
        sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("envelope", sa.Text, nullable=False),
        sa.UniqueConstraint("run", "key", name="andon_evidence_once"),
    )


def _create_holds() -> None:
    op.create_table(
        "andon_holds",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("default", sa.Text),
        sa.Column("timeout", sa.Float),
        sa.Column("opened_at", sa.Float, nullable=False),
        sa.Column("answered_at", sa.Float),
        sa.Column("answer", sa.Text),
        sa.Column("answered_by", sa.Text),
    )
    op.create_index("andon_holds_run", "andon_holds", ["run"])
    op.create_table(
        "andon_signals",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )


def _forbid_changes_sqlite(table: str) -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _forbid_changes_postgresql(table: str) -> None:
    op.execute(
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
    )
