"""All that andon measures of a phase's documents, of every type, in one place (D-78).

What needs a run, a diff or a build is measured elsewhere and joins the same list of criteria.
"""

from __future__ import annotations

from andon.domain.tasks.api_document import api_document
from andon.domain.tasks.architecture import architecture
from andon.domain.tasks.automation import DESIGN, REQUIREMENTS
from andon.domain.tasks.create_app import API, ARCHITECTURE, DATA_MODEL, TECHNOLOGY
from andon.domain.tasks.criteria import Criterion
from andon.domain.tasks.data_model import data_model
from andon.domain.tasks.diagrams import diagram
from andon.domain.tasks.documents import Guides, Texts, documents_of
from andon.domain.tasks.field_blocks import integration_fields, step_fields
from andon.domain.tasks.modify_app import MODIFICATION_PLAN
from andon.domain.tasks.phases import TaskType
from andon.domain.tasks.planned import file_plan, risks, strategy
from andon.domain.tasks.technology import same_technology
from andon.domain.tasks.triggers import triggers
from andon.domain.tasks.workflows import workflow_of


def measured(type: TaskType, phase: int, texts: Texts, guides: Guides) -> tuple[Criterion, ...]:
    """Every measurement that the documents of this phase allow (D-78). A missing document is an empty one."""
    definition = workflow_of(type).phase(phase)
    if not definition.documents:
        return ()
    found = documents_of(definition, texts, guides)
    match type, phase:
        case TaskType.CREATE_APP, 2:
            return (*found, *_design(texts))
        case TaskType.MODIFY_APP, 2:
            plan = texts.get(MODIFICATION_PLAN, "")
            return (*found, file_plan(plan), risks(plan), strategy(plan))
        case TaskType.WORKFLOW, 1:
            return (*found, triggers(texts.get(REQUIREMENTS, "")))
        case TaskType.WORKFLOW, 2:
            design = texts.get(DESIGN, "")
            return (*found, diagram(design), step_fields(design), integration_fields(design))
        case _:
            return found


def _design(texts: Texts) -> tuple[Criterion, ...]:
    told = texts.get(ARCHITECTURE, "")
    return (
        *data_model(texts.get(DATA_MODEL, "")),
        *api_document(texts.get(API, "")),
        architecture(told),
        _stack(told, texts),
    )


def _stack(told: str, texts: Texts) -> Criterion:
    """Without the plan's stack there is nothing to compare with, which is not agreement."""
    if TECHNOLOGY not in texts:
        return Criterion("technology", passed=False, detail=f"{TECHNOLOGY} is missing")
    return same_technology(ARCHITECTURE, told, {TECHNOLOGY: texts[TECHNOLOGY]})
