"""Draws where a run stands: what stopped it, what was tried, what is safe, what is open, and the ways on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from andon.cli.text import beside, columns, cut, one_line, pad, plain, width, wrapped
from andon.domain.language import Language, Wording

if TYPE_CHECKING:
    from andon.domain.auto.standing import Standing

STOPPED_BY = Wording("멈춘 까닭", "Stopped by")
TRIED = Wording("해 본 일", "What was tried")
SAFE = Wording("그대로 있는 것", "What is safe")
RESULT = Wording("결과", "What came of it")
OPEN = Wording("남은 지적", "Still open")
WAYS = Wording("이어가는 길", "Ways on")
AFTERWARDS = Wording("이제 할 수 있는 일", "What now")
ACCEPTED = Wording("수용: {reason} ({by})", "accepted by {by}: {reason}")
SHOWN_FINDINGS = 8
LABEL = 16
COUNT = 4
COMMAND = 44
"""Columns of a command; one that is longer has what it is for on the next line."""


def draw(standing: Standing, *, told: bool) -> None:
    """`told`: the reason's message stands just above, as the last lines of the run."""
    _cause(standing, told)
    _tried(standing)
    _safe(standing)
    _open(standing)
    _ways(standing)


def _cause(standing: Standing, told: bool) -> None:
    if standing.done or not standing.cause:
        return
    heading = _word(STOPPED_BY, standing)
    click.echo(f"\n{click.style(heading, bold=True)}  {standing.cause}")
    for line in () if told else plain(standing.message).splitlines():
        click.echo(wrapped(f"  {line}", "  "))


def _tried(standing: Standing) -> None:
    if standing.done or not standing.tried:
        return
    _heading(TRIED, standing)
    for each in standing.tried:
        line = f"  {pad(each.label, LABEL)}{each.count:>{COUNT - 2}} ×  "
        if not each.each:
            click.echo(line + cut(one_line(each.last), max(20, columns() - width(line))))
        for told in each.each:
            click.echo(beside(line, one_line(told)))
            line = " " * width(line)


def _safe(standing: Standing) -> None:
    _heading(RESULT if standing.done else SAFE, standing)
    for each in standing.safe:
        click.echo(beside(f"  {pad(each.label, LABEL)}", each.text))


def _open(standing: Standing) -> None:
    if not standing.findings:
        return
    _heading(OPEN, standing)
    for each in standing.findings[:SHOWN_FINDINGS]:
        line = f"  {'✓' if each.accepted else '✗'} {pad(each.id, LABEL - 2)}  "
        click.echo(line + cut(one_line(each.text), max(20, columns() - width(line))))
        if each.accepted:
            why = _word(ACCEPTED, standing).format(by=each.accepted_by, reason=one_line(each.accepted_because))
            click.echo(beside(" " * (LABEL + 4), why))
    if (more := len(standing.findings) - SHOWN_FINDINGS) > 0:
        click.echo(f"  … +{more}")


def _ways(standing: Standing) -> None:
    if not standing.ways:
        return
    _heading(AFTERWARDS if standing.done else WAYS, standing)
    for way in standing.ways:
        command = f"  {way.command}"
        if width(command) < COMMAND:
            click.echo(pad(command, COMMAND) + cut(way.why, max(20, columns() - COMMAND)))
        else:
            click.echo(f"{command}\n{'':{COMMAND}}{way.why}")


def _heading(wording: Wording, standing: Standing) -> None:
    click.secho(f"\n{_word(wording, standing)}", bold=True)


def _word(wording: Wording, standing: Standing) -> str:
    return wording.ko if standing.language is Language.KO else wording.en
