"""Speaks the Agent Client Protocol with one agent for one order: a program of its own, inside the agent's sandbox.

Started as `python -I acp_client.py order.json`. It prints what happens as lines that `own_lines` reads, and must not
import the package that started it. It offers the agent neither files nor terminals: the agent has its own, and the
kernel bounds them. It never believes a good end without an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

MAX_LINE = 64 * 1024 * 1024
START_SECONDS = 60.0
KEPT_OF_OUTPUT = 4000
KEPT_OF_TARGET = 500
KEPT_OF_COMPLAINT = 64 * 1024
BREATH = 0.5
"""Seconds after which what the agent said at the same time over the protocol has been heard."""
PATIENCE = 5.0
"""Seconds without news after which an agent that is limited, and waits or tries again, need not be waited for."""
NEEDS_SIGN_IN = -32000
NOT_LET_IN = re.compile(
    r"\b40[13]\b.{0,40}(unauthorized|forbidden|invalid|denied)|unauthorized|invalid.{0,20}api.?key"
    r"|api.?key.{0,20}(not valid|invalid|missing|not found)|authentication.{0,20}(required|failed|error)"
    r"|invalid bearer|invalid x-api-key|incorrect api key|not (signed|logged) in",
    re.IGNORECASE | re.DOTALL,
)
LIMITED = re.compile(r"\b429\b|rate.?limit|too many requests|quota|resource.?exhausted", re.IGNORECASE)
_AFTER = re.compile(r"retry.?after\W{0,6}(\d+(?:\.\d+)?)|reset (?:in|after) (\d+(?:\.\d+)?) ?s", re.IGNORECASE)
_COMPLAINT = re.compile(
    r"\W{0,4}(stream (disconnected|error)|unexpected status|exceeded retry limit|connection (failed|error)|error)\b",
    re.IGNORECASE,
)
_KEY = re.compile("api.?key", re.IGNORECASE)
AGENTS: list[Process] = []
"""The one that was started."""
_WRITING = ("edit", "delete", "move")
_ENDED = ("completed", "failed")


def say(kind: str, **fields: object) -> None:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    while data:
        data = data[os.write(1, data) :]


def end(kind: str, **fields: object) -> NoReturn:
    say(kind, **fields)
    # Its farewell is not waited for. Whatever it started ends with the sandbox.
    for agent in AGENTS:
        with contextlib.suppress(ProcessLookupError):
            agent.kill()
    os._exit(0)


def end_by(reason: str, code: int = 0) -> NoReturn:
    """The end that an agent's complaint means."""
    if code == NEEDS_SIGN_IN or NOT_LET_IN.search(reason):
        end("unauthenticated", reason=f"the provider does not let the agent in: {reason[:300]}")
    if LIMITED.search(reason):
        end("rate_limit", resets_at=resets_at(reason))
    end("failed", reason=reason[:2000])


def resets_at(reason: str) -> float | None:
    import time

    found = _AFTER.search(reason)
    return time.time() + float(found[1] or found[2]) if found else None


class Listener:
    """What the agent tells and asks."""

    def __init__(self, order: dict[str, Any], spent: float) -> None:
        self._spent = spent
        self._reads_only = bool(order["reads_only"])
        self._tools: dict[str, dict[str, Any]] = {}
        self._told: set[str] = set()
        self._message: object = None
        self.money = 0.0
        self.text = ""
        self.news = 0
        self.heard = False
        """Only what comes after the prompt is news: an agent that takes up a session tells its past again."""

    def on_connect(self, conn: object) -> None:
        pass

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        from acp import schema

        call = self._begun(tool_call)
        refused = self._reads_only and call.get("kind") in _WRITING
        wanted = ("reject_once", "reject_always") if refused else ("allow_once", "allow_always")
        chosen = next((each for kind in wanted for each in options if each.kind == kind), None)
        if refused:
            say("tool", tool=call["kind"], target=_target(call), ok=False, error="Permission denied: a reading role")
        if chosen is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        allowed = schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return schema.RequestPermissionResponse(outcome=allowed)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        if not self.heard:
            return
        self.news += 1
        match update.session_update:
            case "agent_message_chunk":
                self._says(update)
            case "tool_call" | "tool_call_update":
                self._uses(update)
            case "usage_update" if update.cost is not None:
                self.money = float(update.cost.amount)
                say("usage", money=max(0.0, self.money - self._spent), total=True)
            case _:
                return

    def _says(self, update: Any) -> None:
        message = getattr(update, "message_id", None)
        if message != self._message:
            self.text = ""
        self._message = message
        if update.content.type == "text":
            self.text += update.content.text

    @property
    def at_work(self) -> bool:
        """A tool is running: the agent waits for that, and not for its provider."""
        return any(call.get("status") == "in_progress" for call in self._tools.values())

    def _uses(self, update: Any) -> None:
        """A use of a tool is told once, when it has ended."""
        call = self._begun(update)
        if call.get("status") in _ENDED and update.tool_call_id not in self._told:
            self._told.add(update.tool_call_id)
            ok = call["status"] == "completed"
            said = _content(call)
            kind = "run" if call.get("kind") == "execute" else str(call.get("kind") or "other")
            say("tool", tool=kind, target=_target(call), ok=ok, **{"output" if ok else "error": said})

    def _begun(self, update: Any) -> dict[str, Any]:
        """What is known of a use of a tool. It counts as a turn when it is first heard of, if only in a question."""
        if update.tool_call_id not in self._tools:
            if self.text.strip():
                say("text", text=self.text)
            self.text = ""
            say("turn")
        known = self._tools.setdefault(update.tool_call_id, {})
        known |= {key: value for key, value in update.model_dump(mode="json").items() if value is not None}
        return known


def _target(call: dict[str, Any]) -> str:
    if call.get("kind") == "execute":
        return str(_part(call, "raw_input", "command") or call.get("title") or "")[:KEPT_OF_TARGET]
    places = [str(place.get("path")) for place in call.get("locations") or ()]
    return (", ".join(places) or str(call.get("title") or ""))[:KEPT_OF_TARGET]


def _content(call: dict[str, Any]) -> str:
    parts = (_part(part, "content", "text") for part in call.get("content") or ())
    said = "\n".join(str(part) for part in parts if part)
    return str(said or _part(call, "raw_output", "error") or "")[-KEPT_OF_OUTPUT:]


def _part(of: dict[str, Any], key: str, below: str) -> Any:
    value = of.get(key)
    return cast(dict[str, Any], value).get(below) if isinstance(value, dict) else None


class Conversation:
    """One prompt and its answer."""

    def __init__(self, order: dict[str, Any], connection: Any, listener: Listener, session: str, spent: float) -> None:
        self._order = order
        self._connection = connection
        self._listener = listener
        self._session = session
        self._spent = spent
        """What the session had cost before."""

    async def hold(self) -> None:
        from acp import text_block

        async with asyncio.timeout(START_SECONDS):
            await self._begin()
        say("began", session=self._named(self._spent))
        self._listener.heard = True
        say("turn")
        response = await self._connection.prompt(session_id=self._session, prompt=[text_block(self._order["prompt"])])
        self._tell_usage(response)
        self._close(response.stop_reason, any(_counts(response).values()))

    async def _begin(self) -> None:
        """A session of this order, in the mode and with the model that it is to have."""
        from acp import RequestError, schema

        known = await self._connection.initialize(protocol_version=1, client_capabilities=schema.ClientCapabilities())
        place: dict[str, Any] = {"cwd": str(Path.cwd()), "mcp_servers": _servers(known, self._order["servers"])}
        try:
            state = await self._enter(known, place)
        except RequestError as wrong:
            # Some agents want to be told that the key they have is to be used.
            by_key = (each.id for each in known.auth_methods or () if _KEY.search(each.id))
            if wrong.code != NEEDS_SIGN_IN or not (method := next(by_key, None)):
                raise
            await self._connection.authenticate(method_id=method)
            state = await self._enter(known, place)
        await self._choose(state)

    async def _enter(self, known: Any, place: dict[str, Any]) -> Any:
        if not self._session:
            state = await self._connection.new_session(**place)
            self._session = state.session_id
            return state
        if known.agent_capabilities.session_capabilities.resume is not None:
            return await self._connection.resume_session(session_id=self._session, **place)
        if known.agent_capabilities.load_session:
            return await self._connection.load_session(session_id=self._session, **place)
        end("failed", reason="the agent cannot go on with an earlier session")

    async def _choose(self, state: Any) -> None:
        mode, model = self._order["mode"], self._order["model"]
        offered = [each.id for each in state.modes.available_modes] if state and state.modes else []
        if mode and mode in offered:
            await self._connection.set_session_mode(session_id=self._session, mode_id=mode)
        options = {each.category: each for each in (state.config_options if state else None) or ()}
        for category, wanted in (("mode", "" if mode in offered else mode), ("model", model)):
            option: Any = options.get(category)
            if not wanted or (option and option.current_value == wanted):
                continue
            values = _values(option)
            if wanted not in values:
                known = ", ".join((*values, *offered)) if category == "mode" else ", ".join(values)
                end("refused", reason=f"the agent has no {category} `{wanted}`; it offers {known or 'none'}")
            await self._connection.set_config_option(config_id=option.id, session_id=self._session, value=wanted)

    def _tell_usage(self, response: Any) -> None:
        money = max(0.0, self._listener.money - self._spent)
        counts = _counts(response)
        if counts or money:
            say("usage", **counts, money=money, total=True)
        say("began", session=self._named(max(self._spent, self._listener.money)))

    def _close(self, reason: str, told_usage: bool) -> NoReturn:
        text = self._listener.text
        if error := provider_error(text, told_usage):
            end_by(error)
        match reason:
            case "end_turn" if text.strip():
                end("reply", text=text)
            case "max_turn_requests":
                end("exceeded", reason="the agent's own limit of turns")
            case "refusal":
                end("refused", reason=text or "the model refused")
            case "end_turn":
                end("failed", reason="the agent ended without an answer")
            case _:
                end("failed", reason=f"the agent stopped: {reason}")

    def _named(self, spent: float) -> str:
        return f"{self._session}@{spent:.6f}" if spent else self._session


def _servers(known: Any, told: Sequence[dict[str, Any]]) -> list[Any]:
    """In the protocol's form. An agent that cannot call one of them is not asked to do without."""
    from acp import schema

    can = known.agent_capabilities.mcp_capabilities
    found = list[Any]()
    for each in told:
        if each["kind"] == "stdio":
            variables = [schema.EnvVariable(name=name, value=value) for name, value in each["environment"].items()]
            program, *words = each["words"]
            found.append(schema.McpServerStdio(name=each["name"], command=program, args=words, env=variables))
            continue
        if not getattr(can, each["kind"], False):
            end("refused", reason=f"the agent cannot call the server {each['name']}: it speaks no {each['kind']}")
        headers = [schema.HttpHeader(name=name, value=value) for name, value in each["headers"].items()]
        made: Any = schema.SseMcpServer if each["kind"] == "sse" else schema.HttpMcpServer
        found.append(made(type=each["kind"], name=each["name"], url=each["url"], headers=headers))
    return found


def _values(option: Any) -> list[str]:
    groups = [] if option is None else cast(list[Any], option.options)
    return [each.value for group in groups for each in getattr(group, "options", [group])]


def _counts(response: Any) -> dict[str, int]:
    """Tokens of this prompt; those from a cache are tokens of the input all the same."""
    if usage := response.usage:
        cached = usage.cached_read_tokens or 0
        given = usage.input_tokens + cached + (usage.cached_write_tokens or 0)
        return {"input_tokens": given, "output_tokens": usage.output_tokens, "cached_tokens": cached}
    try:
        told = response.field_meta["quota"]["token_count"]
        return {key: int(told[key]) for key in ("input_tokens", "output_tokens")}
    except (KeyError, TypeError, ValueError):
        return {}


def provider_error(text: str, told_usage: bool) -> str:
    """Some agents hand on a provider's error as if it were their answer: nothing but an object with an error in it, or
    words of a lost connection where no model is said to have been used."""
    try:
        value = json.loads(text)
    except ValueError:
        return "" if told_usage or not _COMPLAINT.match(text) else text.strip()
    keys: set[str] = {*cast(dict[str, Any], value)} if isinstance(value, dict) else set()
    return text.strip() if "error" in keys and keys <= {"error", "type", "request_id", "message", "code"} else ""


async def overhear(process: Process, listener: Listener) -> None:
    """What the agent complains about beside the protocol: it may be trying again and again."""
    assert process.stderr is not None
    waiting: asyncio.Future[None] | None = None
    rest = b""
    while more := await process.stderr.read(KEPT_OF_COMPLAINT):
        os.write(2, more)
        *lines, rest = (rest + more).split(b"\n")
        rest = rest[-KEPT_OF_COMPLAINT:]
        for said in (line.decode("utf-8", "replace").strip() for line in lines):
            seconds = BREATH if NOT_LET_IN.search(said) else PATIENCE if LIMITED.search(said) else None
            if seconds is not None and (waiting is None or waiting.done()):
                waiting = asyncio.ensure_future(_give_up(listener, said, seconds))


async def _give_up(listener: Listener, reason: str, seconds: float) -> None:
    """Unless the agent goes on, or a tool is at work, whose words these may be."""
    before = listener.news
    await asyncio.sleep(seconds)
    if listener.news == before and not listener.at_work:
        end_by(reason)


def refuse_nonsense(event: Any) -> None:
    """An error of no known form would be waited for without end."""
    error = event.message.get("error")
    if event.direction == "incoming" and "method" not in event.message and error and not isinstance(error, dict):
        end_by(f"the agent failed: {error}")


async def carry_out(order: dict[str, Any]) -> None:
    try:
        process = await asyncio.create_subprocess_exec(
            *order["argv"], stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=MAX_LINE
        )
    except OSError as wrong:
        end("refused", reason=f"the agent cannot be started: {wrong}")
    AGENTS.append(process)
    # Imported while the agent starts: each takes its second.
    from acp import RequestError
    from acp.client.connection import ClientSideConnection

    session, _, spent = str(order["session"] or "").partition("@")
    listener = Listener(order, float(spent or 0))
    connection = ClientSideConnection(cast(Any, listener), process.stdin, process.stdout, observers=[refuse_nonsense])
    talking = asyncio.ensure_future(Conversation(order, connection, listener, session, float(spent or 0)).hold())
    overhearing = asyncio.ensure_future(overhear(process, listener))
    await asyncio.wait({talking, asyncio.ensure_future(process.wait())}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if talking.done():
            talking.result()
    except RequestError as wrong:
        end_by(f"{wrong} {json.dumps(wrong.data) if wrong.data else ''}".strip(), wrong.code)
    except TimeoutError:
        end("failed", reason=f"the agent did not begin within {START_SECONDS:g} seconds")
    except ConnectionError:
        pass
    except Exception as wrong:
        end("failed", reason=f"the agent does not keep to the protocol: {wrong}"[:2000])
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            await overhearing
            await process.wait()
    ended = "fell silent" if process.returncode is None else f"ended with exit code {process.returncode}"
    end("failed", reason=f"the agent {ended} in the midst of its work")


if __name__ == "__main__":
    # Taken out of the environment: the agent is told of its servers by the protocol alone.
    servers = json.loads(os.environ.pop("ANDON_SERVERS", "[]"))
    asyncio.run(carry_out({**json.loads(Path(sys.argv[1]).read_bytes()), "servers": servers}))
