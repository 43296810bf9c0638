"""All endpoints under /api, put together."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from andon.web.api import events, memory, questions, reviews, runs, status, talking, tasks, teams, tokens
from andon.web.api.common import json_only

router = APIRouter(prefix="/api", dependencies=[Depends(json_only)])
for each in (runs, tasks, talking, reviews, questions, events, tokens, status, teams, memory):
    router.include_router(each.router)
router.include_router(reviews.decisions)
router.include_router(talking.ratings)
