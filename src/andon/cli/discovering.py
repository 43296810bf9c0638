"""`andon auto` without a task: says which tier has something to do and why, and starts a run only when told to."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from andon.cli.answers import can_be_typed
from andon.cli.errors import tell
from andon.cli.executing import execute_and_show
from andon.cli.exits import DONE, NEEDS_PERSON
from andon.cli.lines import MARKS
from andon.cli.text import columns, cut, one_line, plain, wrapped
from andon.domain.auto.discovery import TIERS, Tier

if TYPE_CHECKING:
    from andon.app.discovery import Discovery, Look
    from andon.app.starting import StartOptions

SHOWN = 10
"""Findings that are listed; --json has all of them."""


def discover_and_act(options: StartOptions, *, as_json: bool, dry_run: bool, yes: bool) -> int:
    """Look, say what was found, and start the proposed run when a person says so."""
    from andon.app.discovery import discover

    found = discover(options, os.environ, lambda text: click.echo(f"{plain(text)} …", err=True))
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
    else:
        _show(found)
    if found.choice.tier is Tier.AUTONOMOUS or dry_run:
        return DONE
    if not found.task:
        return NEEDS_PERSON
    if found.obstacle:
        code = tell(found.obstacle)
        return code if yes else NEEDS_PERSON
    if not yes and (as_json or not can_be_typed()):
        click.echo("Nothing was started: that needs --yes, or a person at a terminal.", err=True)
        return NEEDS_PERSON
    if not yes and not click.confirm("Start this run?", default=False):
        click.echo("Nothing was started.")
        return DONE
    from andon.app.start import start_auto

    chosen = replace(options, words=(*options.words, found.task))
    return execute_and_show(as_json, lambda show: start_auto(chosen, os.environ, show))


def advise_on_context(as_json: bool) -> int:
    """Tier 0, when a task was given: it comes before Tier 1 (A-151)."""
    from andon.app.discovery import CONTEXT_STEPS

    if as_json:
        steps = [{"command": step.command, "meaning": step.meaning} for step in CONTEXT_STEPS]
        click.echo(json.dumps({"kind": "discovery", "tier": 0, "name": "context", "task": "", "steps": steps}))
        return NEEDS_PERSON
    click.echo(_heading(Tier.CONTEXT))
    for step in CONTEXT_STEPS:
        _show_step(step.command, step.meaning)
    return NEEDS_PERSON


def _show(found: Discovery) -> None:
    for note in found.notes:
        click.echo(wrapped(f"  ! {plain(note)}", "    "))
    for look in found.looks:
        click.echo(cut(_look(look), columns()))
    click.echo(_heading(found.choice.tier))
    findings = found.choice.findings
    for each in findings[:SHOWN]:
        click.echo(wrapped(f"  {one_line(each)}", "    "))
    if not findings and found.choice.tier is Tier.AUTONOMOUS:
        click.echo("  There is nothing to propose.")
    if len(findings) > SHOWN:
        click.echo(f"  and {len(findings) - SHOWN} more (--json lists all)")
    if found.task:
        click.echo(wrapped(f"Task: {one_line(found.task)}", "      "))
    for step in found.steps:
        _show_step(step.command, step.meaning)


def _heading(tier: Tier) -> str:
    why, what = TIERS[tier]
    return wrapped(f"Tier {int(tier)} {tier.name}: {why}. What follows: {what}.", "  ")


def _look(look: Look) -> str:
    if look.seen in MARKS:
        return f"  {MARKS[look.seen]} {look.what:<13} {look.seen.replace('_', ' ')}  {one_line(look.note)}".rstrip()
    mark = "?" if look.seen == "unknown" else "·"
    return f"  {mark} {look.what:<13} {look.seen}  {one_line(look.note)}".rstrip()


def _show_step(command: str, meaning: str) -> None:
    click.echo(f"  {one_line(command)}")  # never broken into lines: a person copies it
    click.secho(wrapped(f"    {meaning}", "    "), dim=True)
