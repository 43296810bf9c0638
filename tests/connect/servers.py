"""Slack and Gmail on this machine: real HTTP servers that speak as much of the two APIs as reading needs."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

TOKEN = "xoxb-let-me-in-1234567890"
"""The one that is known to both servers."""


@dataclass
class Answer:
    body: Any
    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """Answers by `answer`; keeps what it was asked as (path, values)."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.instead: Answer | None = None
        """Given to every request, whatever it is."""
        self.url = ""

    def answer(self, path: str, values: dict[str, str], signed_in: bool) -> Answer:
        raise NotImplementedError

    @contextmanager
    def open(self) -> Iterator[Server]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._speaker())
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join(timeout=10)

    def _speaker(self) -> type[BaseHTTPRequestHandler]:
        ours = self

        class Speaker(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                values = dict(parse_qsl(parts.query) + parse_qsl(body))
                ours.asked.append((parts.path, values))
                signed_in = self.headers.get("Authorization") == f"Bearer {TOKEN}"
                given = ours.instead or ours.answer(parts.path, values, signed_in)
                content = given.body if isinstance(given.body, bytes) else json.dumps(given.body).encode()
                self.send_response(given.code)
                for name, value in {"Content-Type": "application/json", **given.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None: ...

        return Speaker


class Slack(Server):
    """`channels`: messages by channel, newest first. `page`: most messages it gives at once."""

    def __init__(self, channels: dict[str, list[dict[str, Any]]], page: int = 1000) -> None:
        super().__init__()
        self.channels = channels
        self.page = page

    def answer(self, path: str, values: dict[str, str], signed_in: bool) -> Answer:
        if not signed_in:
            return Answer({"ok": False, "error": "invalid_auth"})
        if path == "/auth.test":
            return Answer({"ok": True, "user": "andon", "team": "Tally"})
        if path != "/conversations.history":
            return Answer({"ok": False, "error": "unknown_method"})
        if values.get("channel") not in self.channels:
            return Answer({"ok": False, "error": "channel_not_found"})
        all_of_it = self.channels[values["channel"]]
        start = int(values.get("cursor") or 0)
        end = start + min(self.page, int(values["limit"]))
        following = str(end) if end < len(all_of_it) else ""
        found = {"ok": True, "messages": all_of_it[start:end], "has_more": bool(following)}
        return Answer(found | {"response_metadata": {"next_cursor": following}})


def said(text: str, user: str = "U1", **more: Any) -> dict[str, Any]:
    """A message of Slack's."""
    return {"type": "message", "user": user, "text": text, "ts": "1750000000.000100", **more}


class Gmail(Server):
    """`mails`: messages as the API gives them, newest first; a label UNREAD where nobody has read one."""

    def __init__(self, mails: list[dict[str, Any]], page: int = 1000) -> None:
        super().__init__()
        self.mails = mails
        self.page = page

    def answer(self, path: str, values: dict[str, str], signed_in: bool) -> Answer:
        if not signed_in:
            return _google_error(401, "authError", "Invalid Credentials")
        if path == "/gmail/v1/users/me/profile":
            return Answer({"emailAddress": "ada@example.invalid", "messagesTotal": len(self.mails)})
        if path == "/gmail/v1/users/me/messages":
            found = [each for each in self.mails if _matches(each, values.get("q", ""))]
            start = int(values.get("pageToken") or 0)
            end = start + min(self.page, int(values["maxResults"]))
            more = {"nextPageToken": str(end)} if end < len(found) else {}
            return Answer({"messages": [{"id": each["id"], "threadId": "t"} for each in found[start:end]], **more})
        for each in self.mails:
            if path == f"/gmail/v1/users/me/messages/{each['id']}":
                return Answer(each)
        return _google_error(404, "notFound", "Requested entity was not found.")


def _google_error(code: int, reason: str, message: str, **headers: str) -> Answer:
    detail = {"message": message, "domain": "global", "reason": reason}
    return Answer({"error": {"code": code, "message": message, "errors": [detail]}}, code, headers)


def google_error(code: int, reason: str, message: str = "No.", **headers: str) -> Answer:
    """An error in Google's form; headers with `_` for `-`."""
    return _google_error(code, reason, message, **{name.replace("_", "-"): value for name, value in headers.items()})


def _matches(found: dict[str, Any], query: str) -> bool:
    if query == "is:unread":
        return "UNREAD" in found["labelIds"]
    asked = re.fullmatch(r"(from|subject):(\S+)", query)
    if asked is None:
        return True
    heads = {each["name"].lower(): each["value"] for each in found["payload"]["headers"]}
    return asked[2].lower() in heads[asked[1]].lower()


def written(
    name: str, text: str, *, sender: str = "Client <client@example.invalid>", unread: bool = True, html: str = ""
) -> dict[str, Any]:
    """A mail as Gmail's API gives it; `name` is its subject and, without spaces, its id."""
    heads = {"From": sender, "To": "ada@example.invalid", "Subject": name, "Date": "Mon, 16 Jun 2025 10:00:00 +0000"}
    parts = [part("text/plain", text)] if text else []
    parts += [part("text/html", html)] if html else []
    return {
        "id": name.replace(" ", ""),
        "threadId": "t",
        "labelIds": ["INBOX", *(["UNREAD"] if unread else [])],
        "snippet": text[:20],
        "payload": {
            "mimeType": "multipart/mixed",
            "headers": [{"name": key, "value": value} for key, value in heads.items()],
            "body": {"size": 0},
            "parts": parts,
        },
    }


def part(kind: str, text: str, *, charset: str = "utf-8", filename: str = "") -> dict[str, Any]:
    content = text.encode(charset)
    return {
        "mimeType": kind,
        "filename": filename,
        "headers": [{"name": "Content-Type", "value": f"{kind}; charset={charset}"}],
        "body": {"size": len(content), "data": base64.urlsafe_b64encode(content).decode().rstrip("=")},
    }
