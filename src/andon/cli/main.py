"""The `andon` command: a table of subcommands, each imported only when it is used, and one place where errors end."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from andon import __version__
from andon.cli.exits import ENVIRONMENT, USAGE

COMMANDS = {
    "auto": ("andon.cli.auto:auto", "Plan, do, check and act on a task, with agents, in this repository."),
    "demo": ("andon.cli.demo:demo", "See a whole run on a sample project, without keys or accounts."),
    "runs": ("andon.cli.runs:runs", "List runs."),
    "status": ("andon.cli.runs:status", "How one run stands."),
    "watch": ("andon.cli.runs:watch", "Follow a run that another process executes."),
    "logs": ("andon.cli.runs:logs", "The journal of a run."),
    "stop": ("andon.cli.control:stop", "Stop a run. It can be resumed."),
    "resume": ("andon.cli.control:resume", "Go on with a run that was stopped, interrupted or failed."),
    "fork": ("andon.cli.control:fork", "Repeat a run up to a step and go on from there as a new run."),
    "answer": ("andon.cli.control:answer", "List open questions, or answer one."),
    "evidence": ("andon.cli.evidence:evidence", "What was measured: list, show, verify."),
    "doctor": ("andon.cli.doctor:doctor", "What this machine offers: sandbox, git, runtimes, tools."),
    "trust": ("andon.cli.control:trust", "Trust this repository's andon.toml as it is now."),
}
EPILOG = """\b
Exit codes:
  0  done              3  usage: something to put right on the command line
  1  failed            4  environment: a program is missing, a disk is full …
  2  needs a person    130  stopped by Ctrl+C (the run can be resumed)
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

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else " `andon --help` lists the commands."
            raise click.UsageError(f"No command `{args[0]}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])


@click.group(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="andon")
def andon() -> None:
    """Drives coding agents through plan, design, do, check, act on real repositories.

    Nothing counts as done because an agent says so: andon measures, on a clean copy, in a sandbox.
    """


def main() -> None:
    """Run the command and leave with an exit code that means something."""
    from andon.domain.errors import EnvironmentProblem, UserError

    try:
        code = andon.main(standalone_mode=False)
    except click.UsageError as error:
        error.show()
        sys.exit(USAGE)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except UserError as error:
        _tell(error)
        sys.exit(ENVIRONMENT if isinstance(error, EnvironmentProblem) else USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        _tell(_disk_problem(error))
        sys.exit(ENVIRONMENT)
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: Any) -> None:
    click.secho("andon: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error.message, err=True)
    if error.hint:
        click.secho(f"  {error.hint}", dim=True, err=True)


def _disk_problem(error: OSError) -> Any:
    """A full or read-only disk is not a bug: say so. Anything else is, and keeps its traceback."""
    import errno

    from andon.domain.errors import EnvironmentProblem

    if error.errno in (errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EACCES):
        where = f" ({error.filename})" if error.filename else ""
        return EnvironmentProblem(
            f"{error.strerror}{where}", "Nothing is lost: free the disk, then `andon resume` goes on with the run."
        )
    raise error
