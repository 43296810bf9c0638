"""The completion report: the reporter's text, what it lacks from andon's own record, and that record (A-28, A-125)."""

from __future__ import annotations

from andon.domain.assignment import TeamRecord
from andon.domain.auto.paths import affected_files
from andon.domain.auto.report import Part, missing_parts
from andon.domain.run import TeammateFailed
from andon.pipelines.auto.checking import checks_in_words
from andon.pipelines.auto.cycle import Cycle
from andon.roles.contracts import TEXT


async def report(cycle: Cycle, plan: str) -> None:
    facts = "\n".join(
        [
            f"Task: {cycle.request.task}",
            f"Mode: {cycle.mode}; no design document in LIGHT.",
            f"Verifier: {cycle.verdict or 'not asked'}",
            f"Checks:\n{checks_in_words(cycle.results)}",
            f"Warnings: {'; '.join(cycle.warnings) or 'none'}",
        ]
    )
    asked = cycle.assignment("reporter", "reporter", document=cycle.report_path, plan=plan, facts=facts)
    try:
        await cycle.run.ask(asked, TEXT)
    except TeammateFailed as failure:
        # The work is measured and judged; a missing summary must not undo it.
        await cycle.warn(cycle.word("report.by_andon", failure=failure))
    text = (await cycle.run.read(cycle.report_path) or "").strip() or f"# {cycle.feature}"
    parts = [text, *await _what_it_lacks(cycle, plan, text), record_section(cycle)]
    await cycle.run.write(cycle.report_path, "\n\n".join(parts) + "\n")


async def _what_it_lacks(cycle: Cycle, plan: str, text: str) -> list[str]:
    """The parts the reporter left out, as andon knows them: measured, not told."""
    missing = missing_parts(text)
    if not missing:
        return []
    changed = [f"- {change.kind}: `{change.path}`" for change in await cycle.run.changes()]
    files = ", ".join(f"`{path}`" for path in affected_files(plan))
    known = {
        Part.PLAN: cycle.word("part.plan.text", task=cycle.request.task, path=cycle.plan_path, files=files or "-"),
        Part.DESIGN: cycle.word("part.design.text"),
        Part.IMPLEMENTATION: "\n".join(changed) or cycle.word("part.implementation.none"),
        Part.CHECK: f"{checks_in_words(cycle.results)}\nVerifier: {cycle.verdict or 'not asked'}",
        Part.LESSONS: cycle.word(
            "part.lessons.text",
            rejections=cycle.counters.rejections,
            builds=cycle.build_failures,
            warnings="; ".join(cycle.warnings) or "-",
        ),
    }
    return [f"{cycle.word(f'part.{part}')}\n\n{known[part]}" for part in missing]


def record_section(cycle: Cycle) -> str:
    """What andon itself knows: checks with their verdicts, tokens by teammate and by phase."""
    lines = [cycle.word("record.heading"), "", cycle.word("record.checks"), "|---|---|---|"]
    for result in cycle.results:
        how = f"`{' '.join(result.command)}`" if result.command else result.reason
        lines.append(f"| {result.goal} | {cycle.word(f'verdict.{result.verdict}')} | {how} |")
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
