"""The tables of the application, as SQLAlchemy Core. Only this package reads or writes them."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

runs = sa.Table(
    "andon_runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("pipeline", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("feature", sa.Text, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("branch", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False, default=""),
    sa.Column("mode", sa.Text, nullable=False, default=""),
    sa.Column("reason", sa.Text, nullable=False, default=""),
    sa.Column("leg", sa.Integer, nullable=False, default=1),
    sa.Column("spec", sa.JSON, nullable=False),
    sa.Column("forked_from", sa.Text),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("updated_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
    sa.Index("andon_runs_repository", "repository", "created_at"),
)

journal = sa.Table(
    "andon_journal",
    metadata,
    sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False, default=""),
    sa.Column("data", sa.JSON, nullable=False),
    sa.UniqueConstraint("run", "key", name="andon_journal_once"),
)

evidence = sa.Table(
    "andon_evidence",
    metadata,
    sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("envelope", sa.Text, nullable=False),
    sa.UniqueConstraint("run", "key", name="andon_evidence_once"),
)

holds = sa.Table(
    "andon_holds",
    metadata,
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
    sa.Index("andon_holds_run", "run"),
)

signals = sa.Table(
    "andon_signals",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False, default=""),
    sa.Column("at", sa.Float, nullable=False),
)
