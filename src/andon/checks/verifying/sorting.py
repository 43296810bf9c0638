"""Which findings stand against a change, which the plan or a person excuses, and how many of a kind are told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from andon.domain.declarations import declared, excuse
from andon.domain.verdict import Finding
from andon.domain.verification import RULES, Excused, Layer, Question, finding_id, found

MOST_TOLD = 20
"""Tests of one kind that are told one by one."""
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
        if because:
            excused.append(Excused(finding, because))
        else:
            left.append(finding)
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
    """Of many tests the first, and how many more: whoever accepts those, accepts them by that one name."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.rule, []).append(finding)
    for rule, all_of_it in kinds.items():
        most = MOST_TOLD if RULES[rule].layer is Layer.RESULTS else len(all_of_it)
        yield from all_of_it[:most]
        rest = [each.subject for each in all_of_it[most:]]
        if rest:
            yield found(rule, f"{len(rest)} more tests: {some(rest)}", subject=f"{len(rest)} more")


def some(ids: Iterable[str]) -> str:
    ids = [*ids]
    return ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
