"""Tests of the base against tests of the new tree: what is gone, skipped, weaker, hidden or hollow.

The same for every language, over outlines. Declares nothing honest or not: a plan or a person can excuse what it finds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from andon.checks.tamper.mocking import mocked_unit, newly_mocked, of_product
from andon.checks.tamper.outline import Outline, TestCase, extractor
from andon.checks.tamper.renaming import follower, names_in, renamed_names
from andon.checks.tamper.strength import Relation, relation, trivial
from andon.checks.tamper.test_paths import belongs_to_tests, is_test_file
from andon.domain.changeset import Changed, ChangeSet
from andon.domain.verdict import Finding
from andon.domain.verification import found

_NOTHING = Outline(())
_MOST_SHOWN = 100
_LOOSE = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|\s+([,;)\]])|\s+(\.)\s+|([(\[])\s+|(?<=[\w)\]])\s+(?=[(\[])"""
)
"""Spaces that nobody would write, and strings, in which nothing changes."""
_SELF = re.compile(r"\bself\.(?=\w)")
_ON_WINDOWS = re.compile(
    r"(?:if )?(?:(?:IS_|ON_)?WIN(?:DOWS|32)?|(?:sys\.)?platform == 'win32'"
    r"|(?:(?:sys\.)?platform\.)?startswith\('win(?:32)?'\)"
    r"|(?:platform\.)?system\(\) == 'Windows'|(?:os\.)?name == 'nt')(?:: skip)?",
)


def test_findings(change: ChangeSet) -> list[Finding]:
    return [*_Comparison(change).findings()]


@dataclass(frozen=True)
class _Version:
    """One side of a changed file, read."""

    path: str
    outline: Outline
    readable: bool = True


@dataclass(frozen=True)
class _Pair:
    """A test of the base, and what became of it."""

    path: str
    old: TestCase
    where: str = ""
    new: TestCase | None = None


class _Comparison:
    def __init__(self, change: ChangeSet) -> None:
        self._change = change
        # Tests find themselves by their paths; what follows here is the product that tests name.
        self._follow = follower({old: new for old, new in change.renamed.items() if not belongs_to_tests(old)})
        self._renames = renamed_names(
            (each.old or "", each.new or "") for each in change if not belongs_to_tests(each.path)
        )
        self._texts = {each.path: each.new or "" for each in change if is_test_file(each.path)}
        self._old = {each.path: version for each in change if (version := self._read(each, each.old)) is not None}
        self._new = {each.path: version for each in change if (version := self._read(each, each.new)) is not None}

    def _read(self, changed: Changed, text: str | None) -> _Version | None:
        """None for what is no test: of product files, only those that hold tests (Rust) count."""
        path = changed.path
        extract = extractor(path)
        test = is_test_file(path)
        if extract is None or text is None or not (test or (path.endswith(".rs") and "#[" in text)):
            return None
        outline = extract(self._follow(text))
        return _Version(path, outline or _NOTHING, outline is not None)

    def findings(self) -> Iterator[Finding]:
        for pair in self._pairs:
            if pair.new is None:
                continue
            yield from self._compared(pair)
        yield from self._gone()
        for version in self._new.values():
            before = self._old.get(self._was(version.path))
            known = {name for name, _ in before.outline.duplicates} if before else set[str]()
            yield from self._from_elsewhere(before, version)
            for name, line in version.outline.duplicates:
                if name not in known:
                    yield found(
                        "test_shadowed", f"{name} is defined again and hides the first", version.path, line, name
                    )
        for path, case in self._fresh:
            yield from self._added(path, case)

    def _from_elsewhere(self, before: _Version | None, now: _Version) -> Iterator[Finding]:
        """Names that stood for something of the product, and now for something that the tests bring along."""
        origins = dict(now.outline.origins)
        for name, origin in before.outline.origins if before else ():
            other = origins.get(name, origin)
            if other != origin and of_product(origin, self._change) and not of_product(other, self._change):
                text = f"{name} is no longer {origin} but {other or 'defined by the test file itself'}"
                yield found("test_mocks_unit", text, now.path, 1, name)

    # --- which test became which

    def _was(self, path: str) -> str:
        return self._backwards.get(path, path)

    @cached_property
    def _backwards(self) -> dict[str, str]:
        return {new: old for old, new in self._change.renamed.items()}

    @cached_property
    def _pairs(self) -> list[_Pair]:
        """Each test of the base with the one it is now: by name, then by what it does."""
        waiting = [(version.path, case) for version in self._old.values() for case in version.outline.cases]
        free = {(version.path, case.name): case for version in self._new.values() for case in version.outline.cases}
        pairs: list[_Pair] = []
        for same in (_by_name, _by_short_name, _by_body, _by_checks, _by_checks_without_self):
            left: list[tuple[str, TestCase]] = []
            index: dict[object, list[tuple[str, str]]] = {}
            for (path, _), case in free.items():
                for key in same(self._was(path), case):
                    index.setdefault(key, []).append((path, case.name))
            for path, case in waiting:
                place = next((each for key in same(path, case) for each in index.get(key, ()) if each in free), None)
                if place is None:
                    left.append((path, case))
                else:
                    pairs.append(_Pair(path, case, place[0], free.pop(place)))
            waiting = left
        return pairs + [_Pair(path, case) for path, case in waiting]

    @cached_property
    def _fresh(self) -> list[tuple[str, TestCase]]:
        taken = {(pair.where, pair.new.name) for pair in self._pairs if pair.new}
        cases = ((version.path, case) for version in self._new.values() for case in version.outline.cases)
        return [(path, case) for path, case in cases if (path, case.name) not in taken]

    @cached_property
    def _missing(self) -> Counter[str]:
        """Checks that the base has more of than the new tree: one that moved elsewhere is not among them."""
        before = Counter(
            check for version in self._old.values() for each in version.outline.cases for check in each.checks
        )
        skipped = {(pair.where, pair.new.name) for pair in self._pairs if pair.new and _newly_off(pair.old, pair.new)}
        off = {(path, case.name) for path, case in self._fresh if case.skipped or case.expected_to_fail} | skipped
        after = Counter(
            check
            for version in self._new.values()
            for each in version.outline.cases
            if (version.path, each.name) not in off
            for check in each.checks
        )
        return before - after

    # --- what became of it

    def _gone(self) -> Iterator[Finding]:
        by_file: dict[str, list[TestCase]] = {}
        for pair in self._pairs:
            if pair.new is None and not self._kept_elsewhere(pair.old):
                by_file.setdefault(pair.path, []).append(pair.old)
        for path, cases in by_file.items():
            yield from self._gone_from(path, cases)

    def _gone_from(self, path: str, cases: list[TestCase]) -> Iterator[Finding]:
        now = self._change.renamed.get(path, path)
        version = self._new.get(now)
        if version is None:
            names = ", ".join(each.name for each in cases[:3]) + (" …" if len(cases) > 3 else "")
            text = f"{len(cases)} {'test' if len(cases) == 1 else 'tests'} gone with the file: {names}"
            if now != path and now in self._change.after:
                text = f"moved to {now}, where no runner looks for tests: {names}"
                yield found("test_uncollected", text, now, 1, path)
            elif now in self._change.after:
                yield found("test_uncollected", f"cannot be read as text any more: {names}", now, 0, path)
            else:
                yield found("test_deleted", text, path, 0, path)
            return
        if not version.readable:
            yield found("test_uncollected", "the test file cannot be parsed any more", now, 1, path)
            return
        for case in cases:
            other = next((each for each in version.outline.others if _is_now(case, each)), None)
            if other is None:
                yield found("test_deleted", f"{case.name} is gone", now, 0, case.name)
            else:
                text = f"{case.name} is now {other.name}, which no runner collects"
                yield found("test_uncollected", text, now, other.line, case.name)

    def _kept_elsewhere(self, case: TestCase) -> bool:
        """Split or merged: all it checked is still checked somewhere."""
        telling = [each for each in case.checks if not trivial(each)]
        return bool(telling) and not any(self._missing[each] for each in telling)

    def _compared(self, pair: _Pair) -> Iterator[Finding]:
        old, new, path = pair.old, pair.new, pair.where
        if new is None:
            return
        off = False
        if _newly_skipped(old, new):
            off = True
            why = next((each for each in new.conditions if each not in old.conditions), "")
            yield found("test_skipped", f"{new.name} is skipped{_because(why)}", path, new.line, new.name)
        if new.expected_to_fail and not old.expected_to_fail:
            off = True
            yield found("test_expected_to_fail", f"{new.name} is expected to fail", path, new.line, new.name)
        if new.focused and not old.focused:
            yield found("test_focused", f"only {new.name} is run", path, new.line, new.name)
        reduced = _reduced(old, new)
        if reduced:
            yield found("test_parameters_reduced", f"{new.name} {reduced}", path, new.line, new.name)
        mocks = newly_mocked(old, new, self._change)
        if mocks:
            text = f"{new.name} now replaces {', '.join(mocks)}"
            yield found("test_mocks_unit", text, path, new.line, new.name)
        if not off and not reduced:
            yield from self._checks(old, new, path)

    def _checks(self, old: TestCase, new: TestCase, path: str) -> Iterator[Finding]:
        changes = [*self._changed_checks(old, new, path)]
        for rule in ("test_weakened", "test_changed"):
            told = [text for kind, text in changes if kind == rule]
            if told:
                more = f" and {len(told) - 1} more" if len(told) > 1 else ""
                yield found(rule, f"{new.name}: {told[0]}{more}", path, new.line, new.name)
        if not changes and old.checks != new.checks and _hollow(new) and not _hollow(old):
            yield found("test_trivial", f"{new.name} checks nothing but constants", path, new.line, new.name)

    def _changed_checks(self, old: TestCase, new: TestCase, path: str) -> Iterator[tuple[str, str]]:
        budget = Counter(self._missing)
        shapes = dict(zip(old.checks, old.shapes or old.checks, strict=False))
        added = _less(new, old.checks)
        removed: list[str] = []
        for check in (Counter(old.checks) - Counter(new.checks)).elements():
            if budget[check] <= 0 or trivial(check):
                continue
            budget[check] -= 1
            if any(relation(check, each) in (Relation.SAME, Relation.STRICTER) for each in new.checks):
                continue
            removed.append(check)
        for check in [*removed]:
            place = next((n for n, each in enumerate(added) if self._same(check, shapes[check], each, path)), None)
            if place is not None:
                removed.remove(check)
                del added[place]
        for check in removed:
            related = [(relation(check, each[0]), each) for each in added]
            closest = next((pair for kind in _ORDER for pair in related if pair[0] is kind), None)
            if closest is None:
                yield "test_weakened", f"no longer checks `{_short(check)}`"
                continue
            added.remove(closest[1])
            rule = "test_weakened" if closest[0] is Relation.WEAKER else "test_changed"
            yield rule, f"`{_short(check)}` became `{_short(closest[1][0])}`"

    def _same(self, check: str, shape: str, other: tuple[str, str], path: str) -> bool:
        """The same check of an object that was made in another way, or of something that has a new name."""
        if trivial(other[0]):
            return False
        if _without_self(self._renames.masked(check)) == _without_self(self._renames.masked(other[0])):
            return True
        if self._renames.masked(shape) != self._renames.masked(other[1]):
            return False
        # What a test was about must still be met in its file, or be gone from the product.
        lost = names_in(check) - names_in(self._texts.get(path, "")) - self._renames.gone
        return not lost

    def _added(self, path: str, case: TestCase) -> Iterator[Finding]:
        if case.focused:
            yield found("test_focused", f"only {case.name} is run", path, case.line, case.name)
        if _hollow(case) and not case.skipped:
            yield found("test_trivial", f"{case.name} checks nothing but constants", path, case.line, case.name)
        unit = mocked_unit(case, self._change)
        if unit:
            text = f"{case.name} replaces {unit} and then tests the replacement"
            yield found("test_mocks_unit", text, path, case.line, case.name)


_ORDER = (Relation.WEAKER, Relation.CHANGED)


def _less(case: TestCase, checks: Iterable[str]) -> list[tuple[str, str]]:
    """The checks of a test, with their shapes, but for those given."""
    left = Counter(checks)
    found: list[tuple[str, str]] = []
    for check, shape in zip(case.checks, case.shapes or case.checks, strict=False):
        if left[check] > 0:
            left[check] -= 1
        else:
            found.append((check, shape))
    return found


def _by_name(path: str, case: TestCase) -> Iterable[object]:
    return [(path, case.name)]


def _by_short_name(path: str, case: TestCase) -> Iterable[object]:
    """Moved to another class or file, with the same content."""
    short = case.name.rpartition("::")[2].rpartition(" › ")[2]
    return [(short, case.body)] if case.body else []


def _by_body(path: str, case: TestCase) -> Iterable[object]:
    return [("body", case.body, case.checks)] if case.body else []


def _by_checks(path: str, case: TestCase) -> Iterable[object]:
    """Renamed, or moved and touched: everything it checked is the same."""
    telling = any(not trivial(each) for each in case.checks)
    return [("checks", tuple(sorted(case.checks)))] if telling else []


def _by_checks_without_self(path: str, case: TestCase) -> Iterable[object]:
    """A method is now a function: what its set-up made is a fixture of the same name."""
    telling = any(not trivial(each) for each in case.checks)
    short = case.name.rpartition("::")[2]
    return [(short, tuple(sorted(map(_without_self, case.checks))))] if telling else []


def _without_self(check: str) -> str:
    return _SELF.sub("", check)


def _is_now(case: TestCase, other: TestCase) -> bool:
    if case.body and case.body == other.body:
        return True
    if case.checks and case.checks == other.checks:
        return True
    bare = case.name.rpartition("::")[2].removeprefix("test").strip("_")
    return len(bare) > 3 and other.name.rpartition("::")[2].strip("_").endswith(bare)


def _newly_skipped(old: TestCase, new: TestCase) -> bool:
    if not new.skipped:
        return False
    return not old.skipped or bool({*map(_plainly, new.conditions)} - {*map(_plainly, old.conditions)})


def _plainly(condition: str) -> str:
    """The one condition that has many usual spellings."""
    return "windows" if _ON_WINDOWS.fullmatch(condition) else condition


def _newly_off(old: TestCase, new: TestCase) -> bool:
    return _newly_skipped(old, new) or (new.expected_to_fail and not old.expected_to_fail)


def _reduced(old: TestCase, new: TestCase) -> str:
    if old.parameters is None or new.parameters is None:
        fewer = old.parameters is not None and old.parameters > 1 and bool(old.sets) and not _covered(old, new)
        return f"no longer runs with its {old.parameters} sets of parameters" if fewer else ""
    if new.parameters < old.parameters:
        return f"has {new.parameters} sets of parameters, not {old.parameters}"
    return ""


def _covered(old: TestCase, new: TestCase) -> bool:
    """Written out, in a loop, or built in a way that cannot be read: what is checked tells the rest."""
    return new.parameters is None and (bool(new.sets) or {*old.checks} <= {*new.checks} or not new.checks)


def _hollow(case: TestCase) -> bool:
    return bool(case.checks) and all(trivial(each) for each in case.checks)


def _because(condition: str) -> str:
    return f" ({_short(condition)})" if condition and condition != "skip" else ""


def _short(text: str) -> str:
    plain = " ".join(text.split())
    if " ( " in plain:  # words as a grammar tells them
        plain = _LOOSE.sub(lambda found: found[found.lastindex or 0].strip(), plain)
    return plain if len(plain) <= _MOST_SHOWN else plain[: _MOST_SHOWN - 1] + "…"
