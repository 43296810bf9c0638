"""What a model says, written in each wire format: the whole at once, or as a stream of events."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from andon.domain.order import Usage
from model_server.conversation import Request

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Use:
    """The model asks for a tool."""

    tool: str
    arguments: Mapping[str, Any] | str
    """Text for a free-form tool."""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str = ""
    uses: tuple[Use, ...] = ()
    usage: Usage = field(default_factory=Usage)
    refused: bool = False
    seconds: float = 0.0
    """Before it is given."""


def written(request: Request, answer: Answer) -> tuple[str, list[bytes]]:
    """Content type, and the pieces to send one after another."""
    return _WRITERS[request.api](request, answer)


def _id(prefix: str) -> str:
    return f"{prefix}{next(_numbers):08d}"


def _event(data: object, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


def _whole(data: object) -> tuple[str, list[bytes]]:
    return "application/json", [json.dumps(data).encode()]


def _streamed(events: list[bytes]) -> tuple[str, list[bytes]]:
    return "text/event-stream", events


def _messages(request: Request, answer: Answer) -> tuple[str, list[bytes]]:
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [{"type": "tool_use", "id": _id("toolu_"), "name": u.tool, "input": u.arguments} for u in answer.uses]
    stop = "refusal" if answer.refused else "tool_use" if answer.uses else "end_turn"
    usage = {
        "input_tokens": answer.usage.input_tokens - answer.usage.cached_tokens,
        "output_tokens": answer.usage.output_tokens,
        "cache_read_input_tokens": answer.usage.cached_tokens,
        "cache_creation_input_tokens": 0,
    }
    message = {"id": _id("msg_"), "type": "message", "role": "assistant", "model": request.model, "content": content}
    message |= {"stop_reason": stop, "stop_sequence": None, "usage": usage}
    if not request.stream:
        return _whole(message)
    begun = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 0}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(content):
        if block["type"] == "text":
            start, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": usage})
    events.append({"type": "message_stop"})
    return _streamed([_event(each, each["type"]) for each in events])


def _responses(request: Request, answer: Answer) -> tuple[str, list[bytes]]:
    items = [_item(request, use) for use in answer.uses]
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        said = {"type": "message", "id": _id("msg_"), "status": "completed", "role": "assistant", "content": content}
        items.insert(0, said)
    usage = {
        "input_tokens": answer.usage.input_tokens,
        "input_tokens_details": {"cached_tokens": answer.usage.cached_tokens},
        "output_tokens": answer.usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.usage.tokens,
    }
    response = {"id": _id("resp_"), "object": "response", "created_at": 0, "model": request.model}
    response |= {"status": "completed", "output": items, "usage": usage}
    if not request.stream:
        return _whole(response)
    begun = response | {"status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(items):
        at = {"output_index": index}
        empty = item | {"content": []} if item["type"] == "message" else item
        events.append({"type": "response.output_item.added", "item": empty} | at)
        if item["type"] == "message":
            delta = {"item_id": item["id"], "content_index": 0, "delta": item["content"][0]["text"]}
            events.append({"type": "response.output_text.delta"} | delta | at)
        events.append({"type": "response.output_item.done", "item": item} | at)
    events.append({"type": "response.completed", "response": response})
    return _streamed([_event(each, each["type"]) for each in events])


def _item(request: Request, use: Use) -> dict[str, Any]:
    item = {"call_id": _id("call_"), "name": use.tool, "status": "completed"}
    if request.tools.get(use.tool) == "custom":
        return item | {"type": "custom_tool_call", "id": _id("ctc_"), "input": use.arguments}
    return item | {"type": "function_call", "id": _id("fc_"), "arguments": json.dumps(use.arguments)}


def _chat(request: Request, answer: Answer) -> tuple[str, list[bytes]]:
    calls = [
        {
            "index": index,
            "id": _id("call_"),
            "type": "function",
            "function": {"name": use.tool, "arguments": json.dumps(use.arguments)},
        }
        for index, use in enumerate(answer.uses)
    ]
    usage = {
        "prompt_tokens": answer.usage.input_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.usage.cached_tokens},
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": answer.usage.tokens,
    }
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    message |= {"tool_calls": calls} if calls else {}
    finish = "content_filter" if answer.refused else "tool_calls" if calls else "stop"
    head = {"id": _id("chatcmpl-"), "created": 0, "model": request.model}
    if not request.stream:
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return _whole(head | {"object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = head | {"object": "chat.completion.chunk"}
    said = [{"index": 0, "delta": message, "finish_reason": None}]
    ended = [{"index": 0, "delta": {}, "finish_reason": finish}]
    parts = [chunk | {"choices": said}, chunk | {"choices": ended}, chunk | {"choices": [], "usage": usage}]
    return _streamed([*map(_event, parts), _event("[DONE]")])


def _gemini(request: Request, answer: Answer) -> tuple[str, list[bytes]]:
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    for use in answer.uses:
        call = {"id": _id("fc_"), "name": use.tool, "args": use.arguments}
        parts.append({"functionCall": call, "thoughtSignature": "c2lnbmVk"})
    finish = "SAFETY" if answer.refused else "STOP"
    usage = {
        "promptTokenCount": answer.usage.input_tokens,
        "cachedContentTokenCount": answer.usage.cached_tokens,
        "candidatesTokenCount": answer.usage.output_tokens,
        "totalTokenCount": answer.usage.tokens,
    }
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
    response = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": request.model}
    response |= {"responseId": _id("r_")}
    return _streamed([_event(response)]) if request.stream else _whole(response)


_WRITERS: dict[str, Callable[[Request, Answer], tuple[str, list[bytes]]]] = {
    "messages": _messages,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}
