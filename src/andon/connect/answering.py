"""What the connectors' programs share: words in, one JSON object out, every failure a kind, a sentence and a hint.

Credentials come from the environment, go to the service and nowhere else: no answer and no problem repeats one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, cast
from urllib.parse import urlsplit

SECONDS = 20.0
"""Longest silence of a server."""
MEMORY_BYTES = 2 * 1024**3
"""A server may answer with whatever it likes; the clients read all of it before they look."""
ALL_CHARACTERS = 1_000_000
"""Of all messages of one answer."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")

Environment = Mapping[str, str]
Operation = Callable[[Environment, str, int], dict[str, Any]]
"""(environment, what is asked for, how many at most) → the answer."""


class Problem(Exception):
    """Why there is no answer. Kinds: not_installed, credentials, permission, not_found, rate_limited, unreachable,
    refused, usage (and timeout, which only the caller sees)."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


def answer(words: Sequence[str], operations: Mapping[str, Operation]) -> int:
    """The program: print what the operation found, or the problem. `words`: OPERATION [OPERAND] [--limit N]."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    code = 0
    try:
        name, operand, limit = _parsed(words)
        if name not in operations:
            raise Problem("usage", f"there is no operation {name!r}", f"Known are: {', '.join(operations)}.")
        found = operations[name](os.environ, operand, limit)
    except Problem as problem:
        code, found = 1, {"problem": problem.kind, "message": problem.message, "hint": problem.hint}
        if words[:1] == ["status"]:
            found |= {"authenticated": False}
    except MemoryError:
        code, found = 1, {"problem": "refused", "message": "the server's answer is too large", "hint": ""}
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    return code


def _parsed(words: Sequence[str]) -> tuple[str, str, int]:
    rest, limit = list(words), 1
    if rest[-2:-1] == ["--limit"]:
        if not rest[-1].isdecimal() or not int(rest[-1]):
            raise Problem("usage", f"--limit should be a number from 1, not {rest[-1]!r}")
        limit = int(rest[-1])
        rest = rest[:-2]
    if not rest or len(rest) > 2:
        raise Problem("usage", "say OPERATION [OPERAND] [--limit N]")
    return rest[0], rest[1] if len(rest) == 2 else "", limit


def library(module: str, extra: str) -> Any:
    """A module of an optional package, imported only when it is used."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        hint = f'Install it with: pip install "andon[{extra}]"'
        raise Problem("not_installed", f"The package for {extra} is not installed ({error.name})", hint) from error


def credential(environment: Environment, variable: str, hint: str) -> str:
    """A token, or "" where there is none. One that no header can carry is refused here: the clients would repeat it."""
    token = environment.get(variable, "").strip()
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise Problem("credentials", f"{variable} holds characters that no token has", hint)
    return token


def address(environment: Environment, variable: str, default: str) -> str:
    """The service's address; a credential travels encrypted, or does not leave this machine."""
    chosen = environment.get(variable) or default
    parts = urlsplit(chosen)
    if parts.scheme == "https" and parts.hostname:
        return chosen
    if parts.scheme == "http" and parts.hostname in LOOPBACK:
        return chosen
    raise Problem("usage", f"{variable} is no https address", "Plain http is taken for this machine itself only.")


def unreachable(service: str, error: BaseException) -> Problem:
    reason = getattr(error, "reason", "") or error
    # Without the number that the operating system has for it.
    said = getattr(reason, "strerror", "") or str(reason) or type(error).__name__
    return Problem("unreachable", f"{service} cannot be reached: {said}", "Check the network, then resume the run.")


def rate_limited(service: str, retry_after: str | None) -> Problem:
    """A limit of the provider, as what it is; when it says how long, with that."""
    wait = f" for {retry_after} seconds" if retry_after and retry_after.strip().isdecimal() else ""
    return Problem("rate_limited", f"{service} limits requests (429){wait}", "Wait as long, then resume the run.")


def entries(found: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list in an answer; what has another form is not there."""
    value = found.get(key)
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]


def section(found: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object in an answer; empty when there is none."""
    value = found.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"


def collected(messages: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An answer with messages: as many as fit, how many did not, and when they were read."""
    kept: list[dict[str, Any]] = []
    used = 0
    for message in messages:
        used += len(json.dumps(message, ensure_ascii=False))
        if used > ALL_CHARACTERS:
            break
        kept.append(message)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {**more, "collected_at": moment, "messages": kept, "left_out": len(messages) - len(kept)}
