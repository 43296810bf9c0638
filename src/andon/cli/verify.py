"""`andon verify`: the verdict on a change, for people and for CI."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, NoReturn

import click

from andon.cli.exits import INTERRUPTED
from andon.cli.help import Command, json_option, option
from andon.cli.lines import MARKS
from andon.cli.text import beside, one_line, wrapped
from andon.domain.counting import counted

if TYPE_CHECKING:
    from andon.app.verifying import Verified
    from andon.domain.verification import Verification

VERIFIED, REFUSED, UNMEASURED = 0, 1, 2
WHAT, HOW = "What is verified", "How"
MOST_NAMED = 5
"""Failures of one goal that are shown."""
MOST_EXCUSED = 20
"""Excused findings that are shown."""


@click.command(
    cls=Command,
    examples=(
        ("andon verify --base main", "The commit that is checked out, against main."),
        ("andon verify --base main --worktree", "With what is not committed yet."),
        ("andon verify --base main --head feature --command 'pytest -q'", "Another branch, by a command of yours."),
        ("andon verify --base main --plan docs/plan.md", "A plan declares which tests may change."),
        ('andon verify --base main --accept test-skipped-3fa2c1="broken upstream"', "You take a finding upon you."),
    ),
)
@option("--repo", default=".", show_default=True, group=WHAT, help="A folder of the repository.")
@option("--base", required=True, group=WHAT, help="The revision the change starts from, which is trusted.")
@option("--head", default="HEAD", show_default=True, group=WHAT, help="The revision to verify.")
@option("--worktree", is_flag=True, group=WHAT, help="Verify the files as they lie in the checkout instead.")
@option("--command", "commands", multiple=True, group=HOW, help="Measure with this command, instead of the base's own.")
@option("--plan", default=None, group=HOW, help="A Markdown file that declares changes of tests, dependencies, CI.")
@option("--oracle", default=None, group=HOW, help="A folder of hidden cases (TOML), outside the repository.")
@option("--accept", "accepted", multiple=True, metavar="ID=REASON", group=HOW, help="Accept a finding, on the record.")
@option("--trust-host", is_flag=True, group=HOW, help="Measure without a sandbox where there is none; recorded.")
@json_option("A JSON object: answer, findings, results.")
def verify(**given: Any) -> int:
    """Say whether a change may pass, by measuring it: on a clean copy, in a sandbox, by the base's tests and commands.

    Trusts nothing that the change brings along. Four answers: verified (exit code 0), refused (1: there is evidence of
    harm), ask (2: only its owner can know what was meant), not measured (2). Wrong usage ends with 3.
    """
    import asyncio

    from andon.app.queries import open_store
    from andon.app.verifying import verify as verify_change
    from andon.domain.errors import EnvironmentProblem

    request = _request(given)
    store = open_store(os.environ)
    began = _progress if sys.stderr.isatty() and not given["as_json"] else _silent

    async def until_enough() -> Verified:
        try:
            return await verify_change(store, request, began)
        except asyncio.CancelledError:
            # What was started has ended. A thread that compares files cannot be told to, and a large change takes it
            # minutes: the interpreter would wait for it.
            _leave(clear=began is _progress)

    try:
        verified = asyncio.run(until_enough())
    except EnvironmentProblem as problem:
        if given["as_json"]:
            told = {"answer": "not measured", "verdict": "not_measured", "unmeasured": [problem.message]}
            click.echo(json.dumps(told | {"hint": problem.hint}))
        else:
            click.echo(wrapped(f"? not measured: {problem.message}", "  "))
            if problem.hint:
                click.echo(wrapped(f"  {problem.hint}", "  "))
        return UNMEASURED
    finally:
        if began is _progress:
            click.echo("\r\x1b[K", nl=False, err=True)
    if given["as_json"]:
        from andon.app.verdicts import as_json

        click.echo(json.dumps(as_json(verified), ensure_ascii=False, indent=2))
    else:
        _show(verified)
    return _exit_code(verified.verification)


def _leave(*, clear: bool) -> NoReturn:
    if clear:
        click.echo("\r\x1b[K", nl=False, err=True)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(INTERRUPTED)


def _request(given: dict[str, Any]) -> Any:
    from pathlib import Path

    from andon.app.accepting import system_user
    from andon.app.verifying import Request
    from andon.domain.errors import UserError

    accepted = [each.partition("=") for each in given["accepted"]]
    for id, _, reason in accepted:
        if not reason.strip():
            raise UserError(f"{id} needs a reason", f'It is recorded with your name: --accept {id}="why it may stay"')
    if given["worktree"] and given["head"] != "HEAD":
        raise UserError("--head and --worktree cannot both be given", "Leave one of them out.")
    return Request(
        Path(given["repo"]),
        given["base"],
        given["head"],
        given["worktree"],
        tuple(given["commands"]),
        Path(given["plan"]) if given["plan"] else None,
        Path(given["oracle"]) if given["oracle"] else None,
        {id: reason.strip() for id, _, reason in accepted},
        system_user(os.environ),
        given["trust_host"],
    )


def _silent(name: str) -> None:
    """A file or a program has no use for a line that is overwritten."""


def _progress(name: str) -> None:
    click.echo(f"\r\x1b[K  measuring: {name}", nl=False, err=True)


def _exit_code(told: Verification) -> int:
    """A change of which nothing could be measured is not verified, though nothing stands against it."""
    match str(told.answer):
        case "verified":
            return VERIFIED if str(told.verdict) == "passed" else UNMEASURED
        case "refused":
            return REFUSED
        case _:
            return UNMEASURED


def _show(verified: Verified) -> None:
    told = verified.verification
    click.echo(wrapped(_headline(told), "  "))
    click.echo(
        wrapped(f"  since commit {verified.began_at[:12]}, in {verified.sandbox}, {verified.seconds:.1f} s", "  ")
    )
    against = [finding for finding in told.findings if not finding.asks]
    asked = [finding for finding in told.findings if finding.asks]
    _show_findings(against)
    if asked and against:
        click.echo("\n  To be known by its owner:")
    _show_findings(asked)
    _show_results(told)
    _show_excused(told)
    _show_ways_on(verified, told)


def _show_findings(findings: list[Any]) -> None:
    if findings:
        click.echo("")
    for place, of_place in groupby(findings, key=_place):
        click.echo(wrapped(f"  {place}", "  "))
        for finding in of_place:
            _show_finding(finding)


def _headline(told: Verification) -> str:
    count = len(told.findings)
    match str(told.answer):
        case "verified" if str(told.verdict) != "passed":
            return f"? not measured: {one_line(told.reason)}"
        case "verified" if told.excused:
            return "✓ verified: what was found is declared or accepted"
        case "verified":
            return "✓ verified: nothing stands against this change"
        case "refused":
            against = sum(not finding.asks for finding in told.findings)
            return f"✗ refused: {counted(against, 'finding')} against this change"
        case "ask":
            what = "1 change is" if count == 1 else f"{count} changes are"
            return f"? ask: nothing speaks against this change, but whether {what} meant only its owner knows"
        case _:
            return f"? not measured: {one_line(told.reason)}"


def _place(finding: Any) -> str:
    from andon.app.verdicts import rule_text

    return finding.path or rule_text(finding.rule)


def _show_finding(finding: Any) -> None:
    from andon.app.verdicts import finding_id

    lead = f"{finding.line:>6}  " if finding.line else f"{'':>8}"
    click.echo(beside(lead, one_line(finding.message.removeprefix(f"{finding.path}::"))))
    click.echo(f"{'':>8}{finding_id(finding)}")


def _show_results(told: Any) -> None:
    click.echo("")
    for result in told.results:
        counts = ", ".join(f"{number} {name}" for name, number in result.tests.items())
        why = one_line(result.reason) if not counts or str(result.verdict) == "passed" else ""
        how = "; ".join(filter(None, (counts, why))) or one_line(" ".join(result.command))
        words = str(result.verdict).replace("_", " ")
        click.echo(beside(f"  {MARKS[str(result.verdict)]} {result.goal:<10} {words:<13} ", how))
        for name in result.signatures[:MOST_NAMED] if words == "failed" else ():
            click.echo(beside(f"{'':>4}", one_line(name)))
    for note in told.notes:
        click.echo(beside("  · ", one_line(note)))
    for reason in told.unmeasured:
        click.echo(beside("  ? ", one_line(reason)))


def _show_excused(told: Any) -> None:
    if told.excused:
        click.echo("")
    for each in told.excused[:MOST_EXCUSED]:
        click.echo(beside("  = ", one_line(f"{each.finding.message}: {each.because}")))
    if len(told.excused) > MOST_EXCUSED:
        click.echo(beside("  = ", f"and {len(told.excused) - MOST_EXCUSED} more: --json tells each"))


def _show_ways_on(verified: Any, told: Any) -> None:
    click.echo("")
    click.echo(beside("  ", f"Evidence: andon evidence list {verified.run.id}"))
    if not told.findings and not told.unmeasured and str(told.verdict) != "passed":
        click.echo(beside("  ", "To have it measured, name what tests it: --command 'make test'"))
    if told.findings:
        click.echo(beside("  ", "What findings mean: andon help findings"))
        click.echo(
            beside("  ", "To let one stand: a plan that declares it (--plan), or --accept ID=REASON, on record.")
        )
