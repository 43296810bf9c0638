"""Reviews of phases: what a person looks at, by version and tree, and what they decided."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "andon_reviews",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("run", sa.Text, sa.ForeignKey("andon_runs.id"), nullable=False),
        sa.Column("hold", sa.Text, nullable=False),
        sa.Column("phase", sa.Integer, nullable=False),
        sa.Column("tree", sa.Text, nullable=False),
        sa.Column("base", sa.Text, nullable=False),
        sa.Column("deliverables", sa.JSON, nullable=False),
        sa.Column("verification", sa.JSON, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("opened_at", sa.Float, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("decided_at", sa.Float),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("comments", sa.JSON, nullable=False),
        sa.Column("auto_approved", sa.Boolean, nullable=False),
        sa.Column("escalated_at", sa.Float),
        sa.Column("reviewer", sa.Text, nullable=False),
    )
    op.create_index("andon_reviews_run", "andon_reviews", ["run"])
    op.create_index("andon_reviews_status", "andon_reviews", ["status"])
