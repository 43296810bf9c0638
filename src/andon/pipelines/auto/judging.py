"""Step 4.2: other agents judge what was measured as sound: the verifier, and in STANDARD and HEAVY gap and quality."""

from __future__ import annotations

import re
from dataclasses import replace

from andon.domain.artefacts import DOCUMENT_FOLDERS
from andon.domain.auto.mode import Mode
from andon.domain.auto.quality import Severity
from andon.pipelines.auto.cycle import Cycle, Judged
from andon.pipelines.auto.measuring import in_words
from andon.pipelines.auto.promoting import promote_by_work
from andon.pipelines.auto.rules import broken_rules
from andon.ports import Change
from andon.roles.contracts import GAP, QUALITY, VERDICT
from andon.roles.library import fill

TDD_NOTE = (
    "The change touches source files but no test. Say whether that is right for this task; if it needed a test, reject."
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/|(?:^|/)(?:conftest|tests?|test_[^/]*)\.\w+$|[._-](?:test|spec)s?\.\w+$"
)
_NO_SOURCE = (".md", ".rst", ".txt", ".toml", ".json", ".yaml", ".yml", ".lock", ".cfg", ".ini")
_WORST_FIRST = tuple(Severity)


async def judge(cycle: Cycle) -> Judged:
    """In sequence, each a fresh agent that wrote none of it (A-114, A-115)."""
    cycle.judged = Judged()
    changes = await cycle.run.changes()
    await promote_by_work(cycle, changes)
    await _andon(cycle)
    await _verifier(cycle, changes)
    if cycle.mode is not Mode.LIGHT:
        await _gap_checker(cycle, changes)
        await _quality_checker(cycle, changes)
    return cycle.judged


async def _andon(cycle: Cycle) -> None:
    """Rules come before opinions: whoever touched the files last, a lost test is a rejection (A-84)."""
    broken = await broken_rules(cycle)
    if broken:
        cycle.judged = replace(cycle.judged, broken=broken)
        reason = "\n".join(finding.text for finding in broken)
        await cycle.run.say("verdict", name="andon", verdict="REJECT", reason=reason)


async def _verifier(cycle: Cycle, changes: tuple[Change, ...]) -> None:
    told = {
        "changes": told_changes(cycle, changes),
        "checks": in_words(cycle.results),
        "tdd_note": tdd_note(changes),
    }
    if cycle.mode is Mode.LIGHT:
        asked = cycle.assignment("verifier", "verifier-light", plan=cycle.plan, **told)
    else:
        asked = cycle.assignment("verifier", "verifier", against=_against(cycle), **told)
    verdict = await cycle.run.ask(asked, VERDICT)
    said = "APPROVE" if verdict.approved else "REJECT"
    cycle.judged = replace(cycle.judged, verifier=said, reason=verdict.reason)
    await cycle.run.say("verdict", name="verifier", verdict=said, reason=verdict.reason)
    if not verdict.approved:
        cycle.count(cycle.counters.rejected())


async def _gap_checker(cycle: Cycle, changes: tuple[Change, ...]) -> None:
    asked = cycle.assignment(
        "gap-checker",
        "gap-checker",
        against=_against(cycle),
        changes=told_changes(cycle, changes),
        threshold=str(cycle.limits.gap_threshold),
    )
    found = await cycle.run.ask(asked, GAP)
    cycle.judged = replace(cycle.judged, gap=found.rate, gap_report=found.text)
    met = found.rate >= cycle.limits.gap_threshold
    told = {"verdict": f"GAP {found.rate:g}%", "reason": found.text, "approved": met}
    await cycle.run.say("verdict", name="gap-checker", **told)


async def _quality_checker(cycle: Cycle, changes: tuple[Change, ...]) -> None:
    """With the Vercel rules where they are for: React and Next.js projects (A-117)."""
    front_end = await cycle.run.traits() & {"react", "next"}
    rules = fill("auto/parts/vercel-rules", {}) if front_end else ""
    changed = told_changes(cycle, changes)
    quality = await cycle.run.ask(
        cycle.assignment("quality-checker", "quality-checker", changes=changed, rules=rules), QUALITY
    )
    findings = sorted(quality.findings, key=lambda each: _WORST_FIRST.index(each.severity))
    critical = len(quality.critical)
    cycle.judged = replace(cycle.judged, quality=tuple(map(str, findings)), critical=critical)
    reason = "\n".join(cycle.judged.quality)
    told = {"verdict": f"{critical} critical", "reason": reason, "approved": critical == 0}
    await cycle.run.say("verdict", name="quality-checker", **told)


def judged_in_words(cycle: Cycle) -> str:
    judged = cycle.judged
    gap = f", gap {judged.gap:g}%" if judged.gap is not None else ""
    critical = f", {judged.critical} critical findings" if judged.critical else ""
    return f"verifier {judged.verifier or 'not asked'}{gap}{critical}"


def _against(cycle: Cycle) -> str:
    plan = f"the plan (`{cycle.place(cycle.plan_path)}`)"
    return f"the design (`{cycle.place(cycle.design_path)}`) and {plan}" if cycle.design else plan


def told_changes(cycle: Cycle, changes: tuple[Change, ...]) -> str:
    return "\n".join(f"{change.kind}: {cycle.place(change.path)}" for change in changes)


def tdd_note(changes: tuple[Change, ...]) -> str:
    return TDD_NOTE if lacks_tests(changes) else ""


def lacks_tests(changes: tuple[Change, ...]) -> bool:
    """Source changed, tests did not (A-154)."""
    paths = [c.path.lower() for c in changes if not c.path.startswith(DOCUMENT_FOLDERS)]
    tests = [p for p in paths if _TEST.search(p)]
    sources = [p for p in paths if p not in tests and not p.endswith(_NO_SOURCE) and "." in p.rpartition("/")[2]]
    return bool(sources) and not tests
