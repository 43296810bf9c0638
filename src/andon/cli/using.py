"""What a run used, for `andon status`: tokens and money, all in all, by role and by phase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from andon.cli.text import beside, cut, pad
from andon.domain.money import Use, in_dollars, used_by_phase, used_by_role

if TYPE_CHECKING:
    from andon.app.queries import RunView

LEAD = f"  {'used':<10}"
ROW = " " * len(LEAD)
NAME, ORDERS, TOKENS, MONEY = 18, 7, 13, 12
"""Columns of the table; with what stands before it, 75."""


def tell_use(seen: RunView) -> None:
    total = seen.total
    if not total.usage.tokens:
        click.echo(f"{LEAD}0 tokens")
        return
    parts = [f"{total.usage.tokens:,} tokens", in_dollars(total.usage), f"{total.seconds:,.0f} s of agents' work"]
    click.echo(beside(LEAD, ", ".join(filter(None, parts))))
    _table("role", used_by_role(seen.team))
    _table("phase", used_by_phase(seen.team))
    for note in _notes(seen):
        click.secho(beside(ROW, note), dim=True)


def _table(what: str, rows: Iterable[Use]) -> None:
    head = f"{what:<{NAME}}{'orders':>{ORDERS}}{'tokens':>{TOKENS}}{'cached':>{TOKENS}}{'cost':>{MONEY}}"
    click.secho(f"{ROW}{head}", dim=True)
    for row in rows:
        usage = row.usage
        amounts = f"{row.orders:>{ORDERS}}{usage.tokens:>{TOKENS},}{usage.cached_tokens:>{TOKENS},}"
        click.echo(f"{ROW}{pad(cut(row.name or '-', NAME - 1), NAME)}{amounts}{in_dollars(usage) or '-':>{MONEY}}")


def _notes(seen: RunView) -> Iterable[str]:
    usage = seen.total.usage
    if usage.estimated:
        part = "" if usage.estimated >= usage.money else f" (${usage.estimated:,.2f} of it)"
        yield f"~ is estimated{part} from prices of {seen.prices_dated}, where a program tells no cost; `andon models`."
    if usage.unpriced:
        yield f"No price is known for {usage.unpriced:,} tokens. [prices] in settings sets one."
