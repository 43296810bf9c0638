"""What a program can see of a result: what is missing, which sources exist, how much is said (B-56)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from andon.domain.teams.ralph import Measured
from andon.domain.teams.results import Item, Result, Said
from andon.domain.teams.team import Work
from andon.domain.teams.units import LONGEST_PATH, is_path

_PLACE = re.compile(r"(?:[:#](?:L?\d.*|[\w-]+))+$")
_FAR = re.compile(r"(?:/|~/|\.\./|[^\s:]+/\.\./)[^\s]*[^\s/]")


def path_of(source: str) -> str:
    """A citation without its line: `src/a.py:12` is `src/a.py`. Empty: it names no file."""
    bare = _PLACE.sub("", source.strip().strip("`").removeprefix("./"))
    return bare if is_path(bare) or _outside(bare) else ""


def _outside(text: str) -> bool:
    """A file that is none of the project's: it is looked for like any other, and never found."""
    return bool(_FAR.fullmatch(text)) and len(text) <= LONGEST_PATH


def paths_out(work: Work) -> tuple[str, ...]:
    """What it leaves behind that can be looked for."""
    return tuple(each.removeprefix("./") for each in work.outputs if is_path(each))


def cited(items: Iterable[Item]) -> tuple[str, ...]:
    """Every file that a result rests on, each once."""
    return tuple(dict.fromkeys(path for item in items for each in item.sources if (path := path_of(each))))


def looked_for(work: Work, result: Result) -> tuple[str, ...]:
    """The paths of which it has to be known whether they exist."""
    return tuple(dict.fromkeys((*paths_out(work), *cited(result.items))))


def missing(work: Work, result: Result, existing: Collection[str]) -> list[str]:
    """What was asked for and is not there: files that do not exist, things that no item is about."""
    told = [_plain(item.item) for item in result.items if item.analysis]
    files = set(paths_out(work))
    return [
        each
        for each in work.outputs
        if (each.removeprefix("./") not in existing if each.removeprefix("./") in files else not _speaks(each, told))
    ]


def _speaks(output: str, told: Iterable[str]) -> bool:
    """All of it stands there, or at least a third of it in whole words: no letter is about everything."""
    wanted = _plain(output)
    return any(wanted in each or (len(each) * 3 >= len(wanted) and f" {each} " in f" {wanted} ") for each in told)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def measured(work: Work, result: Result, existing: Collection[str]) -> Measured:
    sources = cited(result.items)
    lacking = len(missing(work, result, existing))
    if result.status is not Said.DONE:
        lacking = max(1, lacking)
    conforming = sum(bool(item.item and item.analysis and item.sources) for item in result.items)
    assigned = max(1, len(work.outputs))
    return Measured(
        assigned=assigned,
        missing=min(assigned, lacking),
        citations=len(sources),
        found=sum(path in existing for path in sources),
        lengths=tuple(len(item.analysis) for item in result.items),
        lines=len(result.items),
        conforming=conforming,
    )
