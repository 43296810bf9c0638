"""`andon plugin install|uninstall|lint|path`: UAM in Claude Code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from andon.cli.exits import DONE, FAILED
from andon.cli.help import Command, Group, json_option, option
from andon.cli.text import plain, wrapped
from andon.domain.counting import counted


@click.group(cls=Group)
def plugin() -> None:
    """UAM as a plugin of Claude Code: its hooks, agents and skills."""


def _scopes(command: Any) -> Any:
    for name, text in (
        ("--project", "For everybody who works in this folder's project."),
        ("--user", "For you, in every project.  [default]"),
    ):
        command = option(name, "scope", flag_value=name[2:], default="user" if name == "--user" else None, help=text)(
            command
        )
    return command


@plugin.command(
    "install",
    cls=Command,
    examples=(
        ("andon plugin install", "For you, in every project."),
        ("andon plugin install --project", "Written into .claude/settings.json of this folder."),
    ),
)
@_scopes
@json_option("A JSON object: what was installed, where, and by whom.")
def install_(scope: str | None, as_json: bool) -> int:
    """Install the plugin for Claude Code, without a network.

    A copy goes into andon's data folder, with the path of a real Python interpreter in its hooks. Claude Code installs
    it from there; where it is not on PATH, its settings file is written as it would have done.
    """
    from andon.app.plugin import USER, install

    done = install(os.environ, scope or USER, Path.cwd())
    if as_json:
        click.echo(json.dumps(done.as_json(), ensure_ascii=False, indent=2))
        return DONE
    click.echo(wrapped(f"Installed uam@andon ({done.scope}) from {plain(done.folder)}, hooks with {done.interpreter}."))
    told = (
        "Claude Code reads it at its next start. Say `uam …` there, or /uam:uam; /uam:uam-status shows how it stands."
    )
    click.echo(wrapped(told))
    return DONE


@plugin.command(
    "uninstall",
    cls=Command,
    examples=(("andon plugin uninstall", "Take it away again. What pipelines left in .uam stays."),),
)
@_scopes
@json_option("A JSON object: whether anything was taken away.")
def uninstall_(scope: str | None, as_json: bool) -> int:
    """Uninstall the plugin. Files of pipelines stay."""
    from andon.app.plugin import USER, uninstall

    removed = uninstall(os.environ, scope or USER, Path.cwd())
    if as_json:
        click.echo(json.dumps({"removed": removed}))
    else:
        click.echo("Uninstalled uam@andon." if removed else "It was not installed.")
    return DONE


@plugin.command(
    "lint",
    cls=Command,
    examples=(
        ("andon plugin lint", "The plugin that comes with andon."),
        ("andon plugin lint ~/my-plugin --json", "Another one, for a program."),
    ),
)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option("A JSON array of files and problems.")
def lint_(path: Path | None, as_json: bool) -> int:
    """Say what is wrong with a plugin at PATH that `claude plugin validate` does not see. Exit code 1 if anything is.

    Hook scripts that are missing, an interpreter that cannot be started, models and tools that do not exist, skills
    whose name is not their folder's, agents whose `validate_prompt` is missing or misspelt; of UAM also whether its
    agents, skills, commands and hooks are all there and as they should be.
    """
    from andon.app.plugin import lint, plugin_folder

    folder = path or plugin_folder()
    found = lint(folder)
    if as_json:
        click.echo(json.dumps([each.as_json() for each in found], ensure_ascii=False, indent=2))
    else:
        for each in found:
            click.echo(plain(f"{each.file}: {each.problem}"))
        count = counted(len(found), "problem")
        click.echo(f"{count} in {plain(str(folder))}" if found else "Nothing is wrong.", err=True)
    return FAILED if found else DONE


@plugin.command(
    "path",
    cls=Command,
    examples=(("claude --plugin-dir $(andon plugin path)", "Use it in one session; `andon plugin path` prints it."),),
)
@json_option("A JSON object.")
def path_(as_json: bool) -> int:
    """Print the folder of the plugin that comes with andon."""
    from andon.app.plugin import plugin_folder

    folder = str(plugin_folder())
    click.echo(json.dumps({"path": folder}) if as_json else plain(folder))
    return DONE
