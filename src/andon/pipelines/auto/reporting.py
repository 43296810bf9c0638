"""The completion report: the reporter's text, what it lacks from andon's own record, and that record (A-28, A-125)."""

from __future__ import annotations

from andon.domain.assignment import TeamRecord
from andon.domain.auto.paths import affected_files
from andon.domain.auto.report import Part, missing_parts
from andon.domain.run import TeammateFailed
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.measuring import in_words
from andon.roles.contracts import TEXT


async def report(cycle: Cycle) -> None:
    asked = cycle.assignment("reporter", "reporter", document=cycle.report_path, plan=cycle.plan, facts=_facts(cycle))
    try:
        await cycle.run.ask(asked, TEXT)
    except TeammateFailed as failure:
        # The work is measured and judged; a missing summary must not undo it.
        await cycle.warn(cycle.word("report.by_andon", failure=failure))
    text = (await cycle.run.read(cycle.report_path) or "").strip() or f"# {cycle.feature}"
    parts = [text, *await _what_it_lacks(cycle, text), record_section(cycle)]
    await cycle.run.write(cycle.report_path, "\n\n".join(parts) + "\n")
    cycle.reported = True


async def report_short(cycle: Cycle, why: str) -> None:
    """A run that ends short has a report too, by andon alone: why, what is open, and the record (G-46)."""
    if cycle.reported or cycle.phase == 0 or cycle.request.options.dry_run:
        return
    parts = [f"# {cycle.feature}", why, record_section(cycle)]
    await cycle.run.write(cycle.report_path, "\n\n".join(parts) + "\n")


def _facts(cycle: Cycle) -> str:
    """What andon knows, for the reporter to tell: nothing of it is the word of an agent about its own work."""
    judged = cycle.judged
    promotions = [f"{each.before} to {each.after} ({each.cause} {each.count})" for each in cycle.promotions]
    design = f"Design: {cycle.place(cycle.design_path)}" if cycle.design else "no design document"
    lines = [
        f"Task: {cycle.request.task}",
        f"Mode: {cycle.mode}; {design}.",
        f"Promoted: {'; '.join(promotions)}" if promotions else "",
        f"Implementation iterations: {cycle.iteration}" if cycle.iteration else "",
        f"QA cycles: {cycle.qa_cycle}; rejections: {cycle.counters.rejections}; "
        f"improvements: {cycle.counters.improvements}",
        f"Verifier: {judged.verifier or 'not asked'}",
        f"Gap: {judged.gap:g}%" if judged.gap is not None else "",
        f"Quality findings: {'; '.join(judged.quality)}" if judged.quality else "",
        f"Checks:\n{in_words((*cycle.results, *cycle.further))}",
        f"Warnings: {'; '.join(cycle.warnings) or 'none'}",
        *(f"Open: {finding.text}" for finding in cycle.open_findings),
        *(f"Accepted by a person: {id} ({reason})" for id, reason in cycle.accepted.items()),
    ]
    return "\n".join(line for line in lines if line)


async def _what_it_lacks(cycle: Cycle, text: str) -> list[str]:
    """The parts the reporter left out, as andon knows them: measured, not told."""
    missing = missing_parts(text)
    if not missing:
        return []
    changed = [f"- {change.kind}: `{change.path}`" for change in await cycle.run.changes()]
    known = {
        Part.PLAN: cycle.word(
            "part.plan.text", task=cycle.request.task, path=cycle.plan_path, files=_named(cycle.plan)
        ),
        Part.DESIGN: cycle.word("part.design.text", path=cycle.design_path, files=_named(cycle.design))
        if cycle.design
        else cycle.word("part.design.none"),
        Part.IMPLEMENTATION: "\n".join(changed) or cycle.word("part.implementation.none"),
        Part.CHECK: f"{in_words((*cycle.results, *cycle.further))}\nVerifier: {cycle.judged.verifier or 'not asked'}",
        Part.LESSONS: cycle.word(
            "part.lessons.text",
            rejections=cycle.counters.rejections,
            builds=cycle.build_failures,
            warnings="; ".join(cycle.warnings) or "-",
        ),
    }
    return [f"{cycle.word(f'part.{part}')}\n\n{known[part]}" for part in missing]


def _named(document: str) -> str:
    return ", ".join(f"`{path}`" for path in affected_files(document)) or "-"


def record_section(cycle: Cycle) -> str:
    """What andon itself knows: checks with their verdicts, tokens by teammate and by phase."""
    lines = [cycle.word("record.heading"), "", cycle.word("record.checks"), "|---|---|---|"]
    for result in (*cycle.results, *cycle.further):
        how = f"`{' '.join(result.command)}`" if result.command else result.reason
        lines.append(f"| {result.goal} | {cycle.word(f'verdict.{result.verdict}')} | {how} |")
    notes = [cycle.word("record.open", id=finding.id, text=finding.text) for finding in cycle.open_findings]
    notes += [cycle.word("record.accepted", id=id, reason=reason) for id, reason in cycle.accepted.items()]
    notes += list(cycle.warnings)
    lines += ["", *(f"- {' '.join(note.split())}" for note in notes)] if notes else []
    lines += ["", cycle.word("record.team"), "|---|---|---|---|---|"]
    for mate in cycle.run.team:
        lines.append(f"| {mate.name} | {mate.phase} | {mate.tier} | {mate.tokens} | {mate.money:.2f} |")
    totals = ", ".join(f"{phase} {tokens}" for phase, tokens in tokens_by_phase(cycle.run.team).items())
    return "\n".join([*lines, "", cycle.word("record.totals", totals=totals, run=cycle.run.id)])


def tokens_by_phase(team: tuple[TeamRecord, ...]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for mate in team:
        totals[mate.phase] = totals.get(mate.phase, 0) + mate.tokens
    return totals
