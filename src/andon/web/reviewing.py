"""What a person does in a review: decide it, hand it on, open a folded file; and the frame that draws diagrams."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from andon.app.access import Role
from andon.app.deciding import decide_review
from andon.app.notifying import book_of
from andon.app.reminding import reassign
from andon.app.reviewing import file_of, refuse_unusable
from andon.app.tasks import Verdict
from andon.domain.errors import UserError
from andon.domain.tasks.reviews import Comment
from andon.web.formdata import done, fields
from andon.web.page import parts
from andon.web.pages.review import PLAIN_COMMENTS, files_values, review, reviewed_or_404, shown_files
from andon.web.reading import reader_of, site_of
from andon.web.rendering import STATIC, personal, render
from andon.web.security import visitor_of
from andon.web.site import NotFound, needs

router = APIRouter(include_in_schema=False)
DECISIONS = {"approve": True, "changes": False}


@router.post("/reviews/{id}/decide")
async def decide(request: Request, id: str) -> Response:
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.REVIEWER)
    wanted = DECISIONS.get(given.get("decision", ""))
    if wanted is None:
        raise UserError("A review is approved, or changes are requested", "decision is `approve` or `changes`.")
    version = given.get("version", "")
    if not version.isdecimal() or len(version) > 15 or not given.get("tree"):
        raise UserError("A decision names the version and the tree that was looked at", "Load the page again.")
    found = await asyncio.to_thread(reviewed_or_404, site, id)
    comments = (*read_comments(given.get("comments", "")), *plain_comments(given))
    verdict = Verdict(wanted, visitor.name, given.get("comment", "").strip(), comments, int(version), given["tree"])
    refuse_unusable(comments)
    await asyncio.to_thread(decide_review, site.store, found.review, verdict)
    site.feed.ring(found.run.id)
    return done(request, f"/reviews/{id}")


@router.post("/reviews/{id}/reviewer")
async def name_reviewer(request: Request, id: str) -> Response:
    """Hand it to somebody else (G-29). It is another version then: whoever has it open looks again."""
    given, site, visitor = await fields(request), site_of(request), visitor_of(request)
    needs(visitor, Role.ADMIN)

    def named() -> str:
        found, book = reviewed_or_404(site, id), book_of(site.store, site.environment)
        reassign(site.store, found.run, found.review, given.get("reviewer", ""), visitor.name, book)
        return found.run.id

    site.feed.ring(await asyncio.to_thread(named))
    return done(request, f"/reviews/{id}")


def read_comments(text: str) -> tuple[Comment, ...]:
    """As the page keeps them: a list of objects with path, line (0: the whole file) and text."""
    if not text.strip():
        return ()
    try:
        rows = json.loads(text)
        return tuple(_comment(row) for row in cast("list[dict[str, Any]]", rows))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        hint = 'A list of objects, such as {"path": "README.md", "line": 3, "text": "…"}.'
        raise UserError("The comments cannot be read", hint) from error


def plain_comments(given: Mapping[str, str]) -> tuple[Comment, ...]:
    """As fields, from a page without JavaScript. What nobody wrote is no comment."""
    found = list[Comment]()
    for number in range(PLAIN_COMMENTS):
        text, line = given.get(f"text-{number}", "").strip(), given.get(f"line-{number}", "").strip()
        if not text:
            continue
        if line and not (line.isdecimal() and len(line) < 8):
            raise UserError(f"{line[:20]} is no line number", "Leave it empty for the whole file.")
        found.append(Comment(given.get(f"path-{number}", ""), text, int(line or 0)))
    return tuple(found)


def _comment(row: dict[str, Any]) -> Comment:
    path, text, line = row["path"], row["text"], row.get("line") or 0
    if not isinstance(path, str) or not isinstance(text, str) or not isinstance(line, int):
        raise TypeError("path and text are text, line is a number")
    return Comment(path, text.strip(), line)


@router.get("/reviews/{id}/decide", response_class=HTMLResponse)
async def bar(request: Request, id: str) -> Response:
    """How the decision stands, for a page that has just been told that somebody else was faster."""
    site, reader = site_of(request), reader_of(request)

    def made() -> str:
        return parts(site, reader, review(site, reader, {"id": id}, {}))["review-decide"]

    return HTMLResponse(personal(await asyncio.to_thread(made), reader))


@router.get("/reviews/{id}/file", response_class=HTMLResponse)
async def one_file(request: Request, id: str, path: str = "") -> Response:
    """One file of the review's trees; whatever else a path says, there is no such file."""
    site, reader, query = site_of(request), reader_of(request), dict(request.query_params)

    def made() -> str:
        found = reviewed_or_404(site, id)
        files = shown_files(site, found, query)
        file = file_of(files, path)
        if file is None:
            raise NotFound("This review has no such file", "It shows the files that changed, by their names.")
        values = files_values(files, found, {**query, "open": path}) | {"found": found, "review": found.review}
        return render("parts/review-file.html", reader, file=file, **values)

    return HTMLResponse(personal(await asyncio.to_thread(made), reader))


# --- diagrams -------------------------------------------------------------------------------------------------------


@router.get("/diagram", response_class=HTMLResponse)
async def diagram() -> Response:
    """A document that can do nothing but draw: no origin, no network, no cookies. Its source comes by message."""
    html, policy = _frame()
    headers = {"content-security-policy": policy, "cache-control": "private, max-age=86400"}
    return HTMLResponse(html, headers=headers)


@cache
def _frame() -> tuple[str, str]:
    """Whole in itself: a frame without an origin may not ask this server for anything."""
    scripts = [(STATIC / name).read_text("utf-8") for name in ("vendor/mermaid.min.js", "diagram.js")]
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in digests)
    policy = (
        f"default-src 'none'; script-src {allowed}; "
        "style-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    )
    body = "".join(f"<script>{each}</script>" for each in scripts)
    head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Diagram</title></head>'
    return f"{head}<body>{body}</body></html>", policy
