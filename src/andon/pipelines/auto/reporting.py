"""The completion report: the reporter's text, what it lacks from andon's own record, and that record (A-28, A-125)."""

from __future__ import annotations

from andon.domain.auto.coverage import read_coverage
from andon.domain.auto.findings import Listed
from andon.domain.auto.paths import affected_files
from andon.domain.auto.report import Part, missing_parts
from andon.domain.auto.ways_on import Situation, ways_on
from andon.domain.money import in_dollars, used, used_by_phase
from andon.domain.order import Usage
from andon.domain.run import Blocked, Bug, Ending, TeammateFailed
from andon.domain.verdict import CheckResult
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.measuring import in_words
from andon.roles.contracts import TEXT

SHOWN_LINES = 20
"""The end of what a failed check printed, for a report."""


async def report(cycle: Cycle) -> None:
    asked = cycle.assignment("reporter", "reporter", document=cycle.report_path, plan=cycle.plan, facts=_facts(cycle))
    try:
        await cycle.run.ask(asked, TEXT)
    except TeammateFailed as failure:
        # The work is measured and judged; a missing summary must not undo it.
        await cycle.warn(cycle.word("report.by_andon", failure=failure))
    text = (await cycle.run.read(cycle.report_path) or "").strip()
    if not text or text == cycle.earlier_report:  # nobody wrote one this time
        text = f"# {cycle.feature}"
    parts = [text, *await _what_it_lacks(cycle, text), record_section(cycle)]
    await cycle.run.write(cycle.report_path, "\n\n".join(parts) + "\n")
    cycle.reported = True


async def report_short(cycle: Cycle, ending: Ending) -> None:
    """A run that ends short has a report too, by andon alone: why, what failed, the ways on, and the record (G-46).

    Where it cannot be written, the run still ends for its own reason.
    """
    if cycle.phase == 0 or cycle.request.options.dry_run:
        return
    try:
        before = (await cycle.run.read(cycle.report_path) or "").strip() if cycle.reported else f"# {cycle.feature}"
        parts = [before, ending.message, *_what_failed(cycle), _ways(cycle, ending)]
        parts += [] if cycle.reported else [_documents(cycle), record_section(cycle)]
        await cycle.run.write(cycle.report_path, "\n\n".join(filter(None, parts)) + "\n")
    except (Blocked, Bug) as problem:
        await cycle.warn(cycle.word("report.unwritten", problem=problem))


def _what_failed(cycle: Cycle) -> list[str]:
    """Each thing that is open by the name it can be accepted by, and the end of what failed checks printed."""
    named = [f"- {finding.id}: {_line(finding.text)}" for finding in cycle.open_findings]
    failed = [result for result in _measured(cycle) if result.verdict.blocks]
    lines = named or [f"- {_line(text)}" for text in cycle.remaining]
    lines = lines or [f"- {result.goal}: {_line(result.reason)}" for result in failed]
    if not lines:
        return []
    shown = [
        f"{result.goal} (`{' '.join(result.command)}`):\n\n{_end_of(result.output)}"
        for result in failed
        if result.output.strip()
    ]
    return [cycle.word("short.failed"), "\n".join(lines), *shown]


def _end_of(output: str) -> str:
    """Indented: whatever a program printed, it is shown and not rendered."""
    return "\n".join(f"    {line}" for line in output.strip().splitlines()[-SHOWN_LINES:])


def _ways(cycle: Cycle, ending: Ending) -> str:
    situation = Situation(cycle.run.id, ending.status, ending.reason, language=cycle.language)
    findings = [Listed(finding.id, str(finding.kind), finding.text) for finding in cycle.open_findings]
    lines = [f"- `{way.command}`: {way.why}" for way in ways_on(situation, (), findings)]
    return "\n".join([cycle.word("short.ways"), "", *lines, "", cycle.word("short.status", run=cycle.run.id)])


def _documents(cycle: Cycle) -> str:
    plan = cycle.word("part.plan.text", task=cycle.request.task, path=cycle.plan_path, files=_named(cycle.plan))
    design = cycle.word("part.design.text", path=cycle.design_path, files=_named(cycle.design))
    written = [plan if cycle.plan else "", design if cycle.design else ""]
    told = "\n".join(filter(None, written))
    return f"{cycle.word('short.documents')}\n\n{told}" if told else ""


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
    """What andon itself knows: checks with their verdicts, tokens and money by teammate and by phase."""
    lines = [cycle.word("record.heading"), "", cycle.word("record.checks"), "|---|---|---|"]
    for result in _measured(cycle):
        how = f"`{' '.join(result.command)}`" if result.command else result.reason
        lines.append(f"| {result.goal} | {cycle.word(f'verdict.{result.verdict}')} | {how} |")
    if not _measured(cycle):
        lines = [cycle.word("record.heading"), "", cycle.word("record.unmeasured")]
    notes = _judgements(cycle)
    notes += [cycle.word("record.open", id=finding.id, text=finding.text) for finding in cycle.open_findings]
    notes += [cycle.word("record.accepted", id=id, reason=reason) for id, reason in cycle.accepted.items()]
    notes += list(cycle.warnings)
    lines += ["", *(f"- {_line(note)}" for note in notes)] if notes else []
    return "\n".join([*lines, *_use(cycle), "", cycle.word("record.run", run=cycle.run.id)])


def _use(cycle: Cycle) -> list[str]:
    """Tokens and money: order by order, phase by phase, all in all, and whose word the money is (A-28)."""
    team, total = cycle.run.team, used(cycle.word("record.total"), cycle.run.team)
    lines = ["", cycle.word("record.team"), "|---|---|---|---:|---:|---:|"]
    lines += [f"| {mate.name} | {mate.phase} | {mate.tier} | {_amounts(mate.usage)} |" for mate in team]
    lines += ["", cycle.word("record.phases"), "|---|---:|---:|---:|---:|"]
    lines += [f"| {each.name} | {each.orders} | {_amounts(each.usage)} |" for each in (*used_by_phase(team), total)]
    if total.usage.estimated:
        lines += ["", cycle.word("record.estimated", dated=cycle.prices_dated)]
    if total.usage.unpriced:
        lines += ["", cycle.word("record.unpriced", tokens=f"{total.usage.unpriced:,}")]
    return lines


def _amounts(usage: Usage) -> str:
    return f"{usage.tokens:,} | {usage.cached_tokens:,} | {in_dollars(usage) or '-'}"


def _measured(cycle: Cycle) -> tuple[CheckResult, ...]:
    """What Phase 4 measured last; of a run that did not come so far, what is known of the files as they are."""
    return (*cycle.results, *cycle.further) or cycle.known_now


def _judgements(cycle: Cycle) -> list[str]:
    """What was judged, and the coverage that was measured: as andon has them, whatever the reporter makes of them."""
    judged, word = cycle.judged, cycle.word
    told = [word("record.verifier", verdict=judged.verifier or word("record.not_asked"))]
    if cycle.architect:
        told.append(word("record.architect", verdict=cycle.architect))
    if judged.gap is not None:
        told.append(word("record.gap", rate=f"{judged.gap:g}", needed=cycle.limits.gap_threshold))
    told += [word("record.quality", finding=finding) for finding in judged.quality]
    covered = [read_coverage(result.output) for result in cycle.further if result.goal == "coverage"]
    told += [word("record.coverage", percent=f"{each.percent:g}") for each in covered if each is not None]
    return told


def _line(text: str) -> str:
    return " ".join(text.split())
