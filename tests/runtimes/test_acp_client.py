"""What the client of ACP agents makes of an agent that misbehaves: a small one of our own, over the real protocol."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from andon.runtimes import events, own_lines
from andon.runtimes.acp import CLIENT

AGENT = """
import json, os, sys, time
HOW = json.loads(sys.argv[1])

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(**fields):
    send(method="session/update", params={"sessionId": "s1", "update": fields})

def heard():
    return json.loads(sys.stdin.readline())

def serve(request):
    method, number = request.get("method"), request.get("id")
    if method == "initialize":
        return {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    if method in ("session/new", "session/load"):
        if HOW.get("signed_out"):
            return {"error": {"code": -32000, "message": "Authentication required"}}
        if method == "session/load":
            update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "said long ago"})
        return {"sessionId": "s1", "modes": HOW.get("modes")} if method == "session/new" else {}
    if method == "session/set_mode":
        return {}
    if method == "session/prompt":
        print(HOW.get("complaint", ""), file=sys.stderr, flush=True)
        if "die" in HOW:
            os._exit(HOW["die"])
        if HOW.get("waits"):
            time.sleep(600)
        if HOW.get("floods"):
            os.write(2, b"x" * 1024)
            for _ in range(HOW["floods"]):
                os.write(2, b"x" * 1048576)
        if HOW.get("closes"):
            os.close(1)
            time.sleep(600)
        if HOW.get("thinks"):
            update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": HOW["thinks"]})
        if HOW.get("asks"):
            call = {"toolCallId": "t1", "title": "write a", "kind": HOW["asks"], "locations": [{"path": "/a"}]}
            options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
            send(id=99, method="session/request_permission",
                 params={"sessionId": "s1", "toolCall": call, "options": options})
            print("chosen " + heard()["result"]["outcome"]["optionId"], file=sys.stderr, flush=True)
        for fields in HOW.get("updates", ()):
            update(**fields)
            if "then" in fields:
                print(fields["then"], file=sys.stderr, flush=True)
                time.sleep(HOW["seconds"])
        for text in HOW.get("says", ()):
            update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
        return HOW.get("answer") or {"stopReason": HOW.get("stop", "end_turn"), **HOW.get("more", {})}
    return {"error": {"code": -32601, "message": f"no {method}"}}

while line := sys.stdin.readline():
    request = json.loads(line)
    if "method" in request and "id" in request:
        result = serve(request)
        send(id=request["id"], **(result if "error" in result else {"result": result}))
"""


def hold(tmp_path: Path, how: dict[str, Any], **order: Any) -> tuple[list[events.Event], str]:
    """The events of one order, and what the agent complained."""
    agent, told = tmp_path / "agent.py", tmp_path / "order.json"
    agent.write_text(AGENT)
    argv = [sys.executable, str(agent), json.dumps(how)]
    given = {"argv": argv, "prompt": "Do it.", "session": None, "mode": "", "model": "", "reads_only": False}
    told.write_text(json.dumps(given | order))
    done = subprocess.run([sys.executable, "-I", CLIENT, told], cwd=tmp_path, capture_output=True, timeout=60)
    return [own_lines.parse(line) for line in done.stdout.splitlines()], done.stderr.decode()


def last(found: tuple[list[events.Event], str]) -> events.Event:
    return found[0][-1]


def test_E_02_chunks_make_one_answer_and_tokens_of_a_cache_count(tmp_path: Path) -> None:
    usage = {"totalTokens": 12, "inputTokens": 5, "outputTokens": 3, "cachedReadTokens": 4}

    told, _ = hold(tmp_path, {"says": ["It is ", "done."], "more": {"usage": usage}})

    assert told[-1] == events.Replied("It is done.")
    used = next(event for event in told if isinstance(event, events.Used)).usage
    assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (9, 3, 4)


def test_E_02_what_a_session_said_before_is_no_answer(tmp_path: Path) -> None:
    told = last(hold(tmp_path, {"says": ["now"]}, session="s1@0.5"))

    assert told == events.Replied("now")


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ({}, events.Failed),
        ({"says": ["x"], "stop": "max_tokens"}, events.Failed),
        ({"says": ["x"], "stop": "max_turn_requests"}, events.Exceeded),
        ({"says": ["x"], "stop": "refusal"}, events.Refused),
        ({"says": ['{"error": {"message": "this cannot be"}}']}, events.Failed),
        ({"says": ["stream disconnected before completion"]}, events.Failed),
        (
            {
                "says": ["stream disconnected before completion"],
                "more": {"usage": {"totalTokens": 0, "inputTokens": 0, "outputTokens": 0}},
            },
            events.Failed,
        ),
        ({"says": ["x"], "answer": {"no": "reason"}}, events.Failed),
        ({"says": ["x"], "answer": {"error": "boom"}}, events.Failed),
        ({"says": ["x"], "closes": True}, events.Failed),
        ({"die": 3}, events.Failed),
        ({"die": 0}, events.Failed),
        ({"signed_out": True}, events.Unauthenticated),
        ({"complaint": "401 Unauthorized: invalid x-api-key", "waits": True}, events.Unauthenticated),
        ({"complaint": "429 Too Many Requests, retry-after: 30", "waits": True}, events.RateLimited),
    ],
)
def test_E_06_nothing_but_an_answer_is_an_answer(tmp_path: Path, how: dict[str, Any], kind: type) -> None:
    assert isinstance(last(hold(tmp_path, how)), kind)


def test_E_06_an_answer_about_errors_is_an_answer(tmp_path: Path) -> None:
    usage = {"totalTokens": 2, "inputTokens": 1, "outputTokens": 1}

    found = hold(tmp_path, {"says": ["Error handling is in place."], "more": {"usage": usage}})

    assert last(found) == events.Replied("Error handling is in place.")


@pytest.mark.parametrize(
    ("kind", "reads_only", "chosen"),
    [("edit", False, "allow_once"), ("edit", True, "reject_once"), ("execute", True, "allow_once")],
)
def test_E_04_leave_is_given_except_to_a_reading_role_that_wants_to_write(
    tmp_path: Path, kind: str, reads_only: bool, chosen: str
) -> None:
    told, complained = hold(tmp_path, {"asks": kind, "says": ["done"]}, reads_only=reads_only)

    assert f"chosen {chosen}" in complained
    refused = [event for event in told if isinstance(event, events.Tool) and not event.ok]
    assert len(refused) == (chosen == "reject_once")


def test_E_04_a_mode_that_the_agent_does_not_have_is_told_with_those_it_has(tmp_path: Path) -> None:
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "auto", "name": "Auto"}]}

    told = last(hold(tmp_path, {"modes": modes, "says": ["x"]}, mode="yolo"))

    assert isinstance(told, events.Refused)
    assert "ask, auto" in told.reason
    assert last(hold(tmp_path, {"modes": modes, "says": ["x"]}, mode="auto")) == events.Replied("x")


def test_E_16_a_tool_that_leave_is_asked_for_counts_and_what_was_said_before_it_is_no_answer(tmp_path: Path) -> None:
    told, _ = hold(tmp_path, {"thinks": "I write it now.", "asks": "edit", "says": ["{}"]})

    assert told[-1] == events.Replied("{}")
    assert told.count(events.Turn()) == 2
    assert events.Text("I write it now.") in told


def test_E_02_the_end_of_a_tool_is_told_once(tmp_path: Path) -> None:
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}
    call = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "x" * 9000, "kind": "read", "status": "pending"}

    told, _ = hold(tmp_path, {"updates": [call, ended, ended], "says": ["done"]})

    [tool] = [event for event in told if isinstance(event, events.Tool)]
    assert tool.ok and len(tool.target) < 1000


def test_E_18_an_agent_that_floods_its_complaints_can_go_on(tmp_path: Path) -> None:
    told, complained = hold(tmp_path, {"floods": 70, "says": ["done"]})

    assert told[-1] == events.Replied("done")
    assert len(complained) > 70_000_000


def test_E_11_what_a_tool_complains_about_is_not_taken_for_the_providers_words(tmp_path: Path) -> None:
    running = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "pytest", "kind": "execute"}
    tested = running | {"status": "in_progress", "then": "test_login: 401 Unauthorized"}
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "failed"}

    told = last(hold(tmp_path, {"updates": [tested, ended], "seconds": 3, "says": ["done"]}))

    assert told == events.Replied("done")
