"""Runs the server until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import replace

import uvicorn

from andon.app.queries import open_store
from andon.app.serving import Address, listening
from andon.web.server import create_app
from andon.web.site import Site


def serve(environment: Mapping[str, str], address: Address, ready: Callable[[Address], None]) -> None:
    store = open_store(environment)
    opened = listening(address)
    bound = replace(address, port=_port(opened))
    app = create_app(Site.of(store, environment, bound.secure), bound.hosts)
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
    uvicorn.Server(config).run(sockets=[opened])


def _port(opened: socket.socket) -> int:
    return opened.getsockname()[1]
