"""A question that somebody is about to answer: its default is not taken any more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("andon_holds", sa.Column("kept_at", sa.Float))
    op.add_column("andon_holds", sa.Column("kept_by", sa.Text))
