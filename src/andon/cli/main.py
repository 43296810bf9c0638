"""The `andon` command: a table of subcommands, each imported only when it is used, and the one way in and out."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from typing import Any

import click

from andon import __version__

YOUNG = 20_000
"""New objects until Python looks for cycles among them. Importing makes so many that the usual 700 cost a tenth of
it."""
COMMANDS = {
    "auto": ("andon.cli.auto:auto", "Plan, do, check and act on a task, with agents, in this repository."),
    "uam": ("andon.cli.uam:uam", "Plan-driven: PLAN.md, parallel workers, three gates, a fix loop that converges."),
    "task": ("andon.cli.task:task", "Work in phases: an agent does each, andon verifies it, a person decides."),
    "team": ("andon.cli.team:team", "Make a team out of what you have: scan, analyse a workflow, compose."),
    "memory": ("andon.cli.memory:memory", "What this project remembers: search, list, add, forget, decide."),
    "serve": ("andon.cli.serve:serve", "The web page: board, runs, reviews, chat, office, settings."),
    "token": ("andon.cli.serve:token", "Tokens for programs that use the API."),
    "demo": ("andon.cli.demo:demo", "See a whole run on a sample project, without keys or accounts."),
    "runs": ("andon.cli.runs:runs", "List runs."),
    "status": ("andon.cli.runs:status", "How one run stands."),
    "watch": ("andon.cli.runs:watch", "Follow a run that another process executes."),
    "logs": ("andon.cli.runs:logs", "The journal of a run."),
    "stop": ("andon.cli.control:stop", "Stop a run. It can be resumed."),
    "resume": ("andon.cli.control:resume", "Go on with a run that was stopped, interrupted or failed."),
    "take-over": ("andon.cli.taking_over:take_over", "Work on a run's files yourself, in a shell."),
    "accept": ("andon.cli.accepting:accept", "List the open findings of a run, or accept one."),
    "fork": ("andon.cli.control:fork", "Repeat a run up to a step and go on from there as a new run."),
    "close": ("andon.cli.closing:close", "End a run for good. Its record stays."),
    "reopen": ("andon.cli.closing:reopen", "Open a run again that was closed."),
    "answer": ("andon.cli.control:answer", "List open questions, or answer one."),
    "notify": ("andon.cli.notify:notify", "Whom andon tells: try it, see what was sent, send what is due."),
    "mcp": ("andon.mcp_server:mcp", "Serve other programs: runs, tasks and evidence as MCP tools."),
    "verify": ("andon.cli.verify:verify", "Say whether a change may pass: measured, whoever wrote it."),
    "evidence": ("andon.cli.evidence:evidence", "What was measured: list, show, verify."),
    "init": ("andon.cli.init:init", "Write an andon.toml with every setting explained, all commented out."),
    "env": ("andon.cli.env:env", "What checks run with here: found, tried, written into andon.toml."),
    "doctor": ("andon.cli.doctor:doctor", "What this machine offers: sandbox, git, runtimes, tools."),
    "models": ("andon.cli.models:models", "Which model serves which tier, runtime by runtime."),
    "plugin": ("andon.cli.plugin:plugin", "UAM in Claude Code: install, uninstall, lint."),
    "trust": ("andon.cli.control:trust", "Trust this repository's andon.toml as it is now."),
    "help": ("andon.cli.topics:show_topic", "Explain a topic, such as what replaced ralph, or a command."),
}
EPILOG = """\b
Exit codes:
  0  done              3  usage: something to put right on the command line
  1  failed            4  environment: a program is missing, a disk is full …
  2  needs a person    130  stopped by Ctrl+C (the run can be resumed)
\b
Start with `andon demo`; then `andon doctor`; then `andon auto "task"`.
`andon help doors` tells auto, uam, task and team apart.
"""


class Commands(click.Group):
    """Shows help without importing what is not used: `andon --help` must be quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            from andon.domain.auto.options import after_trigger

            words = after_trigger(args)
            if words is not None:  # `work`, `ralph` and their kin mean `auto`
                return super().resolve_command(ctx, ["auto", *words])

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            raise click.UsageError(f"No command `{args[0]}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read has seen enough (`andon logs | head -1`): that is no failure.
            from andon.cli.executing import drop_output

            drop_output()
            return 0
        return code


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="andon")
@click.pass_context
def andon(ctx: click.Context) -> None:
    """Drives coding agents through plan, design, do, check, act on real repositories.

    Nothing counts as done because an agent says so: andon measures, on a clean copy, in a sandbox.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        ctx.color = False


def main() -> None:
    """Run the command and leave with an exit code that means something."""
    gc.set_threshold(YOUNG)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # File names may hold bytes that are no text in any language; showing one must not end the program.
            stream.reconfigure(errors="backslashreplace")
    code = _run()
    try:
        sys.stdout.flush()
    except OSError:  # its disk is full; that was told, and the interpreter would complain once more
        from andon.cli.executing import drop_output

        drop_output()
    gc.freeze()  # else the interpreter looks through every module once more before it ends
    sys.exit(code)


def _run() -> int:
    try:
        code = andon.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 3
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:
        from andon.cli.errors import tell

        return tell(error)
    return code if isinstance(code, int) else 0
