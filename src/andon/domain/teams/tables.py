"""Small tables that teams are made by, built in and replaceable by files (B-11, B-29, B-36 to B-38, G-10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from andon.domain.teams.categories import AGENT, CATEGORIES, CODING, RESEARCH, TECH, Category
from andon.domain.teams.tool_paths import MATRIX, Function


@dataclass(frozen=True, slots=True)
class Expert:
    name: str
    frameworks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """What the pipeline looks things up in."""

    purposes: Mapping[str, tuple[str, ...]]
    """Words that speak for a purpose."""
    experts: Mapping[str, Expert]
    """By the number and name of a domain."""
    expansions: Mapping[str, tuple[str, ...]]
    """What a purpose adds to every task."""
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What a word in a task adds."""
    checklist: tuple[str, ...] = ()
    categories: tuple[Category, ...] = CATEGORIES
    tools: tuple[Function, ...] = MATRIX
    """The best way to each function."""


BUILT_IN = Tables(
    purposes=MappingProxyType(
        {
            AGENT: (
                "agent",
                "automate",
                "automation",
                "scraper",
                "scrape",
                "web",
                "crawl",
                "crawling",
                "extract",
                "extraction",
                "collect",
                "collection",
                "pipeline",
                "monitor",
                "sync",
                "크롤링",
                "추출",
                "수집",
                "자동화",
                "에이전트",
            ),
            RESEARCH: (
                "analyze",
                "analysis",
                "research",
                "review",
                "compare",
                "summarize",
                "evaluate",
                "verify",
                "test",
                "분석",
                "리서치",
                "조사",
                "요약",
                "검증",
            ),
            CODING: (
                "code",
                "implement",
                "build",
                "component",
                "frontend",
                "refactor",
                "layout",
                "css",
                "구현",
                "개발",
                "코딩",
                "리팩토링",
            ),
        }
    ),
    experts=MappingProxyType(
        {
            TECH: Expert("Martin Fowler", ("Microservices", "Event Sourcing")),
            "4.1 Tech + 4.12 Cognitive": Expert("Tim Berners-Lee", ("Linked Data", "Semantic Web")),
            "4.2 Business/Strategy": Expert("Michael Porter", ("Value Chain", "Five Forces")),
            "4.4 UX/Design": Expert("Don Norman", ("Human-Centered Design", "Affordances")),
            "4.5 Data/Analytics": Expert("John Tukey", ("Exploratory Data Analysis", "Robust Statistics")),
        }
    ),
    expansions=MappingProxyType(
        {
            AGENT: ("Go through every item of the input", "Try again up to 3 times on an error", "Report as JSON"),
            RESEARCH: (
                "Name the source of every claim",
                "Say what speaks against it",
                "Say what you could not find out",
            ),
            CODING: ("Keep the style of the code around it", "Add a test that can fail", "Change nothing else"),
        }
    ),
    details=MappingProxyType(
        {
            "url": ("Visit the URLs one by one", "Turn HTML into Markdown"),
            "scrap": ("Visit the URLs one by one", "Turn HTML into Markdown"),
            "crawl": ("Visit the URLs one by one", "Turn HTML into Markdown"),
            "크롤링": ("Visit the URLs one by one", "Turn HTML into Markdown"),
            "pdf": ("Turn each PDF into Markdown, page by page",),
            "test": ("Run what you wrote, and say what came of it",),
        }
    ),
    checklist=(
        "Read the team's plan and bulletin before you begin.",
        "Use only what you were given and what you read; guess nothing.",
        "Keep to your own files; leave those of others alone.",
        "Say what you did not do, and why.",
    ),
)
