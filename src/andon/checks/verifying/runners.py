"""What differs between test runners when the base's tests are tried on new code, and when added tests are doubted.

Reads and writes source text and ids of tests; nothing is run here.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from andon.checks.languages.python.mutants import make_mutants
from andon.checks.mutants import Mutant
from andon.checks.results.commands import Reported, program
from andon.checks.tamper.outline import extractor
from andon.checks.tamper.test_paths import belongs_to_tests, is_test_file
from andon.checks.verifying import names, sabotage, script_mutants, script_sabotage
from andon.domain.changeset import ChangeSet

Texts = Mapping[str, str]
"""By path."""
_SCRIPT = tuple(f".{prefix}{kind}s{suffix}" for prefix in ("", "c", "m") for kind in "jt" for suffix in ("", "x"))
STEP = " › "
MOST_NAMED = 400
"""Tests that are named one by one in a command."""
_NUMBERED = re.compile(r" #\d+$")
_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\$[\w.#]+|%[sdifjoOpc#$%]|\\.")
"""What a runner fills in when it runs one test several times, and what reads otherwise than it is written."""


class Runner(Protocol):
    def reads(self, path: str) -> bool:
        """Whether it is source of a kind this runner runs."""
        ...

    def groups(self, texts: Texts) -> list[frozenset[str]]:
        """Names of tests; those of one group fail together."""
        ...

    def sabotaged(
        self, texts: Texts, names: Collection[str], chance: random.Random
    ) -> tuple[dict[str, bytes], frozenset[str]]:
        """Files with those tests made to fail, and the names of those that now must."""
        ...

    def behind(self, ids: Iterable[str], names: Collection[str]) -> dict[str, str]:
        """The name of the test behind each id, where it is known."""
        ...

    def blanks(self, change: ChangeSet) -> list[str]:
        """Added test files that are there, but empty, while the base's tests run: some of those ask for a file."""
        ...

    def file(self, id: str) -> str: ...

    def selected(self, ids: Collection[str]) -> tuple[str, ...]:
        """The arguments that make it run these tests, and perhaps others of their files."""
        ...

    def named(self, ids: Collection[str]) -> tuple[str, ...]:
        """The arguments that make it run these tests and no others, where it can."""
        ...

    def only(self, command: Reported, paths: Iterable[str]) -> tuple[str, ...]:
        """The command for these files; others may run too."""
        ...

    def in_one_process(self, command: Reported, words: Iterable[str]) -> tuple[str, ...]:
        """The command for a run that forks a process for each mutant; nothing where it cannot."""
        ...

    def mutants(self, path: str, text: str) -> list[Mutant]: ...

    def names_used(self, text: str) -> frozenset[str]: ...

    def names_defined(self, text: str) -> frozenset[str]: ...

    def names_of_test(self, text: str, id: str) -> frozenset[str]:
        """Names that a test of this file speaks of, or the whole file where its own are not known."""
        ...

    def literals(self, text: str) -> list[str | int | float]: ...

    def rewritten(self, old: str, new: str) -> frozenset[str] | None:
        """Names of the tests of a file that are not as they were; None where more than single tests was changed."""
        ...

    def speaks_of_product(self, text: str, id: str) -> bool:
        """Whether a test of this file may look at the product in a form that no mutant has: data, a program."""
        ...


@dataclass(frozen=True, slots=True)
class Pytest:
    """Ids are `tests/test_a.py::TestB::test_c[1-2]`; a test's name is its function's, wherever that is defined."""

    def reads(self, path: str) -> bool:
        return path.endswith(".py")

    def groups(self, texts: Texts) -> list[frozenset[str]]:
        names = {name for text in texts.values() for name in sabotage.test_names(text)}
        return [frozenset({name}) for name in sorted(names)]

    def sabotaged(
        self, texts: Texts, names: Collection[str], chance: random.Random
    ) -> tuple[dict[str, bytes], frozenset[str]]:
        return sabotage.sabotaged(texts, names, chance), frozenset(names)

    def behind(self, ids: Iterable[str], names: Collection[str]) -> dict[str, str]:
        return {id: id.partition("[")[0].rpartition("::")[2] for id in ids}

    def blanks(self, change: ChangeSet) -> list[str]:
        """Two of the same name in folders that are no packages cannot be collected together."""
        added = tests_of(self, change.after - change.before)
        names = Counter(PurePosixPath(path).name for path in (*tests_of(self, change.before), *added))
        return [path for path in added if names[PurePosixPath(path).name] == 1]

    def file(self, id: str) -> str:
        return id.partition("::")[0]

    def selected(self, ids: Collection[str]) -> tuple[str, ...]:
        tests = dict.fromkeys(id.partition("[")[0] for id in ids)
        return tuple(tests) if len(tests) <= MOST_NAMED else tuple(dict.fromkeys(map(self.file, tests)))

    def named(self, ids: Collection[str]) -> tuple[str, ...]:
        return tuple(ids)

    def only(self, command: Reported, paths: Iterable[str]) -> tuple[str, ...]:
        return (*program(command.argv), *paths)

    def in_one_process(self, command: Reported, words: Iterable[str]) -> tuple[str, ...]:
        return (*program(command.argv), "-q", *words)

    def mutants(self, path: str, text: str) -> list[Mutant]:
        return make_mutants(path, text)

    def names_used(self, text: str) -> frozenset[str]:
        return names.names_used(text)

    def names_defined(self, text: str) -> frozenset[str]:
        return names.names_defined(text)

    def names_of_test(self, text: str, id: str) -> frozenset[str]:
        return names.names_of_test(text, self.behind([id], ())[id])

    def literals(self, text: str) -> list[str | int | float]:
        return names.literals(text)

    def rewritten(self, old: str, new: str) -> frozenset[str] | None:
        return names.rewritten(old, new)

    def speaks_of_product(self, text: str, id: str) -> bool:
        return names.speaks_of_product(text, self.behind([id], ())[id])


@dataclass(frozen=True, slots=True)
class Scripts:
    """Ids and names are `path › describe › it`. Tests in each other fall together: an outer one fails with an inner.

    What a runner is told to run comes on top of what its command names already, so the others may run as well.
    """

    def reads(self, path: str) -> bool:
        return path.endswith(_SCRIPT)

    def groups(self, texts: Texts) -> list[frozenset[str]]:
        return [group for path, text in texts.items() for group in _nested(path, text)]

    def sabotaged(
        self, texts: Texts, names: Collection[str], chance: random.Random
    ) -> tuple[dict[str, bytes], frozenset[str]]:
        return _each_file(script_sabotage.sabotaged, texts, names, chance)

    def behind(self, ids: Iterable[str], names: Collection[str]) -> dict[str, str]:
        patterns = {name: pieces for name in names if len(pieces := _PLACEHOLDER.split(name)) > 1}
        found = ((id, _matching(id, names, patterns)) for id in ids)
        return {id: name for id, name in found if name}

    def blanks(self, change: ChangeSet) -> list[str]:
        return []  # a file without tests fails in some of these runners

    def file(self, id: str) -> str:
        return id.partition(STEP)[0]

    def selected(self, ids: Collection[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self.file, ids)))

    def named(self, ids: Collection[str]) -> tuple[str, ...]:
        return self.selected(ids)

    def only(self, command: Reported, paths: Iterable[str]) -> tuple[str, ...]:
        return command.with_words(*paths)

    def in_one_process(self, command: Reported, words: Iterable[str]) -> tuple[str, ...]:
        return ()

    def mutants(self, path: str, text: str) -> list[Mutant]:
        return script_mutants.make_mutants(path, text)

    def names_used(self, text: str) -> frozenset[str]:
        return script_mutants.names_used(text)

    def names_defined(self, text: str) -> frozenset[str]:
        return frozenset(mutant.function for mutant in script_mutants.make_mutants("", text))

    def names_of_test(self, text: str, id: str) -> frozenset[str]:
        return self.names_used(text)

    def literals(self, text: str) -> list[str | int | float]:
        return []

    def rewritten(self, old: str, new: str) -> frozenset[str] | None:
        return None

    def speaks_of_product(self, text: str, id: str) -> bool:
        return True


RUNNERS: dict[str, Runner] = {
    "pytest": Pytest(),
    "node": Scripts(),
    "vitest": Scripts(),
    "jest": Scripts(),
}


def tests_of(runner: Runner, paths: Iterable[str]) -> list[str]:
    return sorted(path for path in paths if runner.reads(path) and is_test_file(path))


def product_of(runner: Runner, paths: Iterable[str]) -> list[str]:
    return sorted(path for path in paths if runner.reads(path) and not belongs_to_tests(path))


class _Sabotage(Protocol):
    def __call__(self, text: str, names: Collection[str], chance: random.Random) -> tuple[str, frozenset[str]]: ...


def _each_file(
    sabotage: _Sabotage, texts: Texts, names: Collection[str], chance: random.Random
) -> tuple[dict[str, bytes], frozenset[str]]:
    edits: dict[str, bytes] = {}
    doomed: set[str] = set()
    for path, text in texts.items():
        start = path + STEP
        wanted = {name.removeprefix(start) for name in names if name.startswith(start)}
        changed, made = sabotage(text, wanted, chance) if wanted else ("", ())
        if made:
            edits[path] = changed.encode()
            doomed.update(start + name for name in made)
    return edits, frozenset(doomed)


def _nested(path: str, text: str) -> list[frozenset[str]]:
    read = extractor(path)
    outline = read(text) if read else None
    groups: list[list[str]] = []
    for name in sorted(case.name for case in outline.cases) if outline else ():
        outer = next((group for group in groups if name.startswith(group[0] + STEP)), None)
        if outer is None:
            groups.append([name])
        else:
            outer.append(name)
    return [frozenset(path + STEP + name for name in group) for group in groups]


def _matching(id: str, names: Collection[str], patterns: Mapping[str, list[str]]) -> str:
    """A test that is run several times has one name and many ids."""
    plain = _NUMBERED.sub("", id)
    exact = next((each for each in (id, plain) if each in names), "")
    return exact or next((name for name, pieces in patterns.items() if _has_in_order(plain, pieces)), "")


def _has_in_order(text: str, pieces: list[str]) -> bool:
    first, *middle, last = pieces
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True
