"""Which technologies a text names, by the place they take, and where two texts contradict each other (D-12, D-16)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.tasks.criteria import Criterion

PLACES: Mapping[str, Mapping[str, str]] = {
    "front end": {
        "React": r"react(?:\.?js)?(?! native)",
        "Vue": r"vue(?:\.?js)?",
        "Angular": r"angular",
        "Svelte": r"svelte(?:kit)?",
        "Solid": r"solid\.?js",
        "htmx": r"htmx",
        "jQuery": r"jquery",
        "Ember": r"ember(?:\.js)?",
    },
    "framework of the front end": {
        "Next.js": r"next\.?js",
        "Nuxt": r"nuxt(?:\.?js)?",
        "Remix": r"remix",
        "Gatsby": r"gatsby",
        "Astro": r"astro",
    },
    "mobile": {
        "React Native": r"react native",
        "Flutter": r"flutter",
        "SwiftUI": r"swiftui",
        "Jetpack Compose": r"jetpack compose",
    },
    "back end": {
        "Express": r"express(?:\.?js)?(?=\W|$)",
        "NestJS": r"nest\.?js",
        "Fastify": r"fastify",
        "Django": r"django",
        "Flask": r"flask",
        "FastAPI": r"fastapi",
        "Rails": r"(?:ruby on )?rails",
        "Spring": r"spring(?: boot)?",
        "Laravel": r"laravel",
        "ASP.NET": r"asp\.net",
        "Gin": r"gin",
        "Phoenix": r"phoenix",
        "Actix": r"actix",
    },
    "database": {
        "PostgreSQL": r"postgres(?:ql)?",
        "MySQL": r"mysql",
        "MariaDB": r"mariadb",
        "SQLite": r"sqlite",
        "MongoDB": r"mongo(?:db)?",
        "Firebase": r"fire(?:base|store)",
        "Supabase": r"supabase",
        "DynamoDB": r"dynamodb",
        "Oracle": r"oracle db|oracle database",
        "SQL Server": r"sql server|mssql",
        "Cassandra": r"cassandra",
    },
    "language": {
        "TypeScript": r"typescript",
        "JavaScript": r"javascript",
        "Python": r"python",
        "Rust": r"rust",
        "Java": r"java",
        "Kotlin": r"kotlin",
        "Swift": r"swift",
        "Ruby": r"ruby",
        "PHP": r"php",
        "C#": r"c#",
        "Go": r"golang|go(?= (?:server|service|backend|1\.))",
        "Elixir": r"elixir",
    },
}
"""One of a place excludes the others of it, unless a text names several."""
IMPLIED = {
    "Next.js": ("React",),
    "Remix": ("React",),
    "Gatsby": ("React",),
    "Nuxt": ("Vue",),
    "Supabase": ("PostgreSQL",),
}
_PATTERNS = {
    place: {name: re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-])", re.IGNORECASE) for name, pattern in names.items()}
    for place, names in PLACES.items()
}
_REJECTED_AFTER = re.compile(
    r"\b(?:instead of|rather than|unlike|not|over|versus|vs\.?|compared (?:to|with)|alternatives?(?: to"
    r"| considered)?)\b",
    re.IGNORECASE,
)
_REJECTED_BEFORE = re.compile(r"대신|보다|제외")
_ALTERNATIVES = re.compile(r"alternativ|rejected|considered|comparison|대안|비교|제외|후보", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|,\s+(?=(?:not|rather|instead)\b)")


def technologies(text: str) -> dict[str, frozenset[str]]:
    """What a text says is used, by place. What it names as an alternative is not used (D-16)."""
    used = "\n".join(_used(text))
    found: dict[str, frozenset[str]] = {}
    for place, names in _PATTERNS.items():
        named = {name for name, pattern in names.items() if pattern.search(used)}
        if named:
            found[place] = frozenset(named)
    for name, others in IMPLIED.items():
        if any(name in named for named in found.values()):
            for place, names in PLACES.items():
                also = frozenset(each for each in others if each in names)
                found = {**found, place: found.get(place, frozenset()) | also} if also else found
    return found


def _used(text: str) -> list[str]:
    """The text without sections of alternatives and without what a sentence rejects."""
    kept: list[str] = []
    skipped = False
    for line in read_outline(text):
        if line.kind is Kind.HEADING:
            skipped = _ALTERNATIVES.search(line.text) is not None
        if not skipped:
            kept += [_accepted(sentence) for sentence in _SENTENCE.split(line.text)]
    return kept


def _accepted(sentence: str) -> str:
    before = _REJECTED_BEFORE.search(sentence)
    if before:
        sentence = sentence[before.end() :]
    after = _REJECTED_AFTER.search(sentence)
    return sentence[: after.start()] if after else sentence


def technology_conflicts(first: str, second: str) -> tuple[str, ...]:
    """Places for which both texts name something, and nothing in common (D-16)."""
    one, two = technologies(first), technologies(second)
    return tuple(
        f"{place}: {' and '.join(sorted(one[place]))} here, {' and '.join(sorted(two[place]))} there"
        for place in PLACES
        if place in one and place in two and not one[place] & two[place]
    )


def same_technology(path: str, text: str, others: Mapping[str, str]) -> Criterion:
    """The stack of one document against others (D-12, D-16)."""
    return Criterion.of(
        "technology",
        [
            f"{path} and {other}: {conflict}"
            for other, told in others.items()
            for conflict in technology_conflicts(text, told)
        ],
    )
