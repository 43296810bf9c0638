"""Tasks before they are runs: drafts, and what waits for its turn."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "andon_wishes",
        sa.Column("id", sa.Text, primary_key=True),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("state", "door", "text")],
        sa.Column("options", sa.JSON, nullable=False),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("repository", "by")],
        sa.Column("created_at", sa.Float, nullable=False),
        *[sa.Column(name, sa.Text, nullable=False) for name in ("run", "problem")],
    )
    op.create_index("andon_wishes_state", "andon_wishes", ["state", "created_at"])
