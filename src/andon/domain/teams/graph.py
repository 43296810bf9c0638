"""What has to wait for what: the order of a workflow's units, in levels that can work side by side (B-21, B-22)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from andon.domain.teams.units import Unit

_NUMBER = re.compile(
    r"(?:step|phase|단계|스텝)\s*([\d]+(?:[.-][\d]+)*|[A-Z])\b|^\s*(\d+(?:\.\d+)*)[.)\s:]", re.IGNORECASE
)


class Cycle(ValueError):
    """Units that wait for each other, in a circle."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(" → ".join(names))
        self.names = tuple(names)


def ordered(units: Sequence[Unit]) -> tuple[Unit, ...]:
    """The units with what each has to wait for. Raises Cycle."""
    spread = _spread(units)
    made = tuple(replace(unit, after=_after(unit, spread)) for unit in spread)
    levels(made)
    return made


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


def _after(unit: Unit, units: Sequence[Unit]) -> tuple[str, ...]:
    at = next(index for index, each in enumerate(units) if each.id == unit.id)
    before = units[:at]
    found = {
        *_named(unit, units),
        *(_made_by(unit, units)),
        *(each.id for each in before if each.writes and unit.writes and set(each.files) & set(unit.files)),
        *(each.id for each in units if unit.id in _handed_to(each, units)),
    }
    if unit.parent:
        found.add(unit.parent)
    siblings = [each for each in before if each.parent == unit.parent]
    if unit.joins:
        found.update(each.id for each in siblings if not each.asks)
    if not found - {unit.parent} and _follows(unit, siblings):
        found.update(_previous(unit, siblings))
    wholes = {part for id in found for part in _parts(id, unit, units)}
    return tuple(each.id for each in units if each.id in found | wholes and each.id != unit.id)


def _follows(unit: Unit, siblings: Sequence[Unit]) -> bool:
    """Whether it has to wait for what stands before it although nothing says for what: a numbered step that does not
    tell its inputs, or one that only says "afterwards". Searches that stand side by side work side by side."""
    if not siblings or unit.sequential:
        return bool(siblings)
    if unit.parallel and siblings[-1].parallel:
        return False
    numbered = number_of(unit.title) is not None and number_of(siblings[-1].title) is not None
    return (numbered and not unit.inputs) or unit.writes or unit.asks or unit.parallel


def _previous(unit: Unit, siblings: Sequence[Unit]) -> set[str]:
    """The one before; or all of the parallel ones just before."""
    last = siblings[-1]
    if not last.parallel:
        return {last.id}
    group = set[str]()
    for each in reversed(siblings):
        if not each.parallel:
            break
        group.add(each.id)
    return group


def _named(unit: Unit, units: Sequence[Unit]) -> set[str]:
    """Those that it names as finished before: by number, by title, or by id."""
    found = set[str]()
    for words in unit.named_before:
        number = number_of(words) or words.strip()
        for each in units:
            if each.id == unit.id:
                continue
            same_number = number_of(each.title) == number
            same_name = len(words) > 2 and (each.id == words.casefold() or words.casefold() in each.title.casefold())
            if same_number or same_name or _plain(each.title) in _plain(words):
                found.add(each.id)
    return found


def _made_by(unit: Unit, units: Sequence[Unit]) -> set[str]:
    wanted = {each.casefold() for each in unit.inputs}
    return {each.id for each in units if each.id != unit.id and wanted & {made.casefold() for made in each.outputs}}


def _handed_to(unit: Unit, units: Sequence[Unit]) -> set[str]:
    """`handoff: NAME` names who goes on."""
    wanted = {_plain(each) for each in unit.handoff}
    return {each.id for each in units if each.id != unit.id and {_plain(each.title), _plain(each.id)} & wanted}


def _parts(id: str, unit: Unit, units: Sequence[Unit]) -> set[str]:
    """To wait for a step is to wait for the parts under it, unless one is such a part."""
    if unit.parent == id:
        return set()
    children = {each.id for each in units if each.parent == id and each.id != unit.id}
    return children | {part for child in children for part in _parts(child, unit, units)}


def number_of(title: str) -> str | None:
    """Of `STEP 3`, `Phase A`, `2.1 Search`."""
    found = _NUMBER.search(title)
    return (found[1] or found[2]).upper() if found else None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def mermaid(units: Sequence[Unit]) -> str:
    """A picture of the graph."""
    names = {unit.id: f"u{index}" for index, unit in enumerate(units)}
    lines = ["flowchart TD"]
    lines += [f'  {names[unit.id]}["{_label(unit.title)}"]' for unit in units]
    lines += [f"  {names[before]} --> {names[unit.id]}" for unit in units for before in direct(unit, units)]
    return "\n".join(lines)


def direct(unit: Unit, units: Sequence[Unit]) -> tuple[str, ...]:
    """What it waits for, without what follows from the rest."""
    after: Mapping[str, tuple[str, ...]] = {each.id: each.after for each in units}
    implied = {far for near in unit.after for far in _all_before(near, after)}
    return tuple(id for id in unit.after if id not in implied)


def _all_before(id: str, after: Mapping[str, tuple[str, ...]]) -> set[str]:
    found, left = set[str](), list(after[id])
    while left:
        if (each := left.pop()) not in found:
            found.add(each)
            left.extend(after[each])
    return found


def _label(title: str) -> str:
    return title.replace('"', "'").replace("[", "(").replace("]", ")").replace("\n", " ")[:60]
