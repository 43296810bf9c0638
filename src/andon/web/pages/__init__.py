"""The pages, by path. Each is a function from what is known to a View."""

from __future__ import annotations

from collections.abc import Mapping

from andon.web.page import Builder
from andon.web.pages.board import board
from andon.web.pages.chat import chat, chats
from andon.web.pages.evidence import evidence
from andon.web.pages.memory import memory
from andon.web.pages.new import new_task
from andon.web.pages.office import office
from andon.web.pages.review import review
from andon.web.pages.reviews import reviews
from andon.web.pages.run import run
from andon.web.pages.runs import runs
from andon.web.pages.settings import settings
from andon.web.pages.workflow import team, workflow

PAGES: Mapping[str, Builder] = {
    "/": board,
    "/tasks/new": new_task,
    "/chat": chats,
    "/chat/{id}": chat,
    "/reviews": reviews,
    "/reviews/{id}": review,
    "/runs": runs,
    "/office": office,
    "/office/memory": memory,
    "/office/workflow": workflow,
    "/office/team": team,
    "/settings": settings,
    "/runs/{id}": run,
    "/runs/{id}/evidence": evidence,
}
