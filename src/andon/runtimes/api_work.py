"""The agent of the `api` runtime, in a process of its own: carries out one order by talking to a model's API.

It tells what it does in the lines of `own_lines.py`. Only an answer that the model finished is a reply; whatever else
happens is said as what it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
import uuid
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from pydantic_ai import Agent, ModelRetry, StructuredDict, TextOutput, Tool, ToolOutput, UsageLimits
from pydantic_ai import exceptions as wrong
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.run import AgentRun
from pydantic_ai.settings import ModelSettings

from andon.domain.question_block import question_in
from andon.runtimes.api_servers import tools_of_servers
from andon.runtimes.api_tools import Tools
from andon.runtimes.servers import VARIABLE

STRUCTURED = "StructuredOutput"
WAITS = (0.5, 1.5, 4.0)
"""Seconds before a request is made again that the provider could not serve just then."""
PASSING = (wrong.ModelUnavailableError, wrong.ModelServerError, wrong.ModelConnectionError)
REASON_CHARACTERS = 1000
_LIMITS = {"request_limit": "turns", "total_tokens_limit": "tokens", "cost_limit": "money"}
_UNITS = {"turns": "turns", "tokens": "tokens", "money": "USD"}
_DELAY = re.compile(r"""retryDelay['"]: ?['"](\d+(?:\.\d+)?)s""")

Told = Mapping[str, Any]


def tell(kind: str, **fields: object) -> None:
    print(json.dumps({"type": kind, **fields}), flush=True)


class Patient(WrapperModel):
    """Waits for whole answers, however slowly they come, and asks again when the provider could not serve."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        for wait in WAITS:
            try:
                return await self._whole(messages, model_settings, model_request_parameters)
            except PASSING:
                await asyncio.sleep(wait)
        return await self._whole(messages, model_settings, model_request_parameters)

    async def _whole(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """Streamed, as a connection that says nothing for minutes is cut by somebody on the way."""
        async with self.wrapped.request_stream(messages, settings, parameters) as stream:
            async for _ in stream:
                pass
            response = stream.get()
        told = response.finish_reason or (response.provider_details or {}).get("finish_reason")
        if response.state == "complete" and not told:  # a stream that somebody on the way ended looks like this
            raise wrong.ModelConnectionError(self.model_name, "the answer broke off")
        return response


class Session:
    """The conversation so far, kept in a file, for the next order that goes on with it."""

    def __init__(self, folder: Path, name: str | None) -> None:
        self.name = name or uuid.uuid4().hex
        self._file = folder / f"{self.name}.json"
        folder.mkdir(parents=True, exist_ok=True)
        if not re.fullmatch("[0-9a-f]{32}", self.name) or (name and not self._file.exists()):
            raise LookupError(f"there is no session {name}")

    def messages(self) -> list[ModelMessage]:
        return ModelMessagesTypeAdapter.validate_json(self._file.read_bytes()) if self._file.exists() else []

    def keep(self, messages: list[ModelMessage]) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_bytes(ModelMessagesTypeAdapter.dump_json(messages))
        fresh.replace(self._file)


def agent_for(told: Told, model: Model, more: Sequence[Tool[None]] = ()) -> Agent[None, Any]:
    hidden = {*told["secrets"]}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    tools = Tools(Path(told["folder"]).resolve(), tell, environment)
    return Agent(
        Patient(model),
        output_type=str if told["schema"] is None else _formed(told["schema"]),
        instructions=told["system"],
        tools=[*tools.offered(told["writes"], told["tools"]), *more],
        retries={"tools": 20, "output": 3},
        model_settings=ModelSettings(max_retries=0),  # that is Patient's, who tells a rate limit at once
    )


def _formed(schema: dict[str, Any]) -> list[Any]:
    """A reply of a form comes by a tool, which every provider can; or as text that has it, or is a question."""

    def text(text: str) -> str:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if question_in(text) or (isinstance(found, dict) and {*schema.get("required", ())} <= {*found}):
            return text
        raise ModelRetry(f"Give your reply by calling {STRUCTURED}.")

    return [ToolOutput(StructuredDict(schema, STRUCTURED), name=STRUCTURED), TextOutput(text)]


async def carry_out(told: Told, model: Model) -> None:
    session = Session(Path(told["sessions"]), told["session"])
    tell("began", session=session.name)
    limits = UsageLimits(
        request_limit=told["turns"],
        total_tokens_limit=told["tokens"],
        cost_limit=None if told["money"] is None else Decimal(str(told["money"])),
    )
    async with AsyncExitStack() as stack:
        more = await tools_of_servers(told.get("servers", ()), Path(told["folder"]), tell, stack)
        await _talk(told, session, agent_for(told, model, more), limits)


async def _talk(told: Told, session: Session, agent: Agent[None, Any], limits: UsageLimits) -> None:
    async with agent.iter(told["prompt"], message_history=session.messages(), usage_limits=limits) as run:
        try:
            async for node in run:
                if Agent.is_model_request_node(node):
                    session.keep([*run.all_messages(), node.request])
                elif Agent.is_call_tools_node(node):
                    _tell_usage(run)  # whoever ends the order while a tool is at work wants to know
                    session.keep(answered(run.all_messages()))
                    if _ended_early(node.model_response):
                        return
        finally:
            _tell_usage(run)
        assert run.result is not None
        output: Any = run.result.output
        session.keep(run.result.all_messages())
        tell("reply", text=output if isinstance(output, str) else json.dumps(output, ensure_ascii=False))


def answered(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Without calls of tools that nobody has answered yet: no provider takes those in a conversation."""
    last = messages[-1] if messages else None
    calls = isinstance(last, ModelResponse) and any(isinstance(part, ToolCallPart) for part in last.parts)
    return messages[:-1] if calls else messages


def _ended_early(response: ModelResponse) -> bool:
    """An answer of the model is told. True: it is no answer to go on with, which is told as well."""
    tell("turn")
    if response.text:
        tell("text", text=response.text)
    match response.finish_reason:
        case "content_filter":
            tell("refused", reason=response.text or "the provider's filter kept the answer back")
        case "length":
            tell("exceeded", reason="the answer was cut off: it is longer than the model may answer at once")
        case "error":
            tell("failed", reason="the provider broke off the answer")
        case _:
            return False
    return True


def _tell_usage(run: AgentRun[None, Any]) -> None:
    used = run.usage
    tell(
        "usage",
        total=True,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cache_read_tokens,
        money=float(used.cost or 0),
    )


def tell_end(error: Exception, told: Told) -> None:
    """What ended the order, as what it is."""
    reason = _reason(error)[:REASON_CHARACTERS] or type(error).__name__
    match error:
        case wrong.UsageLimitExceeded():
            limit = next((name for word, name in _LIMITS.items() if word in str(error)), "")
            tell("exceeded", reason=f"more than {told[limit]:g} {_UNITS[limit]}" if limit else reason)
        case wrong.ModelContextWindowExceededError():
            tell("exceeded", reason="the conversation is longer than the model can take")
        case wrong.ModelAuthenticationError():
            tell("unauthenticated", reason=reason)
        case wrong.ModelRequestRejectedError() if "API_KEY_INVALID" in str(error.body):  # how Google says it
            tell("unauthenticated", reason=reason)
        case wrong.ModelRateLimitError():
            tell("rate_limit", resets_at=_resets_at(error))
        case wrong.ModelQuotaExceededError() | wrong.ModelRequestRejectedError() | wrong.ContentFilterError():
            tell("refused", reason=reason)
        case _:
            tell("failed", reason=f"{type(error).__name__}: {reason}")


def _reason(error: Exception) -> str:
    """In the provider's own words, without what they come wrapped in."""
    if not isinstance(error, wrong.ModelHTTPError):
        return str(error)
    found: Any = error.body
    while isinstance(found, dict | list) and found:
        inner = cast(dict[str, Any] | list[Any], found)
        found = inner[0] if isinstance(inner, list) else inner.get("error") or inner.get("message") or str(inner)
    better = f" Did you mean {error.suggested_model_id}?" if error.suggested_model_id else ""
    return f"{error.model_name}: status {error.status_code}: {found}{better}"


def _resets_at(error: wrong.ModelRateLimitError) -> float | None:
    delay = _DELAY.search(str(error.body))
    seconds = error.retry_after if error.retry_after is not None else float(delay[1]) if delay else None
    return None if seconds is None else time.time() + seconds


def work(file: str) -> None:
    warnings.simplefilter("ignore")
    # Taken out of the environment: commands of the model have no business with what servers are given.
    servers = json.loads(os.environ.pop(VARIABLE, "[]"))
    told: Told = {**json.loads(Path(file).read_bytes()), "servers": servers}
    try:
        asyncio.run(carry_out(told, infer_model(told["model"])))
    except Exception as error:
        tell_end(error, told)
