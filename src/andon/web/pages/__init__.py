"""The pages, by path. Each is a function from what is known to a View."""

from __future__ import annotations

from collections.abc import Mapping

from andon.web.page import Builder
from andon.web.pages.board import board
from andon.web.pages.office import office
from andon.web.pages.run import run
from andon.web.pages.runs import runs
from andon.web.pages.settings import settings

PAGES: Mapping[str, Builder] = {
    "/": board,
    "/runs": runs,
    "/office": office,
    "/settings": settings,
    "/runs/{id}": run,
}
