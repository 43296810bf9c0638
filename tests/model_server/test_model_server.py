"""The model server itself: four wire formats, one scenario, and the troubles that providers have."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.domain.order import Order, Tier
from andon.runtimes.identity import introduced
from model_server import ModelServer, Player, Trouble

SCENARIO = """
scenario: 1
rules:
  - match: {role: worker}
    do: [{write: {path: a.txt, text: hello}}, {run: {command: "false"}, }]
    reply: It is done.
    usage: {input_tokens: 1200, output_tokens: 34, cached_tokens: 200}
  - match: {role: limited}
    do: [{rate_limit: {resets_in: 30}}]
  - match: {role: locked}
    do: [{auth: {}}]
  - reply: {verdict: APPROVE}
"""
SHELL = {"messages": "Read", "responses": "exec_command", "chat": "bash", "gemini": "run_shell_command"}
FORMATS = tuple(SHELL)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ModelServer]:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    with ModelServer(Player(path)).serving() as serving:
        yield serving


def order(role: str = "worker") -> Order:
    return Order("r1", "1.1", role, f"{role}-1", "do", "Do it.", "", Tier.SONNET, "/w", writable=(".",))


def asked(server: ModelServer, api: str, text: str, *, stream: bool = False, done: int = 0) -> tuple[int, str]:
    """One request as a program of that interface would send it, after `done` turns with tools."""
    path, body = _body(api, text, done)
    body |= {} if api == "gemini" else {"stream": stream, "model": "m"}
    if api == "gemini":
        path += ":streamGenerateContent?alt=sse" if stream else ":generateContent"
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def _body(api: str, text: str, done: int) -> tuple[str, dict[str, Any]]:
    if api == "messages":
        use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "fine"}]}
        turns = [{"role": "user", "content": text}, *[use, result] * done]
        return "/v1/messages", {"messages": turns, "tools": [{"name": SHELL[api]}]}
    if api == "responses":
        call = {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}"}
        told = {"type": "function_call_output", "call_id": "c", "output": "fine"}
        turns = [{"type": "message", "role": "user", "content": text}, *[call, told] * done]
        return "/v1/responses", {"input": turns, "tools": [{"type": "function", "name": SHELL[api]}]}
    if api == "chat":
        call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": "{}"}}]}
        told = {"role": "tool", "tool_call_id": "c", "content": "fine"}
        tools = [{"type": "function", "function": {"name": SHELL[api]}}]
        return "/v1/chat/completions", {
            "messages": [{"role": "user", "content": text}, *[call, told] * done],
            "tools": tools,
        }
    call = {"role": "model", "parts": [{"functionCall": {"name": SHELL[api], "args": {}}}]}
    told = {"role": "user", "parts": [{"functionResponse": {"name": SHELL[api], "response": {"output": "fine"}}}]}
    contents = [{"role": "user", "parts": [{"text": text}]}, *[call, told] * done]
    return "/v1beta/models/m", {"contents": contents, "tools": [{"functionDeclarations": [{"name": SHELL[api]}]}]}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", FORMATS)
def test_first_a_tool_is_used_and_at_last_the_reply_is_given(server: ModelServer, api: str, stream: bool) -> None:
    status, first = asked(server, api, introduced(order()), stream=stream)
    # A format whose programs read a file before they write it has one turn more.
    last = [asked(server, api, introduced(order()), stream=stream, done=done)[1] for done in range(1, 5)]

    assert status == 200
    assert "a.txt" in first
    assert "It is done." not in first
    given = "1000" if api == "messages" else "1200"  # the one format that counts without what came from a cache
    assert any("It is done." in text and given in text for text in last)


@pytest.mark.parametrize("api", FORMATS)
def test_what_is_about_no_order_is_answered_anyhow(server: ModelServer, api: str) -> None:
    status, text = asked(server, api, "Give this conversation a title.")

    assert (status, "as you like" in text) == (200, True)


@pytest.mark.parametrize("api", FORMATS)
@pytest.mark.parametrize(("role", "status"), [("limited", 429), ("locked", 401)])
def test_limits_and_closed_doors_are_errors_as_providers_send_them(
    server: ModelServer, api: str, role: str, status: int
) -> None:
    found, text = asked(server, api, introduced(order(role)))

    assert found == status
    assert "error" in json.loads(text)


@pytest.mark.parametrize("status", [400, 401, 429, 529])
def test_a_trouble_befalls_as_many_requests_as_it_says(server: ModelServer, status: int) -> None:
    server.troubles.append(Trouble(status, times=2))

    assert [asked(server, "messages", "x")[0] for _ in range(3)] == [status, status, 200]


def test_a_dropped_connection_is_half_an_answer(server: ModelServer) -> None:
    server.troubles.append(Trouble(drop=True, times=1))

    with pytest.raises(http.client.IncompleteRead):
        asked(server, "messages", "x", stream=True)


def test_what_is_no_question_to_a_model_is_kept(server: ModelServer) -> None:
    request = urllib.request.Request(server.url + "/api/telemetry", b"{}")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=10)

    assert server.elsewhere == ["POST /api/telemetry"]
