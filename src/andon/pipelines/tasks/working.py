"""The work of a phase: one order to the task's agent, told again what to mend where a verifier or a person objects."""

from __future__ import annotations

from andon.domain.question_block import INSTRUCTION as QUESTION_INSTRUCTION
from andon.domain.tasks.automation import CHECKLIST as WORKFLOW_CHECKLIST
from andon.domain.tasks.criteria import criteria_of
from andon.domain.tasks.modify_app import CHECKLIST, REPORT
from andon.domain.tasks.phases import Document, Performer, Phase, TaskType
from andon.domain.tasks.protocol import DEPENDENCY_INSTRUCTION
from andon.pipelines.tasks.course import AGENT, Course
from andon.roles.guides import guide
from andon.roles.task_contracts import PhaseForm, listed

NOTHING = "(nothing)"


async def work(course: Course, phase: Phase) -> None:
    """Everything the phase asks for, from its guides."""
    asked = course.assignment(
        AGENT,
        "phase",
        phase,
        writes=writes_of(phase),
        keeps=keeps_of(course, phase),
        steps="\n".join(f"{number}. {step.title}" for number, step in enumerate(phase.steps, 1)),
        documents="\n".join(map(_document, phase.documents)) or NOTHING,
        criteria=listed(criteria_of(course.type, phase.number)),
        practices=practices(course.type, phase),
        guides=_guides(phase),
        questions=f"{QUESTION_INSTRUCTION}\n\n{DEPENDENCY_INSTRUCTION}",
    )
    await course.run.ask(asked, PhaseForm(phase.number))


async def rework(course: Course, phase: Phase, told: str, origin: str) -> None:
    """The same agent mends what was found, or what a person wants otherwise (D-73, D-75)."""
    writes, keeps = writes_of(phase), keeps_of(course, phase)
    asked = course.assignment(AGENT, "rework", phase, writes=writes, keeps=keeps, told=told, origin=origin)
    await course.run.ask(asked, PhaseForm(phase.number))


def writes_of(phase: Phase) -> tuple[str, ...]:
    """A phase of documents writes those and nothing else; the kernel sees to it (D-30). What the verifier of the last
    phase finds is mended wherever it is."""
    everywhere = phase.code or phase.performer is Performer.VERIFIER
    return (".",) if everywhere else tuple(document.path for document in phase.documents)


def keeps_of(course: Course, phase: Phase) -> tuple[str, ...]:
    """What a person approved stays as it is while it is carried out, and while that is looked at: a plan that is edited
    afterwards excuses nothing (D-35). In create_app the last phase brings the documents up to date with the code."""
    measured_by = phase.code or (phase.performer is Performer.VERIFIER and course.type is not TaskType.CREATE_APP)
    approved = (document.path for document in course.planned if document not in phase.documents)
    return tuple(approved) if measured_by else ()


def _document(document: Document) -> str:
    parts = ", ".join(part.name for part in document.parts)
    told = f"- `{document.path}`: {document.subject}, at least {document.least} characters"
    return f"{told}, with: {parts}" if parts else told


def _guides(phase: Phase) -> str:
    """All of the phase, before it begins (D-25)."""
    names = [path.rpartition("/")[2].removesuffix(".md") for path in phase.guides]
    return "\n\n".join(f"### {guide(name).path}\n{guide(name).text}" for name in names) or NOTHING


PRACTICES = {
    TaskType.CREATE_APP: (
        "Check your work against the criteria before you say that the phase is complete.",
        "Keep the stack of 08_tech and the features of 07_features the same in every document and in the code.",
        "Ask for keys of external services while you plan, not when you need them in the code.",
    ),
    TaskType.MODIFY_APP: (
        "Analyse before you change anything, and assume nothing about code that you have not read.",
        "Keep what works working: compatibility, style, imports, tests. Change nothing that the plan does not name.",
        "Go component by component, and build after each change. Test widely.",
        "Document every change: README, comments, change log; new variables in `.env.example`.",
    ),
    TaskType.WORKFLOW: (
        "No vague steps, no trigger without its configuration, no step without its error handling.",
        "No monolith: triggers, steps and integrations apart, each testable alone.",
        "Never assume that a service is up: exponential back-off, a fallback, a notice of failure, a timeout.",
        "Respect rate limits, queue what has to wait, validate every response.",
    ),
}
"""D-26, D-38, D-52."""


def practices(type: TaskType, phase: Phase) -> str:
    told = [f"- {each}" for each in PRACTICES.get(type, ())]
    if phase.number == 4 and type is TaskType.MODIFY_APP:
        asked = ", ".join(part.name for part in CHECKLIST)
        told.append(f"- Write `{REPORT}`: what you ran and what came of it, for each of: {asked}.")
    if phase.number == 4 and type is TaskType.WORKFLOW:
        groups = "; ".join(f"{name}: {', '.join(items)}" for name, items in WORKFLOW_CHECKLIST.items())
        told.append(f"- Write `{REPORT}` with a heading for each group, and answer every item. {groups}.")
    return "\n".join(told)
