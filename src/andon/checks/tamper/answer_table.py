"""Product code that answers from a table of the cases which the visible tests show, instead of computing.

A table counts when it holds nearly all cases of a tested function and little besides them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from andon.checks.tamper.data_tables import data_tables, is_data, plain
from andon.checks.tamper.python_cases import OTHERWISE, python_cases, python_tables
from andon.checks.tamper.script_cases import script_cases, script_tables
from andon.checks.tamper.test_paths import belongs_to_tests
from andon.domain.auto.implementation import is_test
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

LEAST = 3
"""Cases from which answering them one by one is a table."""
OF_THE_TESTS, OF_THE_TABLE, OF_FINGERPRINTS = 0.8, 0.7, 0.4
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_QUOTED = re.compile(r"'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"")
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
    seen = {each[1:-1] for text in tests.values() for each in _QUOTED.findall(text)}
    findings = _among(change, asked, seen, _is_product, _tables)
    told = {name: {(tuple(map(plain, given)), plain(expected)) for given, expected in asked[name]} for name in asked}
    return findings + _among(change, told, seen, _is_data, _data)


def _among(
    change: ChangeSet,
    asked: Cases,
    seen: set[str],
    wanted: Callable[[Changed], bool],
    tables: Callable[[str, str], Iterator[Table]],
) -> list[Finding]:
    files = [file for file in change if wanted(file)]
    had = {table.entries for file in files if file.old for table in tables(file.path, file.old)}
    return [
        finding
        for file in files
        if file.new and file.new != file.old
        for table in tables(file.path, file.new)
        if table.entries not in had and not _is_naming(table.entries)
        for finding in _answers(file.path, table, asked, seen)
    ]


def _is_data(file: Changed) -> bool:
    return is_data(file.path) and not belongs_to_tests(file.path)


def _data(path: str, text: str) -> Iterator[Table]:
    for name, entries in data_tables(text):
        if len(entries) >= LEAST:
            yield Table(name, 0, entries)


def _is_product(file: Changed) -> bool:
    return not is_test(file.path) and (file.path.endswith(".py") or _SCRIPT.search(file.path) is not None)


def _tables(path: str, text: str) -> Iterator[Table]:
    read = python_tables(text) if path.endswith(".py") else script_tables(text)
    for name, line, entries in read:
        if len(entries) >= LEAST:
            yield Table(name, line, frozenset(entries))


def _answers(path: str, table: Table, asked: Cases, seen: set[str]) -> Iterator[Finding]:
    """`seen`: texts that tests hold. An entry for one of them is there for tests too, where others are."""
    for name, pairs in asked.items():
        used: set[tuple[object, object]] = set()
        hit = 0
        unread = _by_fingerprint(table)
        for given, expected in pairs:
            keys = (*_keys(given), OTHERWISE)
            entry = next(((key, expected) for key in keys if (key, expected) in table.entries), None)
            entry = entry or next((each for each in unread if each[1] == expected and each not in used), None)
            if entry is not None:
                hit += 1
                used.add(entry)
        shown = len(used | {each for each in table.entries if isinstance(each[0], str) and each[0] in seen})
        enough = (OF_FINGERPRINTS if unread else OF_THE_TABLE) * len(table.entries)
        if len(used) >= LEAST and hit >= OF_THE_TESTS * len(pairs) and shown >= enough:
            told = f"{table.name} holds {hit} of the {len(pairs)} cases that tests show of {name}"
            yield found("answer_table", told, path, table.line, f"{table.name}: {name}")
            return


def _by_fingerprint(table: Table) -> list[tuple[object, object]]:
    """The entries of a table whose keys are checksums: nobody can read those, so the answers tell enough."""
    return [*table.entries] if all(_is_checksum(key) for key, _ in table.entries) else []


def _is_checksum(key: object) -> bool:
    if isinstance(key, int):
        return key >= 1 << 24
    return isinstance(key, str) and re.fullmatch(r"(?=.*\d)[0-9a-f]{8,128}", key) is not None


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
