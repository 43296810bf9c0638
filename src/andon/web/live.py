"""One stream per open page: the parts that have changed, as HTML; and new journal rows, one by one."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.routing import compile_path

from andon.domain.errors import UserError
from andon.web.feed import QUIET_SECONDS
from andon.web.journal_rows import new_rows
from andon.web.page import Query, View, parts
from andon.web.pages import PAGES
from andon.web.reading import reader_of, site_of
from andon.web.rendering import Reader, personal, render
from andon.web.security import Problem, refused
from andon.web.site import NotFound, Site
from andon.web.streaming import HEADERS, Streams, gone, guarded

router = APIRouter(include_in_schema=False)
MOST_DRAWN = 200
"""Pages that are kept as they were drawn last, for those who look at the same one."""
LONGEST_PATH = 4_000
BATCH_SECONDS = 0.25
"""A page is drawn again at most four times a second."""
_ROUTES = [(compile_path(path)[0], builder) for path, builder in PAGES.items()]


@dataclass(slots=True)
class Drawn:
    """A page as it was drawn last, for everybody who looks at the same one."""

    at: float = 0.0
    view: View | None = None
    parts: dict[str, str] = field(default_factory=dict[str, str])
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Drawing:
    """Draws each page once, however many look at it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._drawn: dict[tuple[str, str, str], Drawn] = {}

    async def draw(self, path: str, reader: Reader) -> tuple[View, dict[str, str]]:
        key = (path, reader.language.value, reader.visitor.role.value)
        drawn = self._drawn.pop(key, None) or Drawn()
        self._drawn[key] = drawn  # the one that was asked for last stands last
        while len(self._drawn) > MOST_DRAWN:
            self._drawn.pop(next(iter(self._drawn)))
        began = time.monotonic()
        async with drawn.lock:
            if drawn.view is None or drawn.at < began:
                drawn.at = time.monotonic()
                drawn.view, drawn.parts = await asyncio.to_thread(self._make, path, reader)
            return drawn.view, drawn.parts

    @property
    def kept(self) -> int:
        return len(self._drawn)

    def _make(self, path: str, reader: Reader) -> tuple[View, dict[str, str]]:
        view = built(self._site, reader, path)
        return view, parts(self._site, reader, view)


def built(site: Site, reader: Reader, path: str) -> View:
    """The page that an address of this server shows."""
    address = _address(path)
    query = dict(parse_qsl(address.query))
    for pattern, builder in _ROUTES:
        if found := pattern.fullmatch(address.path):
            return builder(site, reader, found.groupdict(), query)
    raise NotFound("There is no such page")


def _address(path: str) -> SplitResult:
    """Of a page of this server, and nothing else."""
    try:
        found = urlsplit(path if len(path) <= LONGEST_PATH else "")
    except ValueError:
        raise NotFound("There is no such page") from None
    if found.scheme or found.netloc or not found.path.startswith("/"):
        raise NotFound("There is no such page")
    return found


@router.get("/live")
async def live(request: Request, path: str = "/", last: str = "") -> StreamingResponse:
    reader, site = reader_of(request), site_of(request)
    drawing: Drawing = request.app.state.drawing
    streams: Streams = request.app.state.streams
    streams.refuse_too_many(reader.visitor.name)
    view, _ = await drawing.draw(path, reader)  # what cannot be shown is told before the stream begins
    stream = _stream(site, drawing, reader, path, view, _number(request.headers.get("last-event-id", last)))
    counted = streams.counted(reader.visitor.name, guarded(stream, refused(request)))
    return StreamingResponse(counted, media_type="text/event-stream", headers=HEADERS)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 16 else 0


async def _stream(
    site: Site, drawing: Drawing, reader: Reader, path: str, view: View, last: int
) -> AsyncGenerator[str]:
    sent: dict[str, int] = {}
    query = dict(parse_qsl(urlsplit(path).query))
    seen = last or (await asyncio.to_thread(site.store.journal.newest, view.rows) if view.rows else 0)
    bell = site.feed.bell(view.runs)
    try:
        yield message("hello", {"at": time.time()})
        while not site.feed.over:
            _, made = await drawing.draw(path, reader)
            for id, html in made.items():
                if sent.get(id) != (mark := hash(html)):
                    sent[id] = mark
                    yield message("part", {"id": id, "html": personal(html, reader)})
            if view.rows:
                seen, rows = await asyncio.to_thread(_rows, site, reader, view, seen, query)
                if rows:
                    yield message("rows", rows, seen)
            if not await bell.wait(QUIET_SECONDS):
                yield ": quiet\n\n"
            await asyncio.sleep(BATCH_SECONDS)
    except UserError as error:
        yield gone(Problem(404, error.message, error.hint))
    finally:
        site.feed.drop(bell)


def _rows(site: Site, reader: Reader, view: View, seen: int, query: Query) -> tuple[int, dict[str, Any] | None]:
    entries = site.store.journal.entries(view.rows, seen)
    if not entries:
        return seen, None
    found = new_rows(entries, query, reader.say)
    html = render("parts/new-rows.html", reader, rows=found) if found else ""
    return entries[-1].seq, {"html": html, "count": len(found), "events": entries[-1].seq}


def message(name: str, data: Any, id: int | None = None) -> str:
    number = f"id: {id}\n" if id is not None else ""
    return f"{number}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
