"""What kind of work a text speaks of: eight categories by how often their words occur (B-29 to B-31)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

CUSTOM = "custom"
NEAR = 0.6
"""A second category counts when it has at least this share of the first one's hits (G-09)."""


@dataclass(frozen=True, slots=True)
class Category:
    name: str
    words: tuple[str, ...]
    prefix: str
    """Of a team's id."""
    example: str
    purpose: str
    domain: str
    """Where its experts are looked for (B-37)."""


AGENT, RESEARCH, CODING = "agent/automation", "analysis/research", "coding/development"
TECH = "4.1 Tech/AI"


def _category(name: str, words: str, prefix: str, example: str, purpose: str, domain: str) -> Category:
    return Category(name, tuple(words.split()), prefix, example, purpose, domain)


CATEGORIES = (
    _category(
        *("Ingest", "crawl scrape extract fetch url web pdf social"),
        *("km.ingest", "km.ingest.web.standard", AGENT, TECH),
    ),
    _category(
        *("Analyze", "analyze summarize tag classify zettelkasten atomize"),
        *("km.analyze", "km.analyze.zettelkasten", RESEARCH, "4.5 Data/Analytics"),
    ),
    _category(
        *("Graph", "graph link wikilink index pagerank expand rank"),
        *("km.graph", "km.graph.build-index", AGENT, "4.1 Tech + 4.12 Cognitive"),
    ),
    _category(
        *("Storage", "save export obsidian notion local store vault"),
        *("km.store", "km.store.obsidian", AGENT, TECH),
    ),
    _category(
        *("Ops", "dashboard monitor event log collect sse websocket"),
        *("ops.dashboard", "ops.dashboard.collector", AGENT, TECH),
    ),
    _category(
        *("QA", "test verify lint quality hook gate ownership"), *("qa", "qa.hooks.quality-gates", RESEARCH, TECH)
    ),
    _category(
        *("Frontend", "design layout component UI frontend react css"),
        *("frontend", "frontend.dashboard.ui", CODING, "4.4 UX/Design"),
    ),
    _category(
        *("Foundation", "prompt generate template teamify clone catalog"),
        *("wf.teamify", "wf.teamify.classify-and-catalog", AGENT, "4.2 Business/Strategy"),
    ),
)


def scores(text: str, known: Sequence[Category] = CATEGORIES) -> Mapping[str, int]:
    """How often the words of each category occur, in any of their usual forms."""
    found = {each.name: len(_pattern(each.words).findall(text)) for each in known}
    return {name: count for name, count in found.items() if count}


def main_categories(text: str, known: Sequence[Category] = CATEGORIES) -> tuple[str, ...]:
    """The strongest, and those near to it, strongest first; `custom` when nothing matches."""
    counted = scores(text, known)
    if not counted:
        return (CUSTOM,)
    order = [each.name for each in known]
    ranked = sorted(counted, key=lambda name: (-counted[name], order.index(name)))
    return tuple(name for name in ranked if counted[name] >= NEAR * counted[ranked[0]])


def category(name: str, known: Sequence[Category] = CATEGORIES) -> Category | None:
    """None for `custom`."""
    return next((each for each in known if each.name == name), None)


def team_id(name: str, slug: str, known: Sequence[Category] = CATEGORIES) -> str:
    """`km.ingest.SLUG`; a custom one has no prefix of its own."""
    found = category(name, known)
    return f"{found.prefix if found else CUSTOM}.{slug}"


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """`scrape` is found in scrapes, scraped, scraper, scraping; never inside another word."""
    stems = "|".join(
        rf"{re.escape(word.removesuffix('e'))}e?" if word.endswith("e") else re.escape(word) for word in words
    )
    return re.compile(rf"(?<![^\W_])(?:{stems})(?:s|es|d|ed|r|er|ers|ing|ging|ged)?(?![^\W_])", re.IGNORECASE)
