"""What a phase is judged by, as data keyed by type and phase, and what came of one criterion (D-78, G-19).

What a program can measure andon measures; what needs a reader is asked of the verifier, who can only veto.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from andon.domain.tasks.phases import TaskType


@dataclass(frozen=True, slots=True)
class Criterion:
    """What came of one criterion (G-19)."""

    id: str
    passed: bool
    detail: str = ""
    """Why it did not pass, one cause per line."""

    @classmethod
    def of(cls, id: str, problems: tuple[str, ...] | list[str]) -> Criterion:
        """Passed when there is no problem (G-19)."""
        return cls(id, not problems, "\n".join(problems))


@dataclass(frozen=True, slots=True)
class Asked:
    """A criterion before anybody looked."""

    id: str
    text: str
    measured: bool = True
    """Whether andon measures it; otherwise the verifier judges."""


def _asked(measured: Mapping[str, str], judged: Mapping[str, str]) -> tuple[Asked, ...]:
    return (
        *(Asked(id, text) for id, text in measured.items()),
        *(Asked(id, text, measured=False) for id, text in judged.items()),
    )


EXIST, LENGTH, PLACEHOLDERS, SECTIONS = "documents_exist", "length", "placeholders", "sections"
_DOCUMENTS = {
    EXIST: "every document of the phase exists",
    LENGTH: "every document has its least length",
    PLACEHOLDERS: "no document has a placeholder",
    SECTIONS: "every document has all its sections, none of them empty",
}
TESTS_PRESENT, TESTS_PASS, SECRETS = "tests_present", "tests_pass", "secrets"
BUILDS, SYNTAX = "builds", "syntax"
_CODE = {
    TESTS_PRESENT: "there are unit, integration or end-to-end tests",
    TESTS_PASS: "the tests pass",
    SECRETS: "no key, password or token stands in the code",
}
_EXPLAINED = "whatever failed is explained"
_CREATE = (
    _asked(
        {**_DOCUMENTS, "features_in_scope": "features lie within the scope of the product"},
        {
            "consistency": "technology, features and personas agree between the documents",
            "markdown": "correct Markdown",
            "concrete": "concrete content with examples, no template text",
            "clear": "target users, features and business model are clear",
        },
    ),
    _asked(
        {
            **_DOCUMENTS,
            "data_model_entities": "the data model names entities",
            "data_model_types": "their fields have types",
            "data_model_relations": "their relations are told",
            "api_methods": "the API has HTTP methods",
            "api_paths": "the API has paths",
            "api_request": "the API tells request bodies",
            "api_response": "the API tells responses",
            "api_status_codes": "the API tells status codes",
            "architecture": "the architecture has a diagram, or tells components and data flow",
            "technology": "the technology is that of 08_tech",
            "features_designed": "the features are those of 07_features",
        },
        {"feasible": "the design is concrete and feasible", "coherent": "the documents agree with each other"},
    ),
    _asked(
        {
            "key_files": "manifest, .gitignore, README.md and configuration exist",
            **_CODE,
            "env_ignored": ".env is listed in .gitignore",
            "env_example": ".env.example exists where environment variables are needed",
            "readme": "README tells description, installation, running, testing, environment variables",
            SYNTAX: "no file has a syntax error",
        },
        {
            "structure": "the structure fits the technology",
            "features_implemented": "every feature is implemented along the design",
            "quality": "no obvious bugs, adequate error handling, comments where needed",
        },
    ),
    _asked(
        {TESTS_PASS: "the tests pass", SECRETS: _CODE[SECRETS]},
        {"whole": "the documents, the design and the code agree, and nothing that was asked for is missing"},
    ),
)
_MODIFY = (
    _asked(
        {**_DOCUMENTS, "paths_exist": "every path it names exists", "code_untouched": "no code changed in analysis"},
        {"accurate": "the analysis is accurate against the code", "impact": "the impact is told concretely"},
    ),
    _asked(
        {
            **_DOCUMENTS,
            "file_plan": "the plan goes down to files",
            "risks": "risks: breaking changes, performance, security, backward compatibility, each with a mitigation",
            "test_strategy": "tests: existing, new, manual scenarios",
            "code_untouched": "no code changed in planning",
        },
        {"requirements": "clear requirements", "realistic": "realistic and concrete"},
    ),
    _asked(
        {
            "planned_changes": "every planned change is made",
            "unplanned_changes": "no other change is made",
            **_CODE,
            BUILDS: "the project builds",
            "env_example": ".env.example has the variables that are new",
        },
        {
            "preserved": "existing function is preserved",
            "style": "the code follows the existing style",
            "references": "imports and references are updated",
            "documentation": "documents and new dependencies are documented",
        },
    ),
    _asked(
        {"report": "the report answers the whole checklist", "failures_explained": _EXPLAINED, **_CODE},
        {"regression": "no regression", "manual": "manual scenarios were carried out and are told"},
    ),
)
_AUTOMATE = (
    _asked(
        {**_DOCUMENTS, "triggers": "every trigger has what its type needs"},
        {"executable": "concrete and executable", "integrations": "every external service is identified"},
    ),
    _asked(
        {
            **_DOCUMENTS,
            "diagram": "there is a diagram, as text or mermaid",
            "step_fields": "every step has all its fields",
            "integration_fields": "every integration has all its fields",
        },
        {
            "conditions": "conditions, branches and loops are told",
            "data_flow": "data flow and state are told",
            "feasible": "feasible and complete",
        },
    ),
    _asked(
        {
            "structure": "folders and files of a workflow exist",
            "trigger_handlers": "every declared trigger has its own code",
            **_CODE,
            "env_example": ".env.example exists",
            "readme": "README tells set-up and use",
            BUILDS: "it builds and runs",
        },
        {
            "steps": "every step is implemented separately",
            "clients": "one client per service, with authentication, errors and rate limit",
            "retry": "errors are handled with retry",
            "configuration": "configuration by environment variables",
        },
    ),
    _asked(
        {"report": "all six groups of the checklist are answered", "failures_explained": _EXPLAINED, **_CODE},
        {"performance": "performance is acceptable", "covered": "triggers, steps and integrations were all tried"},
    ),
)  # fmt: skip
CRITERIA: Mapping[tuple[TaskType, int], tuple[Asked, ...]] = MappingProxyType(
    {
        (type, number): asked
        for type, phases in (
            (TaskType.CREATE_APP, _CREATE),
            (TaskType.MODIFY_APP, _MODIFY),
            (TaskType.WORKFLOW, _AUTOMATE),
        )
        for number, asked in enumerate(phases, 1)
    }
)


def criteria_of(type: TaskType, phase: int) -> tuple[Asked, ...]:
    """What this phase of this type is judged by; nothing for custom tasks (D-78)."""
    return CRITERIA.get((type, phase), ())
