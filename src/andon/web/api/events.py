"""Server-sent events (D-121): of one run, numbered as its journal is; of all runs, numbered by this server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from andon.domain.events import event_of
from andon.domain.journal import Entry
from andon.domain.unreadable import Unreadable, read
from andon.web.api.common import EVERYWHERE, MISSING, Here, answers
from andon.web.chronicle import Chronicle
from andon.web.security import refused, visitor_of
from andon.web.site import Site
from andon.web.streaming import HEADERS, Streams, guarded

router = APIRouter(tags=["events"])
QUIET = ": quiet\n\n"
LongAgo = Annotated[str, Query(alias="last", max_length=100, description="For clients that cannot send the header.")]
Last = Annotated[str, Header(alias="last-event-id", max_length=100, description="Go on after this one.")]
_SHAPE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One message per journal entry. `event` is phase_start, phase_end, step_start, step_end, "
        "document_created or action; `data` is {run, seq, at, kind, phase, data}. Quiet times have comments. "
        "`gone` is the last message when the token was taken back or has another role: {status, title, hint}.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get(
    "/runs/{id}/events",
    summary="What happens in a run, as it happens",
    response_class=StreamingResponse,
    responses=answers(_SHAPE, EVERYWHERE, MISSING),
)
async def run_events(request: Request, site: Here, id: str, header: Last = "", last: LongAgo = "") -> StreamingResponse:
    """From the beginning, or after `Last-Event-ID`, which is the number of a journal entry: none left out, none twice,
    in order."""
    run = await run_in_threadpool(site.exact, id)
    return _streamed(request, _of_run(site, run.id, _number(header or last)))


@router.get(
    "/events",
    summary="What happens in all runs, as it happens",
    response_class=StreamingResponse,
    responses=answers(_SHAPE, EVERYWHERE),
)
async def all_events(request: Request, header: Last = "", last: LongAgo = "") -> StreamingResponse:
    """From now on, or after `Last-Event-ID`. An id of a server that was restarted, or one that is too old, leads to an
    event `reset`: read the state anew, and go on from the id that comes with it."""
    chronicle: Chronicle = request.app.state.chronicle
    return _streamed(request, _of_all(chronicle, await chronicle.begun(header or last)))


def _streamed(request: Request, stream: AsyncGenerator[str]) -> StreamingResponse:
    streams: Streams = request.app.state.streams
    name = visitor_of(request).name
    streams.refuse_too_many(name)
    counted = streams.counted(name, guarded(stream, refused(request)))
    return StreamingResponse(counted, media_type="text/event-stream", headers=HEADERS)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 16 else 0


async def _of_run(site: Site, run: str, after: int) -> AsyncGenerator[str]:
    yield QUIET  # so that whoever asks knows at once that they are connected
    async for entries in site.feed.entries(run, after):
        yield "".join(message(str(each.seq), each) for each in entries) or QUIET


async def _of_all(chronicle: Chronicle, last: str) -> AsyncGenerator[str]:
    yield QUIET
    async for id, happening in chronicle.follow(last):
        if happening is not None:
            yield message(id, happening.entry)
        else:
            yield f"id: {id}\nevent: reset\ndata: {{}}\n\n" if id else QUIET


def message(id: str, entry: Entry) -> str:
    told: dict[str, Any] = {
        "run": entry.run,
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "phase": entry.phase,
    }
    data = read(entry.seq, lambda: dict(entry.data))
    told |= {"data": {"problem": data.problem} if isinstance(data, Unreadable) else data}
    body = json.dumps(told, ensure_ascii=True)
    return f"id: {id}\nevent: {event_of(entry.kind)}\ndata: {body}\n\n"
