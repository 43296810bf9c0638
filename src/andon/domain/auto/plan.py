"""Gates a plan must pass before Phase 2: the Lead's own for LIGHT (A-43, A-44) and the mandatory sections (A-58).

Content only. How often a planner is asked again is in limits.py; asking is the pipeline's.
"""

from __future__ import annotations

from dataclasses import dataclass

from andon.domain.auto.outline import Kind, read_outline
from andon.domain.auto.paths import named_paths
from andon.domain.language import Language, Section, say
from andon.domain.limits import AutoLimits


@dataclass(frozen=True, slots=True)
class Missing:
    """A part a document must have and has not; numbered as the gate's table numbers it."""

    number: int
    key: str
    """Its name in the message catalogue."""

    def name(self, language: Language) -> str:
        return say(language, self.key)


REQUIRED_SECTIONS = (
    (1, Section.BACKGROUND),
    (2, Section.SCOPE),
    (3, Section.FILES),
    (4, Section.RISKS),
)


def light_gate(plan: str | None, limits: AutoLimits) -> str:
    """The message key of what a LIGHT plan lacks, "" when it will do. An absent plan is a short one."""
    if plan is None or len(plan.strip()) < limits.light_plan_characters:
        return "plan.too_short"
    return "" if named_paths(plan) else "plan.no_path"


def missing_sections(plan: str) -> tuple[Missing, ...]:
    """Mandatory parts the plan has no heading for; for files, a list of paths counts, not the heading."""
    headings = [line.sections for line in read_outline(plan) if line.kind is Kind.HEADING]
    present = frozenset[Section]().union(*headings) - {Section.FILES}
    if any(each.file and each.listed for each in named_paths(plan)):
        present |= {Section.FILES}
    return tuple(
        Missing(number, f"section.{section.value}") for number, section in REQUIRED_SECTIONS if section not in present
    )


def names_of(missing: tuple[Missing, ...], language: Language) -> str:
    return ", ".join(each.name(language) for each in missing)
