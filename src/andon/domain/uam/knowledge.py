"""What a pipeline leaves for the next one: four files of learnings, and the project's memory (C-16, C-62, C-68).

Texts in, texts out. Adding what is there already changes nothing.
"""

from __future__ import annotations

from .state import listing, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

KEPT = {
    "learnings": "Patterns and conventions",
    "decisions": "Decisions and their reasons",
    "issues": "Unresolved",
}
"""What workers report, by the name of its file."""
MEMORY = "Project memory"
_REMEMBERED = ("learnings", "decisions")
"""What is of use to another feature. Issues belong to their own."""


def collected(outputs: Iterable[Any]) -> dict[str, list[str]]:
    """Every entry of the workers' records, each once, in the order of TODOs: who of several at once was ready first is
    chance. What is not as the schema wants it is left out."""
    found: dict[str, dict[str, None]] = {name: {} for name in KEPT}
    for record in sorted(outputs, key=_place):
        for name, entries in found.items():
            for entry in listing(mapping(record).get(name)):
                if isinstance(entry, str) and (text := one_line(entry)):
                    entries[text] = None
    return {name: [*entries] for name, entries in found.items()}


def _place(record: Any) -> tuple[int, int, int]:
    """Sprint before fix loops, TODO by TODO, attempt by attempt."""
    told = mapping(record)
    number = str(told.get("todo_id", "")).rpartition("-")[2]
    loop, attempt = (told.get(key, 0) for key in ("fix_loop", "attempt"))
    return (
        loop if isinstance(loop, int) else 0,
        int(number) if number.isdecimal() and len(number) < 10 else 0,
        attempt if isinstance(attempt, int) else 0,
    )


def one_line(text: str) -> str:
    return " ".join(text.split())


def added(before: str, title: str, entries: Sequence[str]) -> str:
    """A list in Markdown with the entries that it lacks at its end; whatever else a person wrote stays."""
    text = before.rstrip("\n") or f"# {title}\n"
    there = {line[2:].strip() for line in before.splitlines() if line.startswith("- ")}
    new = "".join(f"\n- {entry}" for entry in dict.fromkeys(entries) if entry not in there)
    return f"{text}{new}\n" if new or not before else before


def remembered(before: str, feature: str, found: Mapping[str, Sequence[str]]) -> str:
    """The project's memory with what this feature taught."""
    entries = [f"{entry} ({feature})" for name in _REMEMBERED for entry in found.get(name, ())]
    return added(before, MEMORY, entries)


def metrics(feature: str, rates: Sequence[float], loops: int, tokens: int, gates: Mapping[str, Any]) -> str:
    history = ", ".join(f"{round(100 * rate)}%" for rate in rates) or "none measured"
    told = {True: "passed", False: "failed"}
    rows = [f"- {name.removesuffix('_passed')}: {told.get(value, 'not evaluated')}" for name, value in gates.items()]
    lines = [f"# Metrics: {feature}", "", f"- Pass rates: {history}", f"- Fix loops: {loops}", f"- Tokens: {tokens}"]
    return "\n".join((*lines, *rows)) + "\n"
