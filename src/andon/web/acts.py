"""What a person does on a page: answer, stop, resume, change theme or language. Each is one function of the app."""

from __future__ import annotations

import asyncio
from math import isfinite

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from andon.app.access import Role
from andon.app.answering import answer, give, keep_waiting
from andon.app.controlling import resume_soon, stop_soon
from andon.app.evidence import kept as recorded
from andon.app.queries import Hold
from andon.app.resuming import Otherwise
from andon.domain.budget import Line
from andon.domain.errors import UserError
from andon.web.formdata import done, fields
from andon.web.journal_rows import page_of
from andon.web.reading import reader_of, site_of
from andon.web.rendering import personal, render
from andon.web.security import visitor_of
from andon.web.site import NotFound, Site, needs

router = APIRouter(include_in_schema=False)


@router.post("/answer")
async def answer_hold(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    hold = await _hold(site, given)
    await asyncio.to_thread(answer, site.store, hold, given.get("answer", ""), visitor.name)
    site.feed.ring(hold.run)
    return done(request, given.get("back", "/"))


@router.post("/keep-waiting")
async def keep_hold(request: Request) -> Response:
    """Somebody is about to answer: no default is taken from under their hands."""
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    hold = await _hold(site, given)
    await asyncio.to_thread(keep_waiting, site.store, hold, visitor.name)
    site.feed.ring(hold.run)
    return done(request, given.get("back", "/"))


@router.post("/secret")
async def give_secret(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    hold = await _hold(site, given)
    await asyncio.to_thread(give, site.store, hold, given.get("value", ""), visitor.name)
    site.feed.ring(hold.run)
    return done(request, given.get("back", "/"))


async def _hold(site: Site, given: dict[str, str]) -> Hold:
    """The question that a form is about."""
    hold = await asyncio.to_thread(site.store.holds.get, given.get("hold", ""))
    if hold is None:
        raise NotFound("There is no such question", "It may have been answered. The page shows what is open.")
    return hold


@router.post("/runs/{id}/stop")
async def stop_run(request: Request, id: str) -> Response:
    await fields(request)
    site, visitor = site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    run = await asyncio.to_thread(site.run, id)
    await asyncio.to_thread(stop_soon, site.store, run)
    return done(request, f"/runs/{run.id}")


@router.post("/runs/{id}/resume")
async def resume_run(request: Request, id: str) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    run = await asyncio.to_thread(site.run, id)
    limits = {
        line.value: _limit(line, text) for line in Line if (text := given.get(f"budget_{line.value}", "").strip())
    }
    otherwise = Otherwise(budget=limits or None, direction=given.get("direction", "").strip() or None, by=visitor.name)
    await asyncio.to_thread(resume_soon, site.store, run, otherwise)
    return done(request, f"/runs/{run.id}")


def _limit(line: Line, text: str) -> float:
    try:
        number = float(text.replace(",", ""))
        return int(number) if line is Line.TOKENS or not isfinite(number) else number
    except (ValueError, OverflowError):  # of what is no number, or none that ends
        raise UserError(f"{text} is no limit of {line.value}", "A number, such as 5000.") from None


@router.post("/preferences")
async def prefer(request: Request) -> Response:
    given = await fields(request)
    response, secure = done(request, _back(request)), site_of(request).secure
    for name, known in (("language", ("en", "ko")), ("theme", ("light", "dark"))):
        if given.get(name) in known:
            response.set_cookie(
                f"andon-{name}", given[name], max_age=365 * 86400, samesite="strict", path="/", secure=secure
            )
    if request.headers.get("hx-request") != "true":
        return response
    response.headers["hx-refresh"] = "true"
    return response


def _back(request: Request) -> str:
    """The page that the form was on; its origin is ours, or the gate had refused."""
    _, _, place = request.headers.get("referer", "").partition("://")
    _, slash, path = place.partition("/")
    return f"/{path}" if slash else "/"


@router.get("/runs/{id}/rows", response_class=HTMLResponse)
async def older_rows(request: Request, id: str) -> Response:
    site, reader = site_of(request), reader_of(request)

    def made() -> str:
        found, query = site.overview(id), dict(request.query_params)
        page = page_of(site.store, found.run.id, query, reader.say)
        return render(
            "parts/run-rows.html", reader, run=found, page=page, kind=query.get("kind", ""), words=query.get("q", "")
        )

    return HTMLResponse(personal(await asyncio.to_thread(made), reader))


@router.get("/runs/{id}/output/{digest}")
async def output(request: Request, id: str, digest: str) -> Response:
    """What a check of this run printed, whole."""
    site = site_of(request)

    def read() -> bytes:
        run = site.run(id)
        if digest not in {record.output for record in recorded(site.store, run.id)} - {""}:
            raise NotFound("This run has no such output")
        kept = site.store.ledger.store.read(digest)
        if kept is None:
            raise NotFound("What it printed is not kept any more")
        return kept

    return PlainTextResponse(await asyncio.to_thread(read))
