"""Phase 3: three gates in order; a failure leaves out those behind it (C-40).

Gate 1 is andon's own measurement: the plan's commands by tier, then verification. Gate 2 are reviewers of several
models, who can only veto. Gate 3 is somebody who tries it as a user would.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from andon.domain.auto.findings import FindingKind, OpenFinding, verification_findings
from andon.domain.manifests import declared_manifests
from andon.domain.promises import unkept
from andon.domain.run import Ending, Status
from andon.domain.uam.artefacts import GATE1_PATH
from andon.domain.uam.commands import TIERS
from andon.domain.uam.failing import failed_tests
from andon.domain.uam.plan import DONE, FAILED
from andon.domain.uam.state import GATE, listing, mapping
from andon.domain.verdict import CheckResult, Verdict
from andon.pipelines.commands import goal_of
from andon.pipelines.uam.course import Course
from andon.pipelines.uam.failures import Failures
from andon.pipelines.uam.planfile import read_plan
from andon.pipelines.uam.reviewing import review
from andon.pipelines.uam.trying import try_as_user

UNVERIFIED_GOALS = ("custom", "interactive")
SHOWN_OUTPUT = 2_000
GOOD_ENDS = ("passed", "xfailed")
NO_ENDS = ("skipped",)


async def quality_gate(course: Course) -> Failures:
    """What keeps a gate shut; nothing when all are passed."""
    await course.enter(GATE)
    course.gates(gate1_passed=None, gate2_passed=None, gate3_passed=None, gate2_status=None)
    async with course.run.phase("gate"):
        course.failures = await _in_order(course)
        await course.record()
        if not course.failures.gate:
            await read_plan(course)  # a person may have changed it meanwhile
            course.failures = await _failed_todos(course)
        return course.failures


async def _in_order(course: Course) -> Failures:
    await read_plan(course)
    failures = await measure(course)
    course.gates(gate1_passed=not failures.gate)
    await _tell(course, 1, failures)
    if failures.gate or course.small:
        return failures
    failures = replace(failures, gate=0)
    passed, found = await review(course)
    course.gates(gate2_passed=passed, gate2_status=course.unreviewed or None)
    failures = replace(failures, gate=2 if found else 0, texts=found)
    if passed is not None:  # nobody judged: neither passed nor failed
        await _tell(course, 2, failures)
    if found:
        return failures
    if course.plan.needs_scenarios:
        found = await try_as_user(course)
        course.gates(gate3_passed=not found)
        failures = replace(failures, gate=3 if found else 0, texts=found)
        await _tell(course, 3, failures)
    return failures


async def _tell(course: Course, gate: int, failures: Failures) -> None:
    told = {"summary": failures.summary} if failures.gate else {}
    await course.run.say("gate", gate=gate, passed=not failures.gate, rate=failures.rate, **told)


async def _failed_todos(course: Course) -> Failures:
    """The gates are open, but a TODO has failed: that is for Phase 4 (X-30)."""
    failed = [todo for todo in course.plan.todos if todo.state == FAILED]
    if not failed:
        return replace(course.failures, gate=0)
    texts = tuple(f"{todo.id} has failed: {todo.title}" for todo in failed)
    return replace(course.failures, gate=1, texts=texts)


# --- Gate 1 ---------------------------------------------------------------------------------------------------------


async def measure(course: Course) -> Failures:
    """The approved commands, unit before integration before e2e, fast-fail; then whether the change may pass at all."""
    await refresh_environment(course)
    tiers = course.approved.tiers
    ran: dict[str, tuple[CheckResult, ...]] = {}
    for tier in TIERS:
        ran[tier] = await _tier(course, tiers.get(tier, ()))
        if any(result.verdict.blocks for result in ran[tier]):
            break
    results = [result for told in ran.values() for result in told]
    left_out = sum(len(commands) for tier, commands in tiers.items() if tier not in ran)
    failures = _judged(results, left_out)
    if not failures.gate:
        failures = await _verified(course, failures, results)
    _remember_rate(course, failures)
    await _write(course, failures, ran)
    return failures


async def _tier(course: Course, commands: tuple[str, ...]) -> tuple[CheckResult, ...]:
    """What is known of this very tree is not measured again."""
    known = {result.goal: result for result in course.known if result.tree == course.run.tree}
    fresh = await course.run.check_all([goal_of(command) for command in commands if command not in known])
    known |= {result.goal: result for result in fresh}
    course.known = tuple(known.values())
    return tuple(known[command] for command in commands)


def _judged(results: list[CheckResult], left_out: int) -> Failures:
    passed = sum(_passed(result) for result in results)
    total = sum(_total(result) for result in results) + left_out
    failing = [result for result in results if result.verdict.blocks]
    tests = [test for result in failing for test in failed_tests(result.output, result.failing, result.goal)]
    return Failures(
        gate=1 if failing else 0,
        passed=passed,
        total=total,
        tests=tuple(tests),
        environment=next((result.reason for result in failing if result.environment_error), ""),
        output="\n\n".join(f"$ {each.goal}\n{each.reason}\n{each.shown(SHOWN_OUTPUT)}".strip() for each in failing),
    )


def _total(result: CheckResult) -> int:
    """Its single tests where andon's reporter told of them, else the command as one."""
    return sum(count for end, count in result.tests.items() if end not in NO_ENDS) or 1


def _passed(result: CheckResult) -> int:
    if not result.tests:
        return int(result.verdict is Verdict.PASSED)
    good = sum(count for end, count in result.tests.items() if end in GOOD_ENDS)
    # A run of tests that failed for another reason than a test has not wholly passed.
    return min(good, _total(result) - 1) if result.verdict.blocks else good


async def _verified(course: Course, failures: Failures, results: list[CheckResult]) -> Failures:
    """Commands that pass are no proof that nobody tampered with what they measure."""
    goals = await course.run.goals(None, False, course.goals)
    wanted = tuple(goal for goal in goals if goal.name not in UNVERIFIED_GOALS)
    told = await course.run.verify(wanted, course.plan_text, course.accepted, ())
    against = (*await _undone(course), *verification_findings(told))
    found = tuple(finding for finding in against if finding.id not in course.accepted)
    if not found and not any(each.verdict is Verdict.PASSED for each in (*results, *told.results)):
        return failures if course.plan.for_people else _unmeasured(course, failures)
    if not found:
        return failures
    broken = next((result.reason for result in told.results if result.environment_error), "")
    texts = tuple(finding.text for finding in found)
    return replace(failures, gate=1, texts=texts, findings=found, environment=broken)


async def _undone(course: Course) -> tuple[OpenFinding, ...]:
    """Ticked work of which nothing is left: somebody took it back since it came in, and its commands pass as before."""
    changed = {change.path for change in await course.run.changes()}
    if not course.state.get("adopted") and (nothing := unkept((), changed)):
        return nothing
    told = mapping(course.state.get("changed"))  # people may edit the state file
    made = {todo.number: {*map(str, listing(told.get(str(todo.number))))} for todo in course.plan.todos}
    done = [todo for todo in course.plan.todos if todo.state == DONE and made[todo.number]]
    return tuple(
        OpenFinding(FindingKind.SCOPE, todo.id, f"{todo.id} is ticked, and nothing is left of what it changed: {names}")
        for todo in done
        # Whoever came later may have moved its files.
        if not changed & made[todo.number]
        and made[todo.number] - {path for number, files in made.items() if number != todo.number for path in files}
        and (names := ", ".join(sorted(made[todo.number])))
    )


def _unmeasured(course: Course, failures: Failures) -> Failures:
    """No command of the plan, no goal of the project, nobody who confirms: no agent can do anything about that."""
    text = course.word("gate.unmeasured")
    return replace(failures, gate=1, texts=(text,), unmeasured=text)


def out_of_hand(course: Course) -> Ending | None:
    """The end where only a person can help: no agent mends a machine, or decides what it is measured by."""
    failures = course.failures
    if failures.environment:
        text = course.word("ended.environment", problem=failures.environment)
        return Ending(Status.NEEDS_PERSON, "environment", text)
    if failures.unmeasured:
        text = course.word("ended.unmeasured", problem=failures.unmeasured)
        return Ending(Status.NEEDS_PERSON, "nothing_measured", text)
    return None


def _remember_rate(course: Course, failures: Failures) -> None:
    """One for every fix loop: what is measured again, as the run was stopped meanwhile, says nothing of progress."""
    told = mapping(course.state.get("convergence"))
    rates, loop = [*told.get("pass_rate_history", ())], course.state.get("fix_loop_count")
    if told.get("measured_after") == loop and len(rates) > int(told.get("since") or 0):
        rates.pop()
    rates.append(round(failures.rate, 4))
    course.change(convergence={**told, "pass_rate_history": rates, "measured_after": loop})


async def _write(course: Course, failures: Failures, ran: dict[str, tuple[CheckResult, ...]]) -> None:
    told: dict[str, Any] = {
        "passed": not failures.gate,
        "tests_passed": failures.passed,
        "tests_total": failures.total,
        "pass_rate": round(failures.rate, 4),
        "tiers": {tier: [_row(result) for result in results] for tier, results in ran.items()},
        "not_run": [tier for tier in TIERS if tier not in ran],
        "verification": [asdict(finding) | {"id": finding.id} for finding in failures.findings],
        "summary": failures.summary if failures.gate else "",
    }
    await course.run.write(GATE1_PATH, json.dumps(told, ensure_ascii=False, indent=1) + "\n", state=True)


def _row(result: CheckResult) -> dict[str, Any]:
    return {
        "command": result.goal,
        "verdict": str(result.verdict),
        "exit": result.exit_code,
        "reason": result.reason,
        "tests": dict(result.tests),
        "failing": list(result.failing),
        "sandbox": result.sandbox,
        "seconds": round(result.seconds, 2),
    }


async def refresh_environment(course: Course) -> None:
    """Where the plan names a manifest or lock file and it was changed, checks need what it asks for now."""
    declared = declared_manifests(course.plan_text)
    if declared and any(change.path in declared for change in await course.run.changes()):
        await course.run.prepare()
