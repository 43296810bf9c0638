"""Help pages: options in groups, commands in the order of their use, and an example for every command."""

from __future__ import annotations

from typing import Any

import click

OPTIONS = "Options"
WHOLE = 1000
"""Characters: longer than any sentence of a help page."""


class Option(click.Option):
    """An option that is listed under a heading of its own."""

    def __init__(self, *args: Any, group: str = OPTIONS, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


class Command(click.Command):
    """A command whose help ends with examples: pairs of a command line and what it does."""

    def __init__(self, *args: Any, examples: tuple[tuple[str, str], ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if row is not None:
                groups.setdefault(getattr(param, "group", OPTIONS), []).append(row)
        # What every command has (--json, --help) stands last.
        for name in sorted(groups, key=lambda name: name == OPTIONS):
            with formatter.section(name):
                formatter.write_dl(groups[name])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line, meaning in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
                    formatter.indent()
                    formatter.write_text(meaning)
                    formatter.dedent()


class Group(click.Group):
    """A command with commands below it: listed in the order in which they are used, each with its whole sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(WHOLE)) for name, each in self.commands.items()])


def option(*names: str, group: str = OPTIONS, **attributes: Any) -> Any:
    return click.option(*names, cls=Option, group=group, **attributes)


def json_option(what: str) -> Any:
    return option("--json", "as_json", is_flag=True, help=what)
