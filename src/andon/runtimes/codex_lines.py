"""What `codex exec --json` prints, as events.

It tells the use of a whole thread, so that of the earlier orders of the same thread is taken off: a session's name says
how much that was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from andon.domain.order import Usage
from andon.runtimes import events

PATIENCE = 2
"""How often it may try again by itself when it is not let in or is limited."""
_SESSION = re.compile(r"(?P<thread>[^@]+)@(?P<given>\d+)\.(?P<made>\d+)\.(?P<cached>\d+)")
_NOT_LET_IN = re.compile(r"\b40[13] (?:Unauthorized|Forbidden)|not logged in|invalid_api_key", re.IGNORECASE)
_LIMITED = re.compile(r"\b429 Too Many Requests|usage limit|rate limit", re.IGNORECASE)


def thread_of(session: str) -> str:
    found = _SESSION.fullmatch(session)
    return found["thread"] if found else session


class CodexLines:
    """A reader of one process's lines."""

    def __init__(self, session: str | None = None) -> None:
        known = _SESSION.fullmatch(session or "")
        self._before = Usage(*(int(known[name]) for name in ("given", "made", "cached"))) if known else Usage()
        self._thread = ""
        self._said = ""
        self._retries = 0

    def read(self, line: bytes) -> Iterator[events.Event]:
        return events.told(line, self._read)

    def _read(self, value: dict[str, Any]) -> Iterator[events.Event]:
        match value["type"]:
            case "thread.started":
                self._thread = str(value["thread_id"])
                yield self._session(self._before)
            case "item.completed":
                yield from self._item(value["item"])
            case "error":
                yield from self._trying_again(str(value.get("message", "")))
            case "turn.failed":
                error: Mapping[str, Any] = value.get("error") or {}
                yield _failed(str(error.get("message", "it failed")))
            case "turn.completed":
                yield from self._ended(value.get("usage") or {})
            case _:
                return

    def _item(self, item: Mapping[str, Any]) -> Iterator[events.Event]:
        ok = item.get("status") == "completed"
        match item["type"]:
            case "agent_message":
                self._said = events.storable(str(item["text"]))
                yield events.Turn()
                yield events.Text(self._said)
            case "command_execution":
                yield events.Turn()
                output = events.storable(str(item.get("aggregated_output") or ""))
                yield events.Tool("run", str(item.get("command", "")), ok, "" if ok else output, output if ok else "")
            case "file_change":
                yield events.Turn()
                paths = ", ".join(str(change.get("path")) for change in item.get("changes") or ())
                yield events.Tool("patch", paths, ok, "" if ok else "the patch was not applied")
            case "mcp_tool_call" | "collab_tool_call":
                yield events.Tool(str(item.get("tool", item["type"])), "", ok)
            case _:
                return

    def _trying_again(self, message: str) -> Iterator[events.Event]:
        """It reports each attempt; a person need not wait for the last."""
        self._retries += 1
        failed = _failed(message)
        if self._retries >= PATIENCE and not isinstance(failed, events.Failed):
            yield failed

    def _ended(self, usage: Mapping[str, Any]) -> Iterator[events.Event]:
        told = Usage(*(_count(usage, key) for key in ("input_tokens", "output_tokens", "cached_input_tokens")))
        before = self._before if told.tokens >= self._before.tokens else Usage()
        yield events.Used(
            Usage(
                told.input_tokens - before.input_tokens,
                told.output_tokens - before.output_tokens,
                told.cached_tokens - before.cached_tokens,
            ),
            total=True,
        )
        yield self._session(told)
        yield events.Replied(self._said)

    def _session(self, used: Usage) -> events.Began:
        return events.Began(f"{self._thread}@{used.input_tokens}.{used.output_tokens}.{used.cached_tokens}")


def _failed(message: str) -> events.Event:
    if _NOT_LET_IN.search(message):
        return events.Unauthenticated(f"the provider does not let Codex in: {message[:300]}")
    if _LIMITED.search(message):
        return events.RateLimited(None)
    return events.Failed(events.storable(message[:2000]))


def _count(of: Mapping[str, Any], key: str) -> int:
    value = of.get(key)
    return value if isinstance(value, int) and value > 0 else 0
