"""The HTTP side: loopback only, one thread a request, every request kept for tests to look at."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from model_server import conversation
from model_server.answers import Answer, written
from model_server.conversation import Request
from model_server.troubles import Trouble

Play = Callable[[Request], Answer | Trouble]
_MODEL = {"id": "stub", "object": "model", "created": 0, "owned_by": "loopback"}


@dataclass
class ModelServer:
    """`with ModelServer(Player(path)).serving() as server:`, then server.url."""

    play: Play | Any
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    """They befall requests before the scenario is played, in this order."""
    seen: list[Request] = field(default_factory=list[Request])
    first_at: float | None = None
    """When the first request came, on the clock of `time.monotonic`."""
    elsewhere: list[str] = field(default_factory=list[str])
    """Paths that nobody should ask a model server for."""
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[ModelServer]:
        http = _Http(("127.0.0.1", port), _Exchange)
        http.owner = self
        self.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._ended.set()
            http.shutdown()
            http.server_close()
            thread.join(timeout=5)

    def answer(self, request: Request) -> Answer | Trouble:
        with self._lock:
            self.first_at = self.first_at or time.monotonic()
            self.seen.append(request)
            if self.troubles:
                trouble = self.troubles[0]
                if trouble.times is not None:
                    self.troubles[0:1] = [_once_less(trouble)] if trouble.times > 1 else []
                return trouble
        player = getattr(self.play, "answer", self.play)
        try:
            return player(request)
        except Exception as error:
            return Trouble(400, f"the scenario cannot be played: {error!r}")

    def wait(self, seconds: float) -> bool:
        """False: the server ended meanwhile."""
        return not self._ended.wait(seconds)


def _once_less(trouble: Trouble) -> Trouble:
    return replace(trouble, times=(trouble.times or 1) - 1)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", [b""])

    def do_GET(self) -> None:
        if self.path.partition("?")[0].endswith("/models"):
            self._send(
                200, "application/json", [json.dumps({"object": "list", "data": [_MODEL], "models": []}).encode()]
            )
        else:
            self.server.owner.elsewhere.append(f"GET {self.path}")
            self._send(404, "application/json", [b"{}"])

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            self._send(415, "application/json", [b'{"error": "which encoding is that?"}'])
            return
        for ending, counted in (
            ("/count_tokens", b'{"input_tokens": 1000}'),
            (":countTokens", b'{"totalTokens": 1000}'),
        ):
            if self.path.partition("?")[0].endswith(ending):
                self._send(200, "application/json", [counted])
                return
        request = conversation.read(self.path, body)
        if request is None:
            self.server.owner.elsewhere.append(f"POST {self.path}")
            self._send(404, "application/json", [b"{}"])
            return
        self._answer(request)

    def _body(self) -> Any | None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        encoding = self.headers.get("content-encoding", "")
        if encoding not in ("", "identity", "gzip"):
            return None
        try:
            return json.loads(gzip.decompress(data) if encoding == "gzip" else data)
        except ValueError:
            return {}

    def _answer(self, request: Request) -> None:
        match self.server.owner.answer(request):
            case Trouble() as trouble:
                self._trouble(request, trouble)
            case answer:
                if answer.seconds and not self.server.owner.wait(answer.seconds):
                    return
                self._send(200, *written(request, answer))

    def _trouble(self, request: Request, trouble: Trouble) -> None:
        if trouble.silent:
            self.server.owner.wait(3600)
            self.close_connection = True
        elif trouble.garbage:
            self._send(200, "text/event-stream", [b"\x00\xff}{ not an event \n\n" * 20])
        elif trouble.status:
            self._send(trouble.status, "application/json", [trouble.body(request.api)], dict(trouble.headers))
        else:
            kind, pieces = written(request, Answer("This answer has a hard way to go."))
            self._send(200, kind, pieces[: len(pieces) // 2] if trouble.drop else pieces, {}, trouble)

    def _send(
        self,
        status: int,
        kind: str,
        pieces: list[bytes],
        headers: dict[str, str] | None = None,
        trouble: Trouble | None = None,
    ) -> None:
        try:
            self.send_response_only(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-type", kind)
            if trouble is not None and trouble.drop:
                self.send_header("content-length", str(sum(map(len, pieces)) + 1000))
                self.close_connection = True
            else:
                self.send_header("content-length", str(sum(map(len, pieces))))
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)
                self.wfile.flush()
                if trouble is not None and trouble.pause and not self.server.owner.wait(trouble.pause):
                    return
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # interrupted: that is what tests do
