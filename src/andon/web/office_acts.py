"""What a person does in the office: have everything looked at again."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import Response

from andon.app.access import Role
from andon.web.formdata import done, fields
from andon.web.reading import site_of
from andon.web.security import visitor_of
from andon.web.site import needs

router = APIRouter(include_in_schema=False)


@router.post("/office/scan")
async def scan(request: Request) -> Response:
    await fields(request)
    needs(visitor_of(request), Role.REVIEWER)
    await asyncio.to_thread(site_of(request).offices.look)
    return done(request, "/office")
