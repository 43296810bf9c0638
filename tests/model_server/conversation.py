"""One request to a model, whichever wire format it came in: who said what, and which tools there are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool told the agent."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    role: str
    """user, assistant or tool."""
    text: str = ""
    calls: tuple[str, ...] = ()
    """Names of the tools that the model asked for."""
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    api: str
    """messages, responses, chat or gemini."""
    model: str
    system: str
    turns: tuple[Turn, ...]
    tools: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name → "function" or "custom"."""
    stream: bool = False
    body: Json = field(default_factory=dict[str, Any])


def read(path: str, body: Json) -> Request | None:
    """None: not a question to a model."""
    for api, (ending, parse) in _APIS.items():
        if re.search(ending, path):
            system, turns, tools = parse(body)
            model = body.get("model") or re.sub(r".*/models/([^:]+):.*", r"\1", path)
            return Request(api, model, system, tuple(turns), tools, bool(body.get("stream")) or "stream" in path, body)
    return None


def _messages(body: Json) -> tuple[str, list[Turn], dict[str, str]]:
    system, turns = _flat(body.get("system")), list[Turn]()
    for message in body.get("messages", ()):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "system":  # newer programs say more to the model in the midst of a conversation
            system += "\n" + _flat(content)
            continue
        turns.append(
            Turn(
                message["role"],
                "\n".join(block.get("text", "") for block in blocks if block["type"] == "text"),
                tuple(block["name"] for block in blocks if block["type"] == "tool_use"),
                tuple(
                    Result(_flat(block.get("content")), bool(block.get("is_error")))
                    for block in blocks
                    if block["type"] == "tool_result"
                ),
            )
        )
    return system, turns, _functions(tool.get("name") for tool in body.get("tools") or ())


def _responses(body: Json) -> tuple[str, list[Turn], dict[str, str]]:
    system, turns = body.get("instructions") or "", list[Turn]()
    items, tools = body.get("input") or (), [*(body.get("tools") or ())]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        match item.get("type", "message"):
            case "message" if item["role"] in ("developer", "system"):
                system += "\n" + _flat(item["content"])
            case "message":
                turns.append(Turn(item["role"], _flat(item["content"])))
            case "additional_tools":  # how the newest models are told
                tools += [tool for space in item["tools"] for tool in space.get("tools", (space,))]
            case "function_call" | "custom_tool_call":
                turns.append(Turn("assistant", calls=(item["name"],)))
            case kind if kind.endswith("_output"):
                turns.append(Turn("tool", results=(_told(_flat(item.get("output"))),)))
            case _:
                continue  # reasoning
    return system, turns, {tool.get("name") or tool["type"]: tool["type"] for tool in tools}


def _chat(body: Json) -> tuple[str, list[Turn], dict[str, str]]:
    system, turns = "", list[Turn]()
    for message in body.get("messages", ()):
        text = _flat(message.get("content"))
        match message["role"]:
            case "system" | "developer":
                system += text + "\n"
            case "tool":
                turns.append(Turn("tool", results=(_told(text),)))
            case role:
                calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
                turns.append(Turn(role, text, calls))
    return system, turns, _functions(tool["function"]["name"] for tool in body.get("tools") or ())


def _gemini(body: Json) -> tuple[str, list[Turn], dict[str, str]]:
    turns = list[Turn]()
    for content in body.get("contents", ()):
        parts = content.get("parts", ())
        turns.append(
            Turn(
                "assistant" if content.get("role") == "model" else "user",
                "\n".join(part["text"] for part in parts if "text" in part and not part.get("thought")),
                tuple(part["functionCall"]["name"] for part in parts if "functionCall" in part),
                tuple(_response(part["functionResponse"]) for part in parts if "functionResponse" in part),
            )
        )
    system = body.get("systemInstruction") or {}
    declared = (each for tool in body.get("tools") or () for each in tool.get("functionDeclarations", ()))
    return _flat(system.get("parts")), turns, _functions(each["name"] for each in declared)


def _response(part: Json) -> Result:
    response = part.get("response") or {}
    return Result(json.dumps(response), "error" in response)


def _told(text: str) -> Result:
    """Formats without a word for failure say it in the text."""
    code = re.search(r'(?:exit(?:ed with)? code:? |"exit_code": ?)(\d+)', text, re.IGNORECASE)
    return Result(text, bool(code and code[1] != "0") or bool(re.match(r"\s*(?:error|failed)\b", text, re.IGNORECASE)))


def _functions(names: Iterable[str | None]) -> dict[str, str]:
    return {name: "function" for name in names if name}


def _flat(content: Any) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
        case Mapping():
            return content.get("text") or _flat(content.get("content")) or ""
        case _:
            return "\n".join(_flat(each) for each in content)


_Parse = Callable[[Json], tuple[str, list[Turn], dict[str, str]]]
_APIS: dict[str, tuple[str, _Parse]] = {
    "messages": (r"/messages(?:\?|$)", _messages),
    "responses": (r"/responses(?:\?|$)", _responses),
    "chat": (r"/chat/completions(?:\?|$)", _chat),
    "gemini": (r"enerateContent", _gemini),
}
