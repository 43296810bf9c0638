"""All reviews: what waits first, the oldest on top; then what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from andon.app.overview import Overview
from andon.domain.run import TASK
from andon.domain.tasks.reviews import Review, ordinal
from andon.domain.tasks.workflows import workflow_of
from andon.domain.unreadable import sift
from andon.web.page import Query, View
from andon.web.rendering import Reader
from andon.web.site import Site

DECIDED = 100
"""Of the decided ones so many are shown."""


@dataclass(frozen=True, slots=True)
class Line:
    review: Review
    overview: Overview
    number: int
    phase: str


def reviews(site: Site, reader: Reader, path: Mapping[str, str], query: Query) -> View:
    words = query.get("q", "").casefold().strip()
    shown = site.matching(words, TASK) if words else site.all(TASK)
    found = sift([(each, review) for each in shown for review in each.reviews], lambda row: row[1].id, _line)
    lines = list(found)
    open_ones = [each for each in lines if each.review == each.overview.review]
    decided = [each for each in lines if each.review.decided_at is not None]
    values = {
        "waiting": sorted(open_ones, key=lambda each: each.review.opened_at),
        "decided": sorted(decided, key=_decided_at, reverse=True)[:DECIDED],
        "broken": [*(each for each in shown if each.problem), *found.unreadable],
        "words": query.get("q", ""),
    }
    return View("reviews.html", reader.say("Reviews"), "reviews", values, {"review-list": "parts/review-list.html"})


def _line(row: tuple[Overview, Review]) -> Line:
    overview, review = row
    return Line(review, overview, ordinal(overview.reviews, review), _phase(overview, review))


def _decided_at(line: Line) -> float:
    return line.review.decided_at.timestamp() if line.review.decided_at else 0.0


def _phase(overview: Overview, review: Review) -> str:
    phases = workflow_of(overview.type).phases if overview.type else ()
    return next((each.name for each in phases if each.number == review.phase), "")
