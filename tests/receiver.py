"""A server on this machine that people's notices are sent to."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECONDS = 60.0


class Receiver:
    """A server on loopback that keeps what it is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.status, self.hanging = 200, threading.Event()
        self.hanging.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.hanging.wait(SECONDS)
                if receiver.status == 200:
                    receiver.got.append(body | {"path": self.path})
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"json://127.0.0.1:{self._server.server_address[1]}/told"

    def close(self) -> None:
        self.hanging.set()
        self._server.shutdown()
        self._server.server_close()

    def until(self, count: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + SECONDS
        while len(self.got) < count:
            assert time.monotonic() < deadline, f"{len(self.got)} of {count} notices came"
            time.sleep(0.02)
        return self.got
