"""`andon models`: which model serves which tier, and what it costs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from andon.cli.exits import DONE
from andon.cli.help import Command, json_option
from andon.cli.runs import repository_here
from andon.cli.text import cut, pad, wrapped

if TYPE_CHECKING:
    from andon.app.models import Model
    from andon.domain.money import Price

RUNTIME, TIER, NAME, PRICE = 10, 12, 30, 8
"""Columns; with the mark of settings, 77."""


@click.command(
    cls=Command,
    examples=(
        ("andon models", "Every runtime's models and prices, with what settings choose here."),
        ("andon models --json", "The same for a program."),
    ),
)
@json_option("A JSON object.")
def models(as_json: bool) -> int:
    """Show which model each runtime takes for each tier, and what it costs.

    A role asks for a tier (haiku, sonnet, opus, or one of them with a context of a million tokens); the runtime has a
    model for it. Settings choose others: [runtimes.NAME.models]. Settings also give a role a runtime of its own:
    [roles.ROLE] runtime = "NAME".

    Prices are in US dollars per million tokens: input, output, and input from the provider's cache. Money is reckoned
    from them where an agent's program tells none. Your own go before: [prices."MODEL"] input = …, output = …,
    cached = …; `*` in the name stands for anything.
    """
    from andon.app.models import models as told

    found = told(os.environ, repository_here())
    if as_json:
        shown = {
            "dated": found.dated,
            "prices_dated": found.prices_dated,
            "models": [each.as_json() for each in found.models],
            "roles": dict(found.roles),
        }
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return DONE
    head = f"{'runtime':<{RUNTIME}}{'tier':<{TIER}}{'model':<{NAME}}"
    click.secho(f"{head}{'input':>{PRICE}}{'output':>{PRICE}}{'cached':>{PRICE}}", dim=True)
    runtime = ""
    for each in found.models:
        click.echo(_row(each, "" if each.runtime == runtime else each.runtime))
        runtime = each.runtime
    for role, name in found.roles.items():
        click.echo(f"the role {role} works with {name}")
    for note in found.notes:
        click.echo(wrapped(note), err=True)
    dates = f"Models as of {found.dated}, prices in US dollars per million tokens as of {found.prices_dated}"
    click.secho(wrapped(f"{dates}; * is yours, by settings."), dim=True, err=True)
    return DONE


def _row(model: Model, lead: str) -> str:
    name = pad(cut(model.model, NAME - 2) + ("*" if model.chosen else ""), NAME)
    prices = _prices(model.price) + ("*" if model.own_price else "")
    return f"{lead:<{RUNTIME}}{model.tier:<{TIER}}{name}{prices}"


def _prices(price: Price | None) -> str:
    if price is None:
        return f"{'unknown':>{PRICE}}"
    cached = price.input if price.cached is None else price.cached
    return "".join(f"{each:>{PRICE}g}" for each in (price.input, price.output, cached))
