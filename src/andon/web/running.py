"""Runs the server until it is told to end."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import uvicorn

from andon.app.queries import open_store
from andon.app.serving import Address, announced, listening
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
        proxy_headers=False,
    )
    opened.listen(1024)
    with announced(store.home, bound):
        ready(bound)
        Server(config, site.feed).run(sockets=[opened])


HEAD_SECONDS = 20.0
"""In which a request has to say what it wants."""


class Server(uvicorn.Server):
    """Pages that are open listen for as long as they are let: told to end, it hangs up on them first; and at any time
    on whoever opens a connection and asks for nothing."""

    def __init__(self, config: uvicorn.Config, feed: Feed, patience: float = HEAD_SECONDS) -> None:
        super().__init__(config)
        self._feed = feed
        self._patience = patience
        self._idle: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        """Connections without a request, and since when."""

    async def on_tick(self, counter: int) -> bool:
        now = time.monotonic()
        for line in list(self.server_state.connections):
            asked: Any = getattr(line, "cycle", None)
            if asked is not None and not asked.response_complete:
                self._idle.pop(line, None)
            elif now - self._idle.setdefault(line, now) > self._patience:
                line.transport.close()  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue, reportUnknownMemberType]
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._feed.hang_up()
        await super().shutdown(sockets)


def _port(opened: socket.socket) -> int:
    return opened.getsockname()[1]
