"""Phase 4 CHECK: andon runs the goals (the QA runner has no model), what fails is diagnosed and mended, then judged."""

from __future__ import annotations

from andon.domain.auto.artefacts import check_path
from andon.domain.auto.check_document import check_document
from andon.domain.auto.findings import OpenFinding, check_findings
from andon.domain.auto.messages import GoalResult, GoalStatus, QaReport, qa_message, read_qa
from andon.domain.auto.mode import Mode
from andon.domain.auto.promotion import Facts
from andon.domain.auto.qa import decide, record, summary
from andon.domain.auto.routing import agent_for
from andon.domain.auto.start import start_message
from andon.domain.goal import Goal
from andon.domain.grammar import Diagnosis
from andon.domain.run import Ending, Status
from andon.domain.verdict import CheckResult, Verdict
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.ending import environment_error
from andon.pipelines.auto.measuring import measure, refresh_environment
from andon.pipelines.auto.promoting import affected, promote
from andon.pipelines.auto.tidying import tidy
from andon.roles.contracts import DIAGNOSIS, TEXT

_STATUS = {
    Verdict.PASSED: GoalStatus.PASS,
    Verdict.FAILED: GoalStatus.FAIL,
    Verdict.NOT_MEASURED: GoalStatus.NOT_MEASURED,
    Verdict.NOT_NEEDED: GoalStatus.SKIP,
}


async def qa(cycle: Cycle, before: int) -> Ending | None:
    """Step 4.1: cycles of measuring, diagnosing and mending until everything passes, or one of the exits is reached.

    `before` are the cycles that earlier entries into this phase made. LIGHT has one, and mends nothing (A-98).
    """
    while True:
        cycle.qa_cycle += 1
        await cycle.record()
        await tidy(cycle)
        await refresh_environment(cycle)
        report, problem = await run_qa(cycle)
        if not report.verdict.blocks and not problem:
            return None
        if cycle.mode is Mode.LIGHT and not await _promoted(cycle, report):
            return await _light_failed(cycle, report, problem)
        options = cycle.request.options
        decision = decide(
            cycle.mode or Mode.STANDARD,
            cycle.qa_cycle,
            report,
            cycle.history,
            cycle.limits,
            environment=problem,
            eco=options.eco,
            before=before,
        )
        if decision.exit is not None:
            cycle.open_findings = _open(cycle)
            text = decision.message(cycle.language)
            await cycle.notify(text)
            return Ending(Status.NEEDS_PERSON, str(decision.exit), text)
        if decision.promotion is not None:
            await promote(cycle, Facts(failed_qa_cycles=cycle.qa_cycle - before))
        await _mend(cycle, report)


async def _promoted(cycle: Cycle, report: QaReport) -> bool:
    """The one promotion check after a failed QA of LIGHT (G-06)."""
    cycle.build_failures += any(goal.goal == "build" for goal in report.failures)
    files = affected(await cycle.run.changes())
    return await promote(cycle, Facts(build_failures=cycle.build_failures, affected_files=files))


async def _light_failed(cycle: Cycle, report: QaReport, problem: str) -> Ending:
    """LIGHT reports and repairs nothing (A-98, G-06, G-46)."""
    if problem:
        return await environment_error(cycle, problem)
    issues = "; ".join(goal.signature or f"{goal.goal} {goal.status}" for goal in report.failures)
    cycle.open_findings = _open(cycle)
    text = cycle.say("qa.light_failed", remaining_issues=issues)
    await cycle.notify(text)
    return Ending(Status.FAILED, "qa_failed", text)


# --- measuring ------------------------------------------------------------------------------------------------------


async def run_qa(cycle: Cycle) -> tuple[QaReport, str]:
    """The goals, measured by andon, told to the team under the QA runner's name (A-98, A-100, A-103)."""
    run = cycle.run
    name = "qa-runner" if cycle.mode is Mode.LIGHT else f"qa-runner-{cycle.qa_cycle}"
    options = cycle.request.options
    goals = cycle.present_goals = await run.goals(options.custom, options.interactive, cycle.goals)
    await run.say("task_created", name=name, role="qa-tester")
    told = "\n".join(f"{goal.name}: {_wanted(goal)}" for goal in goals)
    prompt = f"[Phase 4 Step 4.1]\n{told}"
    await run.say("spawn", name=name, role="qa-tester", model="", attempt=1, writes=[], prompt=prompt)
    await run.say("message", recipient=name, content=start_message(name, cycle.language))
    measured = await measure(cycle, goals=goals)
    cycle.results = measured.results
    message = qa_message(tuple(_goal_result(cycle, result) for result in cycle.results))
    await run.say("result", name=name, outcome="done", text=message, detail="", usage={}, seconds=0.0, tree=run.tree)
    await run.say("task_update", name=name, status="completed")
    await run.say("shutdown_request", recipient=name)
    report = read_qa(message)
    cycle.history = record(cycle.history, cycle.qa_cycle, report)
    return report, measured.environment_problem(cycle)


def _wanted(goal: Goal) -> str:
    if not goal.commands:
        return f"{goal.settled}: {goal.reason}"
    pattern = f"; what it prints must contain {goal.pattern!r}" if goal.pattern else ""
    return " && ".join(" ".join(command) for command in goal.commands) + pattern


def _goal_result(cycle: Cycle, result: CheckResult) -> GoalResult:
    text = result.shown(cycle.limits.prompt_output_characters) or result.reason
    status = _STATUS[result.verdict]
    if result.verdict.blocks and cycle.accepts(*check_findings(result)):
        status = GoalStatus.ACCEPTED
    return GoalResult(result.goal, status, text, "; ".join(result.signatures))


def _open(cycle: Cycle) -> tuple[OpenFinding, ...]:
    found = (finding for result in cycle.results for finding in check_findings(result))
    return tuple(finding for finding in found if not cycle.accepts(finding))


# --- mending --------------------------------------------------------------------------------------------------------


async def _mend(cycle: Cycle, report: QaReport) -> None:
    """Mandatory diagnosis first, then the agent its domain asks for (A-111, A-112)."""
    failure = "\n\n".join(f"{goal.goal}: {goal.signature}\n{goal.output}" for goal in report.failures)
    found = await _diagnose(cycle, failure)
    told = f"DIAGNOSIS: {found.diagnosis}\nFIX_GUIDE: {found.fix_guide}\nDOMAIN: {found.domain}"
    asked = cycle.assignment(
        f"fixer-{cycle.qa_cycle}",
        "fixer-cycle",
        agent_type=agent_for(found.domain),
        cycle=str(cycle.qa_cycle),
        diagnosis=told,
        failure=failure,
        history=summary(cycle.history),
    )
    await cycle.run.ask(asked, TEXT)


async def _diagnose(cycle: Cycle, failure: str) -> Diagnosis:
    """Asked again when a label is missing; what still lacks one is used as it is, domain other (E-06)."""
    name = f"diagnostician-{cycle.qa_cycle}"
    again, found = "", Diagnosis()
    for _ in range(1 + cycle.limits.diagnosis_rerequests):
        told = {"cycle": str(cycle.qa_cycle), "failure": failure, "history": summary(cycle.history), "again": again}
        found = await cycle.run.ask(cycle.assignment(name, "diagnostician", **told), DIAGNOSIS)
        if found.complete:
            break
        again = f"Your previous answer lacked: {', '.join(found.missing)}."
        await cycle.run.say("reply_misread", name=name, detail=again)
    data = {"diagnosis": found.diagnosis, "fix_guide": found.fix_guide, "domain": found.domain}
    await cycle.run.say("diagnosis", name=name, agent=agent_for(found.domain), **data)
    return found


# --- the document ---------------------------------------------------------------------------------------------------


async def write_check(cycle: Cycle) -> None:
    """docs/03-check/{feature}.check.json (G-39)."""
    judged = cycle.judged
    document = check_document(
        cycle.feature,
        cycle.mode or Mode.LIGHT,
        judged.verifier,
        cycle.results,
        cycle.history,
        cycles=cycle.qa_cycle,
        gap=judged.gap,
        quality=judged.quality,
        further=cycle.further,
        accepted=cycle.accepted,
    )
    await cycle.run.write(check_path(cycle.feature), document)
