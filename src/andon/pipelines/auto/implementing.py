"""Step 3.1 of STANDARD and HEAVY: implementers work, andon measures the five conditions after every iteration.

Parallel implementers go in rounds: all that are not done work at the same time, each on files of its own, and are then
measured one after the other. So a replay sees the same steps in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.assignment import Assignment
from andon.domain.auto.areas import Area, split_of, within
from andon.domain.auto.conditions import (
    MEASURED,
    Unmet,
    completed_message,
    failed_message,
    feedback,
    unmet_conditions,
)
from andon.domain.auto.implementation import Refusal, refusals
from andon.domain.auto.messages import Completed, Failed
from andon.domain.auto.mode import Mode
from andon.domain.auto.paths import affected_files
from andon.domain.auto.status import AreaState
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.measuring import measure, refresh_environment
from andon.pipelines.auto.rules import eased_settings, flags, lost_tests
from andon.pipelines.auto.tidying import tidy
from andon.ports import Change, Merged, Run
from andon.roles.contracts import IMPLEMENTATION
from andon.roles.library import fill

GIVE_UP_AFTER = 2
"""A FAILED before the last iteration is a premature stop: the loop goes on (A-84). The second in a row is believed."""


@dataclass
class Work:
    """One implementer's share: all of it, or an area."""

    run: Run
    teammate: str = "impl-manager"
    area: Area | None = None
    unmet: tuple[Unmet, ...] = ()
    results: tuple[CheckResult, ...] = ()
    files: tuple[str, ...] = ()
    claim: Completed | Failed | None = None
    failures: int = 0
    """FAILED messages in a row."""
    done: bool = False

    @property
    def scope(self) -> tuple[str, ...]:
        return self.area.scope if self.area else ()


@dataclass(frozen=True, slots=True)
class Implemented:
    completed: bool
    message: str
    """The one message the Lead gets (A-18): COMPLETED or FAILED, with andon's evidence."""
    remaining: tuple[str, ...] = ()
    recommendation: str = ""
    environment_problem: str = ""
    conflicts: tuple[str, ...] = ()


async def implement(cycle: Cycle, wished: str = "") -> Implemented:
    """Until every condition is met or the iterations are used up. A person's wish for a change is one implementer's."""
    cycle.implementation = "in_progress"
    merged = None if wished else await _kept(cycle)
    works = [Work(cycle.run, unmet=(Unmet(0, wished),))] if wished else await _shares(cycle)
    if merged and merged.left:
        outcome = _failed(works, cycle.used_before, merged=merged)
    else:
        outcome = await _by_hand(cycle, works)
    outcome = outcome or await _iterate(cycle, works, 1 if wished else cycle.first_iteration)
    if outcome.completed and len(works) > 1:
        outcome = await _together(cycle, works)
    cycle.implementation = "completed" if outcome.completed else "failed"
    cycle.remaining = outcome.remaining
    await cycle.run.say("message", recipient="lead", sender="impl-manager", content=outcome.message)
    return outcome


async def _shares(cycle: Cycle) -> list[Work]:
    """One implementer; in HEAVY one for each independent area that the design declares (A-75)."""
    split = split_of(cycle.design) if cycle.mode is Mode.HEAVY and not cycle.merged else None
    if split is None or not split.areas:
        if split is not None and split.problem:
            await cycle.run.say("notice", text=cycle.word("split.unused", problem=split.problem))
        return [Work(cycle.run)]
    before = {area.name: area for area in cycle.areas}
    works: list[Work] = []
    for area in split.areas:
        known = before.get(area.name)
        branch = cycle.run.branch(area.name, known.tree if known else "")
        works.append(Work(branch, area.teammate, area, done=known is not None and known.done))
        if not works[-1].done:
            await cycle.run.say("branched", name=area.name, teammate=area.teammate, scope=list(area.scope))
    return works


async def _by_hand(cycle: Cycle, works: list[Work]) -> Implemented | None:
    """What a person changed or accepted is measured like an agent's work, before an agent is ordered to go on."""
    theirs = [work for work in works if not work.done and (work.run.name in cycle.by_hand or len(works) == 1)]
    if not cycle.by_hand or cycle.direction or any(work.unmet for work in works):
        return None
    told = "measured by andon"
    for work in theirs:
        work.claim = Completed(max(1, cycle.used_before), (), told, told, told, "the work of a person")
        if problem := await _verify(cycle, work, cycle.used_before):
            return _failed(works, cycle.used_before, environment_problem=problem)
        _remember(cycle, works)
    if not all(work.done for work in works):
        return None
    [*_, last] = works
    return Implemented(True, completed_message(max(1, cycle.used_before), _files(works), last.results, told))


async def _kept(cycle: Cycle) -> Merged | None:
    """What implementers of an earlier leg have done, to go on with. Where the run's own files have changed since, by a
    person's hand, their work is merged into those first and begins from there. What does not fit stays as it is, for a
    person to mend; where they said what to do instead, it begins again."""
    if all(area.base == cycle.run.tree for area in cycle.areas):
        return None
    merged = await cycle.run.merge([cycle.run.branch(area.name, area.tree, area.base) for area in cycle.areas])
    if merged.left and cycle.direction:
        told = {"names": ", ".join(merged.left), "paths": ", ".join(merged.conflicts)}
        await cycle.warn(cycle.word("split.conflicts", **told))
        cycle.areas = tuple(replace(area, done=area.done and area.name not in merged.left) for area in cycle.areas)
        merged = replace(merged, left=(), conflicts=())
    _brought_in(cycle, merged)
    return merged


def _brought_in(cycle: Cycle, merged: Merged) -> None:
    """Whose work is in the run's files now begins from there; the others' is in folders of their own still."""
    cycle.areas = tuple(
        area if area.name in merged.left else replace(area, base=merged.tree, tree=merged.tree) for area in cycle.areas
    )


async def _iterate(cycle: Cycle, works: list[Work], first: int) -> Implemented:
    """Rounds of work and measurement until every share is done, or the last iteration is used up (A-81)."""
    limit = cycle.limits.implementation_iterations
    for iteration in range(first, limit + 1):
        cycle.iteration = iteration
        cycle.remaining = tuple(str(each) for work in works for each in work.unmet) or cycle.remaining
        await cycle.record()
        await _work(cycle, [work for work in works if not work.done], iteration, limit)
        _remember(cycle, works)
        for work in works:
            if not work.done and (problem := await _verify(cycle, work, iteration)):
                return _failed(works, iteration, environment_problem=problem)
            _remember(cycle, works)
        if all(work.done for work in works):
            cycle.remaining = ()
            [*_, last] = works
            return Implemented(True, completed_message(iteration, _files(works), last.results, _reviews(works)))
        if any(work.failures >= GIVE_UP_AFTER for work in works):
            break
    cycle.open_findings = tuple(each for work in works for unmet in work.unmet for each in unmet.findings)
    return _failed(works, cycle.iteration)


def _remember(cycle: Cycle, works: list[Work]) -> None:
    """Where parallel implementers stand, for the status file: their work is not in the run's own files yet."""
    if any(work.area for work in works):
        now = {work.run.name: AreaState(work.run.name, work.run.began, work.run.tree, work.done) for work in works}
        kept = [now.pop(area.name, area) for area in cycle.areas]  # in the design's order, which is that of merging
        cycle.areas = (*kept, *now.values())


async def _work(cycle: Cycle, works: list[Work], iteration: int, limit: int) -> None:
    """One order to each implementer, at the same time."""
    direction = cycle.direction  # a person's words are for all of them, not for the first
    asked = [(work.run, _assignment(cycle, work, iteration, limit)) for work in works]
    try:
        claims = await cycle.run.ask_all(
            [(run, replace(each, direction=direction), IMPLEMENTATION) for run, each in asked]
        )
    except BaseException:
        _remember(cycle, works)  # those who were done are not to do it again
        raise
    for work, claim in zip(works, claims, strict=True):
        work.claim = claim
        work.failures = work.failures + 1 if isinstance(claim, Failed) else 0


def _assignment(cycle: Cycle, work: Work, iteration: int, limit: int) -> Assignment:
    place = cycle.place(cycle.design_path) if cycle.design else cycle.place(cycle.plan_path)
    resumed = iteration == cycle.first_iteration and bool(cycle.remaining) and not work.unmet
    most = cycle.limits.prompt_output_characters
    told = feedback(work.unmet, work.results, most) if work.unmet else ""
    if resumed:
        remaining = "; ".join(cycle.remaining)
        told = cycle.say("implementation.resume", iterations=cycle.used_before, remaining_issues=remaining)
    asked = cycle.assignment(
        work.teammate,
        "impl-manager",
        branch=work.run.name,
        iteration=str(iteration),
        rounds=str(limit),
        source=f"the design at `{place}`" if cycle.design else f"the plan at `{place}`; there is no design document",
        scope_note=fill("auto/parts/impl-scope", {"scope": ", ".join(work.scope)}) if work.scope else "",
        feedback=fill("auto/parts/impl-feedback", {"measured": told}, cycle.limits) if told else "",
    )
    return replace(asked, writes=work.scope) if work.scope else asked


# --- measuring ------------------------------------------------------------------------------------------------------


async def _verify(cycle: Cycle, work: Work, iteration: int) -> str:
    """Measure a share against the five conditions and the rules. Returns what no agent could mend, if anything."""
    run = work.run
    await tidy(cycle, run)
    await refresh_environment(cycle, run)
    measured = await measure(cycle, run, only=MEASURED)
    changes = await run.changes()
    wanted = [path for path in affected_files(cycle.declared) if not work.scope or within(path, work.scope)]
    work.results = measured.results
    work.files = tuple(each.path for each in changes if not each.path.startswith(DOCUMENT_FOLDERS))
    paths = {change.path for change in changes}
    found = [
        *unmet_conditions(wanted, paths, measured.goals, measured.results),
        *_broken_rules(cycle, work, changes),
        *(Unmet(0, each.text, (each,)) for each in await eased_settings(cycle, run, changes)),
        *(Unmet(0, each.text, (each,)) for each in await flags(run)),
    ]
    work.unmet = tuple(each for each in found if not cycle.accepts(*each.findings))
    work.done = isinstance(work.claim, Completed) and not work.unmet
    await _tell(cycle, work, iteration)
    return measured.environment_problem(cycle)


def _broken_rules(cycle: Cycle, work: Work, changes: tuple[Change, ...]) -> list[Unmet]:
    """What voids the claim whatever was measured: no evidence, words of hope, deleted tests (A-82, A-84)."""
    if not isinstance(work.claim, Completed):
        return []
    said = [_refused(each) for each in refusals(work.claim, cycle.limits)]
    return [*said, *(Unmet(0, each.text, (each,)) for each in lost_tests(cycle, changes))]


def _refused(refusal: Refusal) -> Unmet:
    text = f"{str(refusal.objection).replace('_', ' ')}: {refusal.detail}"
    return Unmet(5 if refusal.detail == "self_review" else 0, text)


async def _tell(cycle: Cycle, work: Work, iteration: int) -> None:
    claimed = "COMPLETED" if isinstance(work.claim, Completed) else "FAILED"
    unmet = [str(each) for each in work.unmet]
    await cycle.run.say("iteration", name=work.teammate, iteration=iteration, claim=claimed, unmet=unmet)
    if unmet and claimed == "COMPLETED":
        await cycle.run.say("claim_refused", name=work.teammate, iteration=iteration, reasons=unmet)


# --- the end --------------------------------------------------------------------------------------------------------


async def _together(cycle: Cycle, works: list[Work]) -> Implemented:
    """Merge in order, and measure the five conditions again on the whole; one implementer mends what does not fit."""
    merged = await cycle.run.merge([work.run for work in works])
    if merged.left:
        _remember(cycle, works)
        _brought_in(cycle, merged)
        return _failed(works, cycle.iteration, merged=merged)
    cycle.areas, cycle.merged = (), True
    whole = Work(cycle.run, claim=_claim_of_all(cycle.iteration, works))
    if problem := await _verify(cycle, whole, cycle.iteration):
        return _failed([whole], cycle.iteration, environment_problem=problem)
    if whole.done:
        message = completed_message(cycle.iteration, whole.files, whole.results, _reviews(works))
        return Implemented(True, message)
    return await _iterate(cycle, [whole], cycle.iteration + 1)


def _failed(
    works: list[Work], iteration: int, *, environment_problem: str = "", merged: Merged | None = None
) -> Implemented:
    last = next((work.claim for work in works if isinstance(work.claim, Failed)), None)
    unmet = [each for work in works for each in work.unmet]
    conflicts = merged.conflicts if merged else ()
    if merged:
        names, paths = ", ".join(merged.left), ", ".join(conflicts)
        unmet.append(Unmet(0, f"the work of {names} does not fit that of the others: {paths}"))
    return Implemented(
        False,
        failed_message(iteration, unmet, last),
        tuple(str(each) for each in unmet),
        last.recommendation if last else "",
        environment_problem,
        conflicts,
    )


def _claim_of_all(iteration: int, works: list[Work]) -> Completed:
    told = "measured by andon"
    # Of those who were done in an earlier leg the words are gone; what they wrote is measured again.
    return Completed(iteration, _files(works), told, told, told, _reviews(works) or told)


def _files(works: list[Work]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for work in works for path in work.files))


def _reviews(works: list[Work]) -> str:
    return "\n".join(work.claim.self_review for work in works if isinstance(work.claim, Completed))
