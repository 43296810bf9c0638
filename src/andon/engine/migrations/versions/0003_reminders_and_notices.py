"""Reminders of reviews that wait, notices and their deliveries, and switches that hold for everybody."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "andon_reminders",
        sa.Column("review", sa.Text, sa.ForeignKey("andon_reviews.id"), primary_key=True),
        sa.Column("stage", sa.Text, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
    )
    op.create_table(
        "andon_notices",
        sa.Column("key", sa.Text, primary_key=True),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("run", "event", "type", "urgency", "to")],
        *[sa.Column(name, sa.Text, nullable=False) for name in ("title", "text")],
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "andon_deliveries",
        sa.Column("notice", sa.Text, sa.ForeignKey("andon_notices.key"), primary_key=True),
        sa.Column("target", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.Float),
        sa.Column("delivered_at", sa.Float),
        sa.Column("problem", sa.Text, nullable=False),
    )
    op.create_index("andon_deliveries_next", "andon_deliveries", ["next_at"])
    op.create_table(
        "andon_switches",
        sa.Column("name", sa.Text, primary_key=True),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("value", "by")],
        sa.Column("at", sa.Float, nullable=False),
    )
