"""Which findings stand against a change, which the plan or a person excuses, and how many of a kind are told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from andon.domain.declarations import declared, excuse, is_declared
from andon.domain.verdict import Finding
from andon.domain.verification import RULES, Excuse, Excused, Layer, Question, finding_id, found

MOST_TOLD = 3
"""Tests with one cause that are told one by one."""
_STEPS = ("::", " › ")


def sorted_out(
    question: Question, findings: tuple[Finding, ...], before: Collection[str] | None = None
) -> tuple[tuple[Finding, ...], tuple[Excused, ...]]:
    """What stands against the change, and what the plan or a person excuses."""
    declarations = declared(question.plan)
    left: list[Finding] = []
    excused: list[Excused] = []
    for finding in findings:
        because = excuse(finding, declarations, question.plan, before)
        if finding.rule == "red_test_rewritten" and is_declared(finding.path, declarations):
            left.append(replace(finding, rule="red_test_declared"))
        elif because:
            excused.append(Excused(finding, because))
        else:
            left.append(_undeclared(finding) if question.plan else finding)
    left, gone = _without_gone(left, excused)
    excused += gone
    against: list[Finding] = []
    for finding in _shortened(left):
        because = question.accepted.get(finding_id(finding), "")
        if because:
            excused.append(Excused(finding, because))
        else:
            against.append(finding)
    return tuple(against), tuple(excused)


def _undeclared(finding: Finding) -> Finding:
    """Where there is a plan, what it could have declared and did not is no question any more."""
    could = RULES[finding.rule].asks and RULES[finding.rule].excuse is not Excuse.NEVER
    return replace(finding, asks=False) if could else finding


def _without_gone(against: list[Finding], excused: list[Excused]) -> tuple[list[Finding], list[Excused]]:
    """A test that may go, fails on the new code: that is why it goes."""
    going = [each for each in excused if each.finding.rule == "test_deleted"]
    left: list[Finding] = []
    gone: list[Excused] = []
    for finding in against:
        why = next((each.because for each in going if _is_of(finding, each.finding)), "")
        if why:
            gone.append(Excused(finding, why))
        else:
            left.append(finding)
    return left, gone


def _is_of(finding: Finding, deleted: Finding) -> bool:
    if finding.rule != "base_test_failed" or finding.path != deleted.path:
        return False
    if deleted.subject == deleted.path:
        return True  # the whole file
    name = finding.subject.removeprefix(deleted.path)
    for step in _STEPS:
        name = name.removeprefix(step)
    return name == deleted.subject or name.startswith(f"{deleted.subject}[")


def _shortened(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Of many tests with one cause the first, and how many more: who accepts those, accepts them by that one name."""
    causes: dict[tuple[str, str, str, bool], list[Finding]] = {}
    for finding in findings:
        told = finding.message.removeprefix(finding.subject) if finding.subject else finding.message
        of_tests = RULES[finding.rule].layer in (Layer.RESULTS, Layer.TESTS)
        causes.setdefault((finding.rule, finding.path, told if of_tests else "", finding.asks), []).append(finding)
    for (rule, path, told, asks), all_of_it in causes.items():
        most = MOST_TOLD if RULES[rule].layer in (Layer.RESULTS, Layer.TESTS) else len(all_of_it)
        if len(all_of_it) <= most + 1:
            yield from all_of_it
            continue
        yield from all_of_it[:most]
        rest = [each.subject for each in all_of_it[most:]]
        more = f"{len(rest)} more tests: {some(rest)}{told}" if rest else ""
        yield replace(found(rule, more, path, subject=f"{len(rest)} more"), asks=asks)


def some(ids: Iterable[str]) -> str:
    ids = [*ids]
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
