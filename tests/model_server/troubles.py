"""What goes wrong between an agent program and its provider: errors, limits, lost and endless connections."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    status: int = 0
    """An error with this number."""
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    drop: bool = False
    """The connection ends in the midst of the answer."""
    silent: bool = False
    """Nothing ever comes."""
    pause: float = 0.0
    """Seconds between two pieces of the answer."""
    garbage: bool = False
    """Bytes that mean nothing, with a good status."""
    times: int | None = None
    """How many requests it befalls; None: all."""

    def body(self, api: str) -> bytes:
        kind, message = _KINDS.get(self.status, "api_error"), self.message or f"trouble {self.status}"
        error: dict[str, Any] = {"type": kind, "message": message}
        if api == "messages":
            return json.dumps({"type": "error", "error": error}).encode()
        if api == "gemini":
            state = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}
            told = {"code": self.status, "message": message, "status": state.get(self.status, "UNAVAILABLE")}
            return json.dumps({"error": told}).encode()
        code = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(self.status, kind)
        return json.dumps({"error": error | {"code": code}}).encode()


def rate_limit(seconds: float | None) -> Trouble:
    """As the providers say it: how many seconds, and at what moment, where that is known."""
    if seconds is None:
        return Trouble(429, "Too many requests")
    moment = time.time() + seconds
    headers = {
        "retry-after": str(max(1, round(seconds))),
        "anthropic-ratelimit-unified-reset": str(int(moment)),
        "anthropic-ratelimit-unified-status": "rejected",
        "x-ratelimit-reset-requests": f"{max(1, round(seconds))}s",
        "date": formatdate(usegmt=True),
    }
    return Trouble(429, "Too many requests", headers)


def unauthenticated(reason: str) -> Trouble:
    return Trouble(401, reason)
