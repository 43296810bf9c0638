"""Runs the server until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import replace

import uvicorn

from andon.app.queries import open_store
from andon.app.serving import Address, listening
from andon.web.feed import Feed
from andon.web.server import create_app
from andon.web.site import Site


def serve(environment: Mapping[str, str], address: Address, ready: Callable[[Address], None]) -> None:
    store = open_store(environment)
    opened = listening(address)
    bound = replace(address, port=_port(opened))
    site = Site.of(store, environment, bound.secure)
    app = create_app(site, bound.hosts)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ssl_certfile=str(bound.certificate) if bound.certificate else None,
        ssl_keyfile=str(bound.key) if bound.key else None,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=64 * 1024,
    )
    opened.listen(1024)
    ready(bound)
    Server(config, site.feed).run(sockets=[opened])


class Server(uvicorn.Server):
    """Pages that are open listen for as long as they are let: told to end, it hangs up on them first."""

    def __init__(self, config: uvicorn.Config, feed: Feed) -> None:
        super().__init__(config)
        self._feed = feed

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.hang_up()
        await super().shutdown(sockets)


def _port(opened: socket.socket) -> int:
    return opened.getsockname()[1]
