"""What Claude Code prints with `--output-format stream-json`, as events.

It calls an answer a success that is an error (`is_error` decides, not `subtype`), tries again ten times when nobody is
signed in, and may end more than one turn: only its last result counts.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from andon.domain.order import Usage
from andon.runtimes import events

PATIENCE = 2
"""How often it may try again by itself when it is not let in or is limited."""
LONG_SECONDS = 10.0
"""A limit that lasts longer is not waited for by a running program."""
_KINDS = {"Write": "write", "Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Bash": "run", "Read": "read"}
_TARGETS = ("file_path", "notebook_path", "command", "pattern", "path", "url", "description")
_LIMIT_UNTIL = re.compile(r"limit reached\|(\d{10})")


class ClaudeLines:
    """A reader of one process's lines."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._uses: dict[str, tuple[str, str]] = {}
        """Tool uses that were not answered yet, by id: kind and target."""
        self._messages: set[str] = set()

    def read(self, line: bytes) -> Iterator[events.Event]:
        return events.told(line, self._read)

    def _read(self, value: dict[str, Any]) -> Iterator[events.Event]:
        match value["type"], value.get("subtype"):
            case "system", "init":
                yield events.Began(str(value["session_id"]))
            case "system", "api_retry":
                yield from self._retry(value)
            case "assistant", _:
                yield from self._assistant(value["message"])
            case "user", _:
                yield from self._results(value["message"])
            case "rate_limit_event", _:
                yield from _limit_event(value.get("rate_limit_info") or {})
            case "result", _:
                yield from self._result(value)
            case _:
                return

    def _retry(self, value: Mapping[str, Any]) -> Iterator[events.Event]:
        attempt, delay = int(value.get("attempt", 1)), float(value.get("retry_delay_ms", 0)) / 1000
        error, status = value.get("error"), value.get("error_status")
        if (error == "authentication_failed" or status in (401, 403)) and attempt >= PATIENCE:
            yield events.Unauthenticated(f"the provider does not let Claude Code in ({error or status})")
        elif (error == "rate_limit" or status == 429) and (attempt > PATIENCE or delay >= LONG_SECONDS):
            yield events.RateLimited(self._now() + delay)

    def _assistant(self, message: Mapping[str, Any]) -> Iterator[events.Event]:
        if (id := str(message.get("id"))) not in self._messages:
            self._messages.add(id)
            yield events.Turn()
            yield events.Used(_usage(message.get("usage") or {}))
        for block in message.get("content") or ():
            if block["type"] == "text":
                yield events.Text(events.storable(block["text"]))
            elif block["type"] == "tool_use" and block["name"] in ("Agent", "Task"):
                yield events.Delegated(str(block["input"].get("subagent_type", "")))
            elif block["type"] == "tool_use":
                self._uses[block["id"]] = _KINDS.get(str(block["name"]), str(block["name"])), _target(block["input"])

    def _results(self, message: Mapping[str, Any]) -> Iterator[events.Event]:
        content = message.get("content")
        for block in cast(list[dict[str, Any]], content) if isinstance(content, list) else ():
            if block.get("type") == "tool_result":
                kind, target = self._uses.pop(block["tool_use_id"], ("tool", ""))
                said, failed = events.storable(_flat(block.get("content"))), bool(block.get("is_error"))
                yield events.Tool(kind, target, not failed, said if failed else "", "" if failed else said)

    def _result(self, value: Mapping[str, Any]) -> Iterator[events.Event]:
        money = value.get("total_cost_usd")
        spent = _usage(value.get("usage") or {}, float(money) if isinstance(money, int | float) else 0.0)
        yield events.Used(spent, total=True)
        if value.get("session_id"):
            yield events.Began(str(value["session_id"]))
        said = events.storable(str(value.get("result") or ""))
        if value.get("is_error"):
            yield self._error(value, said)
        elif value.get("stop_reason") == "refusal":
            yield events.Refused(said or "the model declined")
        elif value.get("structured_output") is not None:
            yield events.Replied(json.dumps(value["structured_output"], ensure_ascii=False))
        else:
            yield events.Replied(said)

    def _error(self, value: Mapping[str, Any], said: str) -> events.Event:
        subtype, status = str(value.get("subtype")), value.get("api_error_status")
        until = _LIMIT_UNTIL.search(said)
        if subtype in ("error_max_turns", "error_max_budget_usd"):
            return events.Exceeded({"error_max_turns": "more turns than it may"}.get(subtype, "more money than it may"))
        if until or status == 429:
            return events.RateLimited(float(until[1]) if until else None)
        if status in (401, 403):
            return events.Unauthenticated(said or "the provider does not let Claude Code in")
        told = "; ".join(str(each) for each in value.get("errors") or ())
        return events.Failed(said or told or subtype)


def _limit_event(info: Mapping[str, Any]) -> Iterator[events.Event]:
    if info.get("status") == "rejected":
        resets = info.get("resetsAt")
        yield events.RateLimited(float(resets) if isinstance(resets, int | float) else None)


def _usage(of: Mapping[str, Any], money: float = 0.0) -> Usage:
    """Read from a cache or not: all of it was given to the model."""
    cached = _count(of, "cache_read_input_tokens")
    given = _count(of, "input_tokens") + _count(of, "cache_creation_input_tokens") + cached
    return Usage(given, _count(of, "output_tokens"), cached, money)


def _count(of: Mapping[str, Any], key: str) -> int:
    value = of.get(key)
    return value if isinstance(value, int) and value > 0 else 0


def _target(given: Mapping[str, Any]) -> str:
    return events.storable(next((str(given[key]) for key in _TARGETS if given.get(key)), ""))


def _flat(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in cast(list[dict[str, Any]], content))
    return str(content or "")
