"""The layers of a project's memory as one: a question goes to the layer made for it, or falls to the next lower one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from andon.domain.errors import UserError
from andon.domain.learning import Learning, relevant
from andon.domain.teams.bulletin import BULLETIN, FINDINGS, PLAN, PROGRESS
from andon.domain.teams.layers import Layer
from andon.domain.teams.recalling import Asked, Hit, Query, Recalled, goes_on, has_words, is_about, order
from andon.memory.learnings import Learnings
from andon.memory.markdown import TeamFiles
from andon.memory.sqlite import EVERY, Database

LONGEST = 2_000
"""Characters of one hit."""


class MemoryLayer(Protocol):
    @property
    def layer(self) -> Layer: ...
    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def search(self, query: Query) -> list[Hit]:
        """What is to the point, the best first. Raises UserError where it cannot be asked."""
        ...


@dataclass(frozen=True, slots=True)
class SharedMemory:
    layers: Sequence[MemoryLayer]
    """Of one layer there may be several."""
    clean: Callable[[str], str] = lambda text: text
    """What of a text may be shown."""

    def search(self, query: Query, only: Layer | None = None) -> Recalled:
        hits, asked = list[Hit](), list[Asked]()
        for layer in order(query, [each.layer for each in self.layers], only):
            for found, told in self._of(layer, query):
                hits += found
                asked.append(told)
            if not goes_on(query, len(hits)):
                break
        shown = (replace(each, text=self.clean(each.text)[:LONGEST]) for each in hits)
        return Recalled(tuple(shown)[: query.most], tuple(asked))

    def _of(self, layer: Layer, query: Query) -> Iterator[tuple[list[Hit], Asked]]:
        memories = [each for each in self.layers if each.layer is layer]
        if not memories:
            yield [], Asked(layer, layer.value, problem="there is none")
        for each in memories:
            try:
                found = each.search(query)
            except UserError as problem:
                yield [], Asked(layer, each.name, problem=problem.message, hint=problem.hint or "")
            else:
                yield found, Asked(layer, each.name, len(found))


def _wanted(query: Query, text: str, tags: Sequence[str] = ()) -> bool:
    if query.tag and not _tagged(query.tag, tags):
        return False
    return has_words(text, query.words) or (query.loose and is_about(text, query.words))


def _tagged(tag: str, tags: Sequence[str]) -> bool:
    return tag.casefold() in [each.casefold() for each in tags]


# --- layer 1 --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FilesLayer:
    """The four files of a team, in the checkout. Their entries have no tags."""

    files: TeamFiles
    root: Path
    """What places are told from."""
    name: str = "team files"

    @property
    def layer(self) -> Layer:
        return Layer.MARKDOWN

    def search(self, query: Query) -> list[Hit]:
        found = [each for each in self._entries() if _wanted(query, f"{each.by} {each.text}")]
        found.sort(key=lambda each: not has_words(f"{each.by} {each.text}", query.words))
        return found[: query.most]

    def _entries(self) -> Iterator[Hit]:
        """The bulletin with its newest entry first, then the others from their beginning."""
        try:
            for note in reversed(self.files.bulletin()):
                text = "\n".join(f"{name}: {value}" for name, value in note.fields if value)
                yield Hit(text, Layer.MARKDOWN, self._place(BULLETIN), by=note.by, at=note.at)
            for name in (FINDINGS, PLAN, PROGRESS):
                for heading, text in sections(self.files.text(name)):
                    yield Hit(text, Layer.MARKDOWN, self._place(name), by=heading if name == FINDINGS else "")
        except OSError as error:
            raise UserError(f"{self.files.folder} cannot be read: {error.strerror}") from error

    def _place(self, name: str) -> str:
        path = self.files.folder / name
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """(heading, text below it) of every heading with something below it, and of what stands before the first."""
    heading, lines = "", list[str]()
    for line in [*text.splitlines(), "# "]:
        if line.startswith("#") and line.lstrip("#")[:1] in ("", " "):
            if any(each.strip() for each in lines):
                yield heading, "\n".join(lines).strip()
            heading, lines = line.lstrip("#").strip(), []
        else:
            lines.append(line)


# --- layer 2 --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LearningsLayer:
    """What runs and people learned, in andon's own folder."""

    learnings: Learnings
    name: str = "learnings"

    @property
    def layer(self) -> Layer:
        return Layer.SQLITE

    def search(self, query: Query) -> list[Hit]:
        known = [each for each in self.learnings.all() if not query.tag or _tagged(query.tag, each.tags)]
        exact = [each for each in known if _says(each, query.words)]
        more = relevant(query.words, known, query.most) if query.loose else ()
        return [learning_hit(each) for each in dict.fromkeys([*exact, *more])][: query.most]


@dataclass(frozen=True, slots=True)
class TeamTablesLayer:
    """The database of a team, in the checkout."""

    file: Path
    name: str = "memory.db"

    @property
    def layer(self) -> Layer:
        return Layer.SQLITE

    def search(self, query: Query) -> list[Hit]:
        try:
            rows = list(_team_rows(Database(self.file)))
        except (sqlite3.Error, OSError) as error:
            hint = "It is no database of a team, or a broken one; move it away."
            raise UserError(f"{self.file} cannot be read: {error}", hint) from error
        return [each for each in rows if _wanted(query, each.text, each.tags)][: query.most]


def _says(learning: Learning, words: str) -> bool:
    return has_words(f"{learning.text} {learning.task} {learning.by} {learning.run} {' '.join(learning.tags)}", words)


def learning_hit(each: Learning) -> Hit:
    by = each.by or ("" if each.run else "a person")
    return Hit(each.text, Layer.SQLITE, "learnings", str(each.id), by, each.run, each.day, each.verdict, each.tags)


def _team_rows(database: Database) -> Iterator[Hit]:
    for found in database.discoveries(EVERY):
        hit = Hit(found.content, Layer.SQLITE, "discoveries", by=found.agent_id, at=_day(found.timestamp))
        yield replace(hit, tags=found.tags)
    for each in database.decisions(EVERY):
        hit = Hit(each.text, Layer.SQLITE, "decisions", by=each.by, at=_day(each.at))
        yield replace(hit, verdict=each.stand.value)
    for state in database.states():
        text = f"{state.key} = {state.value}"
        yield Hit(text, Layer.SQLITE, "shared_state", by=state.agent_id, at=_day(state.timestamp))


def _day(moment: int) -> str:
    """Nothing, where nobody knows."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d") if moment else ""
