"""Step 1.2: the plan, reviewed as its mode asks for, and the gate it must pass before Phase 2."""

from __future__ import annotations

from andon.domain.auto.critic import Feedback, RoundEnd, compress, end_round, with_warning
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files, named_paths, only_documents
from andon.domain.auto.plan import light_gate, missing_sections, names_of
from andon.domain.auto.promotion import Facts
from andon.domain.auto.quality_gates import GateResult, feedback, quality_gates
from andon.domain.run import Ending, Status
from andon.domain.verdict import Verdict
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.promoting import promote
from andon.pipelines.auto.scouting import Scouted
from andon.pipelines.learning import learned_before
from andon.roles.contracts import CRITIC, TEXT
from andon.roles.library import fill

PRD = (
    "Decompose the task into user stories first (`As a … I want … so that …`), each with its own acceptance criteria, "
    "in a section `## User stories`."
)


async def plan(cycle: Cycle, scouted: Scouted) -> Ending | None:
    """Write the plan into its document and `cycle.plan`. An ending when a person has to complete it."""
    cycle.learnings = await learned_before(cycle.run, cycle.request.task)
    if cycle.mode is Mode.LIGHT:
        await _light(cycle, scouted)
        return None
    if cycle.mode is Mode.STANDARD:
        await _standard(cycle, scouted)
    else:
        cycle.forced_plan = await _heavy(cycle, scouted)
    return await _complete(cycle)


async def _write(cycle: Cycle, name: str, prompt: str, **values: str) -> None:
    """Have a planner write the document, and read what it wrote."""
    common = {"prd": PRD if cycle.request.options.prd else "", "sections": fill("auto/parts/plan-sections", {})}
    common |= {"learnings": cycle.learnings}
    asked = cycle.assignment(name, prompt, document=cycle.plan_path, **(common | values))
    await cycle.run.ask(asked, TEXT)
    cycle.plan = await cycle.read(cycle.plan_path)


# --- LIGHT ----------------------------------------------------------------------------------------------------------


async def _light(cycle: Cycle, scouted: Scouted) -> None:
    """One planner, a few re-requests; a plan that still falls short goes on with a warning."""
    await _write(cycle, "planner", "planner-light", score=str(scouted.score.total), scouting=scouted.summary)
    for _ in range(cycle.limits.light_plan_rerequests):
        missing = _missing(cycle)
        if not missing:
            return
        await _ask_again(cycle, missing)
    if still := _missing(cycle):
        await cycle.warn(cycle.say("plan.light_warning", missing=_in_brackets(still)))


async def _ask_again(cycle: Cycle, missing: str) -> None:
    await cycle.run.say("plan_rerequested", missing=missing)
    await _write(cycle, "planner", "planner-again", plan=cycle.plan, missing=missing)


def _missing(cycle: Cycle) -> str:
    """What the Lead Quality Gate or the section gate finds wanting, in words for the planner."""
    if gate := light_gate(cycle.plan, cycle.limits):
        return cycle.say(gate)
    return _missing_sections(cycle)


def _missing_sections(cycle: Cycle) -> str:
    sections = missing_sections(cycle.plan)
    return cycle.say("plan.incomplete", missing=names_of(sections, cycle.language)) if sections else ""


def _in_brackets(message: str) -> str:
    """A message as part of another: without its phase tag and full stop."""
    return message.partition("] ")[2].rstrip(".")


# --- STANDARD -------------------------------------------------------------------------------------------------------


async def _standard(cycle: Cycle, scouted: Scouted) -> None:
    """One planner, one pass of the Critic-Lite, at most one revision, which is not reviewed again (A-45, A-46)."""
    points = {"score": str(scouted.score.total), "score_reasons": "\n".join(scouted.score.reasons)}
    await _write(cycle, "planner", "planner-standard", scouting=scouted.summary, **points)
    revisions = cycle.limits.critic_lite_revisions
    for _ in range(cycle.limits.critic_lite_passes):
        gates = await measured_gates(cycle)
        told = {"gates": fill("auto/parts/quality-gates", {}), "measured_gates": _told(gates)}
        review = await cycle.run.ask(cycle.assignment("critic-lite", "critic-lite", **told), CRITIC)
        approved = await _agreed(cycle, "critic-lite", review.approved, review.feedback, gates)
        if approved or revisions == 0:
            return
        revisions -= 1
        wanted = "\n".join(part for part in (review.feedback, feedback(gates)) if part)
        await _write(cycle, "planner", "planner-revise", critic_feedback=wanted)


async def measured_gates(cycle: Cycle) -> tuple[GateResult, ...]:
    """QG1 to QG4 as far as a program can judge them on the plan as it is."""
    existing = await cycle.run.existing(sorted({each.path for each in named_paths(cycle.plan)}))
    return quality_gates(cycle.plan, existing.__contains__)


def _told(gates: tuple[GateResult, ...]) -> str:
    return feedback(gates) or "QG1, QG3 and QG4 pass; QG2 is yours to judge."


async def _agreed(cycle: Cycle, name: str, approved: bool, reason: str, gates: tuple[GateResult, ...]) -> bool:
    """The verdict on a plan: a gate that andon saw fail outweighs an approval (G-04)."""
    failed = [gate.gate for gate in gates if gate.failed]
    verdict = "APPROVE" if approved and not failed else "REVISE"
    told = {"overruled": f"andon overrules an approval: {feedback(gates)}"} if approved and failed else {}
    await cycle.run.say("verdict", name=name, verdict=verdict, reason=reason, **told)
    return verdict == "APPROVE"


# --- HEAVY ----------------------------------------------------------------------------------------------------------


async def _heavy(cycle: Cycle, scouted: Scouted) -> bool:
    """Rounds of planner, architect and critic until the critic and the gates agree (A-48 to A-56). True: by force."""
    rounds, said = cycle.limits.plan_iterations, list[Feedback]()
    for number in range(1, rounds + 1):
        counted = {"iteration": str(number), "rounds": str(rounds)}
        collected = compress(said, cycle.limits)
        values = counted | {"scouting": scouted.summary, "critic_feedback": collected}
        await _write(cycle, f"planner-{number}", "planner-heavy", **values)
        opinion = await cycle.run.ask(cycle.assignment(f"arch-{number}", "arch"), TEXT)
        gates = await measured_gates(cycle)
        told = {"gates": fill("auto/parts/quality-gates", {}), "measured_gates": _told(gates)}
        asked = cycle.assignment(f"critic-{number}", "critic", architect_feedback=opinion, **(counted | told))
        reply = await cycle.run.ask(asked, CRITIC)
        await _agreed(cycle, f"critic-{number}", reply.approved, reply.feedback, gates)
        ended = end_round(number, reply, gates, cycle.limits)
        if ended.end is RoundEnd.APPROVED:
            return False
        if ended.feedback is not None:
            said.append(ended.feedback)
    await cycle.run.say("plan_forced", rounds=rounds)
    await cycle.warn(cycle.say("plan.forced", count=rounds))
    return True


# --- the gate -------------------------------------------------------------------------------------------------------


async def revise(cycle: Cycle, wished: str) -> Ending | None:
    """The plan once more, as a person wants it; the gate is the same (A-139)."""
    await _write(cycle, "planner", "planner-revise", critic_feedback=wished)
    return None if cycle.mode is Mode.LIGHT else await _complete(cycle)


async def _complete(cycle: Cycle) -> Ending | None:
    """Phase 1→2, on the plan as it is now. Asked for a few times, then a person has to (A-47, A-58, X-06)."""
    left = cycle.limits.plan_completion_requests
    while wanting := await _wanting(cycle):
        if left == 0:
            await cycle.notify(wanting)
            return Ending(Status.NEEDS_PERSON, "plan_incomplete", wanting)
        left -= 1
        await _ask_again(cycle, wanting)
    if cycle.forced_plan:
        cycle.plan = with_warning(cycle.plan, cycle.language, cycle.limits.plan_iterations)
        await cycle.run.write(cycle.plan_path, cycle.plan)
    return None


async def _wanting(cycle: Cycle) -> str:
    """The mandatory sections the plan lacks, and the gates it fails, unless those were overruled (A-55)."""
    failed = "" if cycle.forced_plan else feedback(await measured_gates(cycle))
    gates = cycle.say("plan.gates", failed="; ".join(failed.splitlines())) if failed else ""
    return " ".join(part for part in (_missing_sections(cycle), gates) if part)


def files_of(document: str) -> str:
    """What a document decides, in a line: the files it touches."""
    return ", ".join(affected_files(document)) or "-"


async def approve_plan(cycle: Cycle) -> None:
    """The plan stands: promote if it touches too much; freeze what will be measured and the environment for it."""
    await promote(cycle, Facts(affected_files=len(affected_files(cycle.plan))))
    # As the base has them, at every leg: what agents have done to the project since must not decide what is measured.
    await cycle.run.prepare(at_base=True)
    options = cycle.request.options
    cycle.goals = await cycle.run.goals(options.custom, options.interactive, at_base=True)
    if cycle.mode is not Mode.LIGHT:
        cycle.further_goals = await cycle.run.further_goals(at_base=True)
    measured = [goal.name for goal in cycle.goals if goal.commands]
    await cycle.run.say("plan_approved", path=cycle.plan_path, goals=measured)


async def unmeasurable(cycle: Cycle) -> Ending | None:
    """`--custom` where nothing is run, and the plan adds nothing that could be: said before anybody works (A-07)."""
    options = cycle.request.options
    [custom] = [goal for goal in cycle.goals if goal.name == "custom"]
    if custom.settled is not Verdict.NOT_MEASURED or not only_documents(cycle.plan):
        return None
    # The base has nothing to run; a person who took the run over may have added it since.
    now = await cycle.run.goals(options.custom, options.interactive)
    if any(goal.name == "custom" and goal.commands for goal in now):
        return None
    text = cycle.word("option.unmeasured", option="--custom", reason=custom.reason, fix=custom.fix)
    await cycle.notify(text)
    return Ending(Status.NEEDS_PERSON, "option_unmeasured", text)
