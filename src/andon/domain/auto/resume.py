"""Where a stopped run goes on: the status file checked against the documents that exist (A-143, A-144, A-155)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from andon.domain.auto.artefacts import design_path, plan_path
from andon.domain.auto.implementation import first_iteration
from andon.domain.auto.mode import Mode
from andon.domain.auto.qa import Failure
from andon.domain.auto.status import PdcaStatus
from andon.domain.language import Language, say
from andon.domain.limits import AutoLimits
from andon.domain.run import Status


@dataclass(frozen=True, slots=True)
class ResumePoint:
    phase: int
    mode: Mode | None
    """None: the complexity has to be judged."""
    iteration: int = 1
    """Where the impl-manager's count begins."""
    qa_cycle: int = 1
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()
    finished: bool = False
    """The run was done; there is nothing to go on with."""


def resume_point(
    status: PdcaStatus, existing_files: Container[str], limits: AutoLimits, language: Language = Language.EN
) -> ResumePoint:
    """The phase to go on with. Completed phases are not repeated unless their document is gone."""
    if status.status is Status.DONE:
        return ResumePoint(status.phase, status.mode, finished=True)
    phase, warning = _phase(status, existing_files, language)
    warnings = (warning,) if warning else ()
    if phase < 3:
        return ResumePoint(phase, status.mode if phase > 1 else None, warnings=warnings)
    cycle = max(1, status.qa_cycle)
    return ResumePoint(
        phase,
        status.mode,
        iteration=first_iteration(status.iteration, limits),
        qa_cycle=cycle,
        # The interrupted cycle runs again; its failures must not count twice.
        failures=tuple(each for each in status.failures if each.cycle < cycle),
        warnings=warnings,
    )


def directed(point: ResumePoint) -> ResumePoint:
    """The same with a person's direction: somebody has to act on it before anything is checked, and it is a new start
    for whatever counts attempts."""
    return replace(point, phase=min(point.phase, 3), iteration=1, qa_cycle=1, failures=())


def _phase(status: PdcaStatus, existing: Container[str], language: Language) -> tuple[int, str]:
    plan, design = plan_path(status.feature), design_path(status.feature)
    if status.phase <= 1:
        return status.phase, ""
    if plan not in existing:
        return 1, say(language, "resume.no_plan", phase=status.phase, path=plan)
    if status.mode is None:
        return 1, say(language, "resume.no_mode")
    if status.mode is Mode.LIGHT:
        return max(3, status.phase), ""
    if status.phase >= 3 and _expects_design(status) and design not in existing:
        return 2, say(language, "resume.no_design", phase=status.phase, path=design)
    return status.phase, ""


def _expects_design(status: PdcaStatus) -> bool:
    """A run that was LIGHT until after Phase 2 never had a design, whatever its mode is now."""
    if 2 in status.skipped:
        return False
    was_light = any(each.before is Mode.LIGHT and each.phase >= 2 for each in status.promotions)
    return 2 in status.phases_completed or not was_light
