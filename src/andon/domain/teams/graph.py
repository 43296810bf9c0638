"""What has to wait for what: the order of a workflow's units, in levels that can work side by side (B-21, B-22)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile

from andon.domain.teams.units import Unit

_NUMBER = re.compile(
    r"(?:step|phase|단계|스텝)\s*([\d]+(?:[.-][\d]+)*|[A-Z])\b|^\s*(\d+(?:\.\d+)*)(?:[.)\s:]|단계|스텝)",
    re.IGNORECASE,
)


class Cycle(ValueError):
    """Units that wait for each other, in a circle."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(" → ".join(names))
        self.names = tuple(names)


def ordered(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units with what each has to wait for. Raises Cycle."""
    spread = _spread(units)
    book = _Book(spread)
    made = tuple(replace(unit, after=book.after(unit)) for unit in spread)
    levels(made)
    whole = tuple(replace(unit, after=after) for unit, after in zip(made, book.with_loose_ends(made), strict=True))
    try:
        levels(whole)
    except Cycle:
        return made
    return whole


def _spread(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """A step that says "in parallel" of the parts under it speaks of them, not of itself."""
    parents = {unit.parent for unit in units if unit.parent}
    speaking = {unit.id for unit in units if unit.id in parents and unit.parallel}
    return tuple(
        replace(unit, parallel=False)
        if unit.id in speaking
        else replace(unit, parallel=unit.parallel or unit.parent in speaking)
        for unit in units
    )


def levels(units: Sequence[Unit]) -> tuple[tuple[str, ...], ...]:
    """Groups that can work at the same time, the first ones first. Raises Cycle."""
    sorter = TopologicalSorter({unit.id: unit.after for unit in units})
    try:
        sorter.prepare()
    except CycleError as error:
        raise Cycle(list(reversed(error.args[1]))) from None
    place = {unit.id: index for index, unit in enumerate(units)}
    found = list[tuple[str, ...]]()
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda id: place[id])
        found.append(tuple(ready))
        sorter.done(*ready)
    return tuple(found)


class _Book:
    """The units of one workflow, by everything that another unit may name them by."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.place = {unit.id: index for index, unit in enumerate(units)}
        self.units = units
        self.children: Mapping[str, list[Unit]] = defaultdict(list)
        self.made_by: Mapping[str, list[str]] = defaultdict(list)
        self.writers: Mapping[str, list[str]] = defaultdict(list)
        self.numbered: Mapping[str, list[str]] = defaultdict(list)
        self.handed: Mapping[str, list[str]] = defaultdict(list)
        self.counting = set[str]()
        """Those that nothing but their number gives a place."""
        self.titles = {unit.id: (unit.title.casefold(), _plain(unit.title)) for unit in units}
        for unit in units:
            self.children[unit.parent].append(unit)
            for made in unit.outputs:
                self.made_by[made.casefold()].append(unit.id)
            for file in unit.files if unit.writes else ():
                self.writers[file].append(unit.id)
            for word in unit.handoff:
                self.handed[_plain(word)].append(unit.id)
            if (number := number_of(unit.title)) is not None:
                self.numbered[number].append(unit.id)

    def after(self, unit: Unit) -> tuple[str, ...]:
        at = self.place[unit.id]
        found = self._named(unit) | {id for word in unit.inputs for id in self.made_by.get(word.casefold(), ())}
        shared = (id for file in unit.files if unit.writes for id in self.writers[file])
        found.update(id for id in shared if self.place[id] < at)
        found.update(id for name in (self.titles[unit.id][1], _plain(unit.id)) for id in self.handed.get(name, ()))
        siblings = [each for each in self.children[unit.parent] if self.place[each.id] < at]
        if unit.joins:
            found.update(each.id for each in siblings if not each.asks)
        if not found - {unit.parent, unit.id} and _follows(unit, siblings):
            found.update(_previous(siblings))
            self.counting.update([unit.id] if number_of(unit.title) is not None else [])
        found.update([unit.parent] if unit.parent else [])
        found |= {part for id in found for part in self._parts(id, unit)}
        return tuple(sorted(found - {unit.id}, key=lambda id: self.place[id]))

    def with_loose_ends(self, made: Sequence[Unit]) -> list[tuple[str, ...]]:
        """What each waits for: a step that goes by its number also for earlier ones that nobody between waits for."""
        before, bit = _before(made)
        numbered = {id for ids in self.numbered.values() for id in ids}
        earlier: dict[str, int] = defaultdict(int)
        found = list[tuple[str, ...]]()
        for unit in made:
            ends, loose = set(unit.after), earlier[unit.parent] & ~before[unit.id]
            if loose and unit.id in self.counting:
                for each in self.children[unit.parent]:
                    if loose & bit[each.id] and not before[each.id] & bit[unit.id]:
                        ends |= {each.id, *self._parts(each.id, unit)}
            earlier[unit.parent] |= bit[unit.id] if unit.id in numbered else 0
            found.append(tuple(sorted(ends, key=lambda id: self.place[id])))
        return found

    def _named(self, unit: Unit) -> set[str]:
        """Those that it names as finished before: by number, by title, or by id."""
        found = set[str]()
        for words in unit.named_before:
            low, plain = words.casefold(), _plain(words)
            found.update(self.numbered.get(number_of(words) or words.strip().upper(), ()))
            found.update([low] if low in self.place else [])
            found.update(
                id
                for id, (title, bare) in self.titles.items()
                if (len(words) > 2 and low in title) or (bare and bare in plain)
            )
        return found - {unit.id}

    def _parts(self, id: str, unit: Unit) -> set[str]:
        """To wait for a step is to wait for the parts under it, unless one is such a part."""
        if unit.parent == id:
            return set()
        inside = {each.id for each in self.children.get(id, ()) if each.id != unit.id}
        return inside | {part for child in inside for part in self._parts(child, unit)}


def _follows(unit: Unit, siblings: Sequence[Unit]) -> bool:
    """Whether it has to wait for what stands before it although nothing says for what: a numbered step that does not
    tell its inputs, or one that only says "afterwards". Searches that stand side by side work side by side."""
    if not siblings or unit.sequential:
        return bool(siblings)
    if unit.parallel and siblings[-1].parallel:
        return False
    numbered = number_of(unit.title) is not None and number_of(siblings[-1].title) is not None
    return (numbered and not unit.inputs) or unit.writes or unit.asks or unit.parallel


def _previous(siblings: Sequence[Unit]) -> set[str]:
    """The one before; or all of the parallel ones just before."""
    last = siblings[-1]
    group = {each.id for each in takewhile(lambda each: each.parallel, reversed(siblings))}
    return group or {last.id}


def number_of(title: str) -> str | None:
    """Of `STEP 3`, `Phase A`, `2.1 Search`, `3단계`."""
    found = _NUMBER.search(title)
    return (found[1] or found[2]).upper() if found else None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def mermaid(units: Sequence[Unit]) -> str:
    """A picture of the graph."""
    names = {unit.id: f"u{index}" for index, unit in enumerate(units)}
    lines = ["flowchart TD"]
    lines += [f'  {names[unit.id]}["{_label(unit.title)}"]' for unit in units]
    lines += [f"  {names[before]} --> {names[id]}" for id, all in direct(units).items() for before in all]
    return "\n".join(lines)


def direct(units: Sequence[Unit]) -> Mapping[str, tuple[str, ...]]:
    """What each waits for, without what follows from the rest."""
    after = {unit.id: unit.after for unit in units}
    before, bit = _before(units)
    return {id: tuple(near for near in all if not _implied(near, all, before, bit)) for id, all in after.items()}


def _before(units: Sequence[Unit]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """All that comes before each, one bit for each; and the bit of each."""
    after = {unit.id: unit.after for unit in units}
    bit = {unit.id: 1 << index for index, unit in enumerate(units)}
    before = dict[str, int]()
    for level in levels(units):
        for id in level:
            before[id] = 0
            for near in after[id]:
                before[id] |= before[near] | bit[near]
    return before, bit


def _implied(id: str, all: Sequence[str], before: Mapping[str, int], bit: Mapping[str, int]) -> bool:
    return any(before[other] & bit[id] for other in all if other != id)


def _label(title: str) -> str:
    return title.replace('"', "'").replace("[", "(").replace("]", ")").replace("\n", " ")[:60]
