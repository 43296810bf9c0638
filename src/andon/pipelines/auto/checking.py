"""Phase 4 CHECK, LIGHT: andon runs the goals once (the QA runner has no model), then the architect judges."""

from __future__ import annotations

import re
from dataclasses import dataclass

from andon.domain.auto.artefacts import DOCUMENT_FOLDERS, check_path
from andon.domain.auto.check_document import check_document
from andon.domain.auto.messages import GoalResult, GoalStatus, QaReport, qa_message, read_qa
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files
from andon.domain.auto.qa import record
from andon.domain.auto.start import start_message
from andon.domain.goal import Goal
from andon.domain.grammar import VerifierReply
from andon.domain.verdict import CheckResult, Verdict
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.tidying import tidy
from andon.ports import Change
from andon.roles.contracts import VERDICT

_STATUS = {
    Verdict.PASSED: GoalStatus.PASS,
    Verdict.FAILED: GoalStatus.FAIL,
    Verdict.NOT_MEASURED: GoalStatus.NOT_MEASURED,
    Verdict.NOT_NEEDED: GoalStatus.SKIP,
}
SHOWN_OUTPUT = 1500
TDD_NOTE = (
    "The change touches source files but no test. Say whether that is right for this task; if it needed a test, reject."
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/|(?:^|/)(?:conftest|tests?|test_[^/]*)\.\w+$|[._-](?:test|spec)s?\.\w+$"
)
_NO_SOURCE = (".md", ".rst", ".txt", ".toml", ".json", ".yaml", ".yml", ".lock", ".cfg", ".ini")


@dataclass(frozen=True, slots=True)
class Checked:
    """What Phase 4 found out."""

    report: QaReport
    verdict: VerifierReply | None
    """None when QA failed: nothing is judged that was not measured as sound."""
    environment_problem: str = ""


MANIFESTS = frozenset(
    {"pyproject.toml", "uv.lock", "requirements.txt", "setup.py", "setup.cfg", "package.json", "package-lock.json"}
)


async def light_check(cycle: Cycle, plan: str) -> Checked:
    await tidy(cycle, plan)
    if await _declares_dependencies(cycle, plan):
        await cycle.run.prepare()
    report, problem = await run_qa(cycle, "qa-runner", number=1)
    if report.verdict.blocks or problem:
        return Checked(report, None, problem)
    verdict = await _verify(cycle, plan)
    return Checked(report, verdict)


async def _declares_dependencies(cycle: Cycle, plan: str) -> bool:
    """The plan named a manifest or lock file and it was changed: the checks then need what it asks for now."""
    declared = {path for path in affected_files(plan) if path.rpartition("/")[2] in MANIFESTS}
    return bool(declared) and any(change.path in declared for change in await cycle.run.changes())


async def run_qa(cycle: Cycle, name: str, *, number: int) -> tuple[QaReport, str]:
    """The goals, measured by andon, told to the team under the QA runner's name (A-98, A-100, A-103)."""
    run = cycle.run
    options = cycle.request.options
    goals = await run.goals(options.custom, options.interactive, cycle.goals)
    await run.say("task_created", name=name, role="qa-tester")
    told = "\n".join(f"{goal.name}: {_wanted(goal)}" for goal in goals)
    await run.say(
        "spawn", name=name, role="qa-tester", model="", attempt=1, writes=[], prompt=f"[Phase 4 Step 4.1]\n{told}"
    )
    await run.say("message", recipient=name, content=start_message(name, cycle.language))
    ahead = {cycle.built.goal: cycle.built} if cycle.built and cycle.built.tree == run.tree else {}
    fresh = await run.check_all([goal for goal in goals if goal.name not in ahead])
    measured = {result.goal: result for result in fresh} | ahead
    cycle.results = tuple(measured[goal.name] for goal in goals)
    message = qa_message(tuple(_goal_result(result) for result in cycle.results))
    await run.say("result", name=name, outcome="done", text=message, detail="", usage={}, seconds=0.0, tree=run.tree)
    await run.say("task_update", name=name, status="completed")
    await run.say("shutdown_request", recipient=name)
    report = read_qa(message)
    cycle.history = record(cycle.history, number, report)
    broken = next((result.reason for result in cycle.results if result.environment_error), "")
    return report, broken


def _wanted(goal: Goal) -> str:
    if not goal.commands:
        return f"{goal.settled}: {goal.reason}"
    pattern = f"; what it prints must contain {goal.pattern!r}" if goal.pattern else ""
    return " && ".join(" ".join(command) for command in goal.commands) + pattern


def _goal_result(result: CheckResult) -> GoalResult:
    text = result.output[-SHOWN_OUTPUT:] or result.reason
    return GoalResult(result.goal, _STATUS[result.verdict], text, "; ".join(result.signatures))


async def _verify(cycle: Cycle, plan: str) -> VerifierReply:
    changes = await cycle.run.changes()
    asked = cycle.assignment(
        "verifier",
        "verifier-light",
        plan=plan,
        changes="\n".join(f"{change.kind}: {cycle.place(change.path)}" for change in changes),
        checks=checks_in_words(cycle.results),
        tdd_note=TDD_NOTE if lacks_tests(changes) else "",
    )
    verdict = await cycle.run.ask(asked, VERDICT)
    cycle.verdict = "APPROVE" if verdict.approved else "REJECT"
    await cycle.run.say("verdict", name="verifier", verdict=cycle.verdict, reason=verdict.reason)
    if not verdict.approved:
        cycle.count(cycle.counters.rejected())
    return verdict


def lacks_tests(changes: tuple[Change, ...]) -> bool:
    """Source changed, tests did not (A-154)."""
    paths = [c.path.lower() for c in changes if not c.path.startswith(DOCUMENT_FOLDERS)]
    tests = [p for p in paths if _TEST.search(p)]
    sources = [p for p in paths if p not in tests and not p.endswith(_NO_SOURCE) and "." in p.rpartition("/")[2]]
    return bool(sources) and not tests


def checks_in_words(results: tuple[CheckResult, ...]) -> str:
    lines: list[str] = []
    for result in results:
        how = " ".join(result.command) or result.reason
        lines.append(f"{result.goal}: {str(result.verdict).replace('_', ' ')} ({how})")
    return "\n".join(lines)


async def write_check(cycle: Cycle) -> None:
    """docs/03-check/{feature}.check.json (G-39)."""
    mode = cycle.mode or Mode.LIGHT
    document = check_document(cycle.feature, mode, cycle.verdict, cycle.results, cycle.history)
    await cycle.run.write(check_path(cycle.feature), document)
