"""What a person does in a conversation: begin one, write the next message, rate an answer, end it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

from andon.app.access import Role
from andon.app.conversations import end, post_soon, rate
from andon.app.starting import StartOptions
from andon.app.tasks import Task, Wish, host_task, task_of
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.domain.tasks.phases import TaskType
from andon.web.formdata import done, fields
from andon.web.pages.chat import talk
from andon.web.reading import site_of
from andon.web.security import Visitor, visitor_of
from andon.web.site import Site, needs, place

router = APIRouter(include_in_schema=False)


@router.post("/chat")
async def begin(request: Request) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)

    def made() -> RunRow:
        options = StartOptions(("task",), _repository(site, visitor, given.get("repository", "")))
        wish = Wish(given.get("text", ""), TaskType.CUSTOM, anywhere=True)
        return host_task(options, wish, {**site.environment, "USER": visitor.name})

    run = await asyncio.to_thread(made)
    return done(request, "/chat", f"/chat/{run.id}")


def _repository(site: Site, visitor: Visitor, named: str) -> Path:
    """One that andon has worked in before, by its path; or none. A form cannot name any other folder."""
    if not named:
        return site.store.home.root / "conversations"
    if named not in site.store.runs.repositories():
        raise UserError("andon has not worked in that repository yet", "Begin there with `andon task create`.")
    return place(site, visitor, named)


@router.post("/chat/{id}/say")
async def say(request: Request, id: str) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    task = await asyncio.to_thread(_task, site, id)
    await asyncio.to_thread(post_soon, site.store, task, given.get("text", ""), visitor.name)
    site.feed.ring(task.run.id)
    return done(request, f"/chat/{task.run.id}")


@router.post("/chat/{id}/rate")
async def rate_answer(request: Request, id: str) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    task = await asyncio.to_thread(_task, site, id)
    told = given.get("rating", "")
    rating = int(told) if told.isdecimal() and len(told) < 3 else 0
    await asyncio.to_thread(rate, site.store, task, rating, given.get("comment", "").strip(), visitor.name)
    site.feed.ring(task.run.id)
    return done(request, f"/chat/{task.run.id}")


@router.post("/chat/{id}/end")
async def end_it(request: Request, id: str) -> Response:
    await fields(request)
    site, visitor = site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    task = await asyncio.to_thread(_task, site, id)
    await asyncio.to_thread(end, site.store, task, visitor.name)
    site.feed.ring(task.run.id)
    return done(request, f"/chat/{task.run.id}")


def _task(site: Site, id: str) -> Task:
    return task_of(site.store, talk(site, id).run)
