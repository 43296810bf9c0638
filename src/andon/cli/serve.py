"""`andon serve`: the web page and its API, on this machine. `andon token`: secrets for programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from andon.cli.help import Command, Group, json_option, option
from andon.cli.text import plain, wrapped
from andon.domain.errors import UserError

if TYPE_CHECKING:
    from andon.app.access import Access
    from andon.app.serving import Address

PORT = 3747
WHERE, WHO = "Where", "Who"
ROLES = ("viewer", "reviewer", "admin")


@click.command(
    cls=Command,
    examples=(
        ("andon serve", "Prints a link that signs your browser in, once."),
        ("andon serve --link", "Another link for the server that runs, such as for a second browser."),
        ("andon serve --link --role reviewer --name ann", "A link for somebody who decides reviews."),
    ),
)
@option("--port", group=WHERE, type=int, default=PORT, show_default=True, help="0 takes one that is free.")
@option("--host", group=WHERE, default="127.0.0.1", show_default=True, help="Others than loopback need TLS.")
@option("--name-of-host", "names", group=WHERE, multiple=True, metavar="NAME", help="Another name of this server.")
@option("--tls-cert", group=WHERE, type=click.Path(path_type=Path), metavar="FILE", help="Certificate, as PEM.")
@option("--tls-key", group=WHERE, type=click.Path(path_type=Path), metavar="FILE", help="Its private key.")
@option("--link", "only_link", group=WHO, is_flag=True, help="Print a new link and leave.")
@option("--role", group=WHO, type=click.Choice(ROLES), default="admin", show_default=True, help="Of the link.")
@option("--name", group=WHO, default="", help="Who uses the link.  [default: your user name]")
def serve(
    port: int,
    host: str,
    names: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    only_link: bool,
    role: str,
    name: str,
) -> None:
    """Serve the web page: board, runs, reviews, chat, office, settings.

    It listens on this machine only. Runs that it starts go on when it ends, and are taken up when it starts again.
    """
    from andon.app.access import Role
    from andon.app.home import Home
    from andon.app.serving import Address, checked, link, running
    from andon.app.starting import user_name

    home, who = Home.of(os.environ), name or user_name(os.environ)
    if only_link:
        click.echo(link(home, _found(running(home), port), who, Role(role)))
        return
    address = checked(Address(host, port, tls_cert, tls_key, names))
    home.make()

    def ready(bound: Address) -> None:
        click.echo(f"andon listens on {bound.url}")
        click.echo(f"\n  {link(home, bound.url, who, Role(role))}\n")
        click.echo(wrapped("Open this link: it signs your browser in, once, within a quarter of an hour. Ctrl+C ends."))

    from andon.web.running import serve as run

    run(os.environ, address, ready)


def _found(servers: list[str], port: int) -> str:
    """The one that listens on that port, else the one that was started last."""
    if not servers:
        raise UserError("No server runs over this data folder", "`andon serve` starts one, and prints a link.")
    return next((each for each in servers if each.endswith(f":{port}")), servers[0])


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def token() -> None:
    """Tokens for programs that use the API: `Authorization: Bearer TOKEN`."""


@token.command(cls=Command, examples=(("andon token create ci --role viewer", "Prints the token. It is shown once."),))
@click.argument("name")
@option("--role", type=click.Choice(ROLES), default="viewer", show_default=True, help="What it may do.")
def create(name: str, role: str) -> None:
    """Make a token called NAME."""
    from andon.app.access import Role

    click.echo(_access().token(name, Role(role)))


@token.command("list", cls=Command, examples=(("andon token list", "Names and roles; never the tokens themselves."),))
@json_option("A JSON array.")
def list_tokens(as_json: bool) -> None:
    """List tokens and signed-in browsers."""
    found = [*_access().tokens(), *_access().sessions()]
    if as_json:
        told = [{"id": p.id, "kind": p.kind.value, "name": p.name, "role": p.role.value} for p in found]
        click.echo(json.dumps(told, indent=2))
        return
    if not found:
        click.echo("None. `andon token create NAME` makes one.")
    for each in found:
        click.echo(f"{each.id}  {each.kind.value:<8} {each.role.value:<9} {plain(each.name)}")


@token.command(cls=Command, examples=(("andon token revoke ci", "It opens nothing any more, at once."),))
@click.argument("name")
def revoke(name: str) -> None:
    """Take back the token called NAME, or a signed-in browser by its id."""
    found = _access().revoke(name)
    click.echo(f"Taken back: {plain(found.name)} ({found.kind.value}, {found.role.value})")


def _access() -> Access:
    from andon.app.access import Access
    from andon.app.home import Home

    home = Home.of(os.environ)
    home.make()
    return Access(home)
