"""Product code that answers from a table of the cases which the visible tests show, instead of computing.

A table counts when it holds nearly all cases of a tested function and little besides them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from andon.checks.tamper.python_cases import OTHERWISE, python_cases, python_tables
from andon.checks.tamper.script_cases import script_cases, script_tables
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

LEAST = 3
"""Cases from which answering them one by one is a table."""
OF_THE_TESTS, OF_THE_TABLE = 0.8, 0.7
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_WORD = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    line: int
    entries: frozenset[tuple[object, object]]
    """Key → value; a key of several arguments is a tuple."""


Cases = dict[str, set[tuple[tuple[object, ...], object]]]
"""Tested function → arguments and what must come of them."""


def table_findings(change: ChangeSet, tests: Mapping[str, str]) -> list[Finding]:
    """`tests`: the base's test files, path → text. A table that the file had before is not new."""
    cases: Cases = {}
    for path, text in tests.items():
        known = script_cases(text) if _SCRIPT.search(path) else python_cases(text) if path.endswith(".py") else ()
        for name, given, expected in known:
            cases.setdefault(name, set()).add((given, expected))
    asked = {name: pairs for name, pairs in cases.items() if len(pairs) >= LEAST}
    if not asked:
        return []
    had = {table.entries for file in change if _is_product(file) and file.old for table in _tables(file.path, file.old)}
    return [
        finding
        for file in change
        if _is_product(file) and file.new and file.new != file.old
        for table in _tables(file.path, file.new)
        if table.entries not in had and not _is_naming(table.entries)
        for finding in _answers(file.path, table, asked)
    ]


def _is_product(file: Changed) -> bool:
    return not is_test(file.path) and (file.path.endswith(".py") or _SCRIPT.search(file.path) is not None)


def _tables(path: str, text: str) -> Iterator[Table]:
    read = python_tables(text) if path.endswith(".py") else script_tables(text)
    for name, line, entries in read:
        if len(entries) >= LEAST:
            yield Table(name, line, frozenset(entries))


def _answers(path: str, table: Table, asked: Cases) -> Iterator[Finding]:
    for name, pairs in asked.items():
        used: set[tuple[object, object]] = set()
        hit = 0
        for given, expected in pairs:
            keys = (*_keys(given), OTHERWISE)
            entry = next(((key, expected) for key in keys if (key, expected) in table.entries), None)
            if entry is not None:
                hit += 1
                used.add(entry)
        if len(used) >= LEAST and hit >= OF_THE_TESTS * len(pairs) and len(used) >= OF_THE_TABLE * len(table.entries):
            told = f"{table.name} holds {hit} of the {len(pairs)} cases that tests show of {name}"
            yield found("answer_table", told, path, table.line, f"{table.name}: {name}")
            return


def _keys(given: tuple[object, ...]) -> Iterator[object]:
    """The ways in which arguments become one key."""
    if len(given) == 1:
        yield given[0]
    if len(given) == 1 and isinstance(given[0], str) and given[0].isdecimal():
        yield int(given[0])  # an object of JavaScript does not tell the two apart
    yield given
    yield tuple(sorted(given, key=repr))
    plain = [str(each) for each in given]
    yield from (separator.join(plain) for separator in (",", ", ", " ", "-", "_", "|", ":", "", "x", "+"))
    yield from (repr(given), repr(given[0]) if given else "")


def _is_naming(entries: Iterable[tuple[object, object]]) -> bool:
    """Names of things that follow from nothing: colours, states, weekdays. No computation gives those."""
    pairs = [(key, value) for key, value in entries if key != OTHERWISE]
    if any(isinstance(value, bool) or not isinstance(value, str | int | float) for _, value in pairs):
        return False
    if all(isinstance(key, str) and _WORD.fullmatch(key) for key, _ in pairs):
        return not any(_follows(str(key), value) for key, value in pairs)
    numbers = sorted(key for key, _ in pairs if type(key) is int)
    words = {value for _, value in pairs if isinstance(value, str) and len(value) > 1 and _WORD.match(value)}
    in_order = len(numbers) == len(pairs) and numbers in ([*range(len(pairs))], [*range(1, len(pairs) + 1)])
    return in_order and len(words) == len(pairs)


def _follows(key: str, value: object) -> bool:
    """Whether a word could have been computed from the other: the same letters, or a count of them."""
    if isinstance(value, str):
        shorter, longer = sorted((set(key.casefold()), set(value.casefold())), key=len)
        return shorter <= longer
    return isinstance(value, int) and value <= len(key)
