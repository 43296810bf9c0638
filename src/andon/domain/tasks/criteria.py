"""What a phase is judged by, as data keyed by type and phase, and what came of one criterion (D-78, G-19).

What a program can measure andon measures; what needs a reader is asked of the verifier, who can only veto. The criteria
of create_app are those of its verification guides, by id and title.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from andon.domain.tasks.phases import TaskType


@dataclass(frozen=True, slots=True)
class Criterion:
    """What came of one criterion, or of one measurement that is part of it (G-19)."""

    id: str
    passed: bool
    detail: str = ""
    """Why it did not pass, one cause per line."""
    measured: bool = True
    """False: nobody could find out. It has not passed, and it has not failed either."""

    @classmethod
    def of(cls, id: str, problems: Sequence[str], unmeasured: Sequence[str] = ()) -> Criterion:
        """Passed when there is no problem (G-19). Not measured when all that stands against it was not measured."""
        causes = (*problems, *unmeasured)
        return cls(id, not causes, "\n".join(causes), bool(problems) or not unmeasured)


class By(StrEnum):
    PROGRAM = "program"
    JUDGE = "judge"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Asked:
    """A criterion before anybody looked."""

    id: str
    title: str
    by: By
    parts: tuple[str, ...] = ()
    """The measurements it is made of, where a program has a say in it."""
    critical: bool = True
    """False: a remark, which is told and stops nothing."""

    @property
    def judged(self) -> bool:
        return self.by is not By.PROGRAM


EXIST, LENGTH, PLACEHOLDERS, SECTIONS = "documents_exist", "length", "placeholders", "sections"
TESTS_PRESENT, TESTS_PASS, SECRETS = "tests_present", "tests_pass", "secrets"
BUILDS, SYNTAX, KEY_FILES, README = "builds", "syntax", "key_files", "readme"
ENV_IGNORED, ENV_EXAMPLE, UNTOUCHED = "env_ignored", "env_example", "code_untouched"
TESTED = (TESTS_PRESENT, TESTS_PASS)
CHANGE = "andon_verification"
"""What andon holds against the change itself: weakened tests, suppressions, tampering. Nobody asks for it by name."""


def _program(title: str, *parts: str) -> tuple[str, By, tuple[str, ...], bool]:
    return title, By.PROGRAM, parts, True


def _judge(title: str) -> tuple[str, By, tuple[str, ...], bool]:
    return title, By.JUDGE, (), True


def _remark(title: str) -> tuple[str, By, tuple[str, ...], bool]:
    return title, By.JUDGE, (), False


def _both(title: str, *parts: str) -> tuple[str, By, tuple[str, ...], bool]:
    return title, By.BOTH, parts, True


_CREATE_PLANNING = (
    _program("All nine documents exist", EXIST),
    _program("Each has at least 500 characters", LENGTH),
    _program("No placeholders", PLACEHOLDERS),
    _program("Every section of the guides is there and filled", SECTIONS),
    _remark("Correct Markdown"),
    _judge("The plan is for the task that was given"),
    _judge("Concrete content instead of template text"),
    _judge("Users and features and business model are clear"),
    _judge("Features lie within the scope"),
    _judge("Personas are the same everywhere"),
    _judge("One stack is decided"),
    _judge("The plan is plausible"),
    _remark("Services and their keys are known now"),
)
_CREATE_DESIGN = (
    _program("All five documents exist", EXIST),
    _program("Each has at least 500 characters", LENGTH),
    _program("No placeholders and every section filled", PLACEHOLDERS, SECTIONS),
    _program(
        "The data model has entities and typed fields and relations",
        *("data_model_entities", "data_model_types", "data_model_relations"),
    ),
    _program(
        "The API has methods and paths and bodies and status codes",
        *("api_methods", "api_paths", "api_request", "api_response", "api_status_codes"),
    ),
    _program("The architecture has a diagram or a detailed description", "architecture"),
    _both("The stack is that of 08_tech", "technology"),
    _judge("The features are those of 07_features"),
    _judge("The five documents fit together"),
    _judge("The design is concrete"),
    _judge("The design is feasible"),
    _judge("Refusals and failures are designed"),
    _remark("Personal data and access are thought through"),
)
_CREATE_DEVELOPMENT = (
    _program("Key files exist", KEY_FILES),
    _program("No syntax errors", SYNTAX),
    _program("Tests are present and pass", *TESTED),
    _both("No hard-coded secrets", SECRETS),
    _program("The environment is kept out of the repository", ENV_IGNORED, ENV_EXAMPLE),
    _program("README has its five parts", README),
    _judge("The structure fits the stack"),
    _judge("All planned features are implemented"),
    _judge("The code follows the design"),
    _judge("The tests would notice"),
    _judge("No obvious bugs and adequate error handling"),
    _judge("Nobody can do what they may not"),
    _judge("Deployment is prepared"),
    _remark("Readable code with comments where needed"),
)
_CREATE_VERIFICATION = (*_CREATE_DEVELOPMENT, _judge("The fourteen documents describe what was built"))
_MODIFY_ANALYSIS = (
    _program("The analysis exists", EXIST),
    _program("It has at least 1000 characters", LENGTH),
    _program("No placeholders and every part is there", PLACEHOLDERS, SECTIONS),
    _both("It is accurate against the code", "paths_exist"),
    _program("No code changed in analysis", UNTOUCHED),
    _judge("The impact is told concretely"),
)
_MODIFY_PLANNING = (
    _program("The plan exists", EXIST),
    _program("It has at least 800 characters", LENGTH),
    _program("No placeholders and every part is there", PLACEHOLDERS, SECTIONS),
    _program("It goes down to files", "file_plan"),
    _program("Risks of four kinds, with mitigation", "risks"),
    _program("Existing tests, new tests and manual scenarios", "test_strategy"),
    _program("No code changed in planning", UNTOUCHED),
    _judge("The requirements are clear"),
    _judge("The plan is realistic and concrete"),
)
_MODIFY_IMPLEMENTATION = (
    _program("Every planned change is made", "planned_changes"),
    _program("No other change is made", "unplanned_changes"),
    _program("Tests are present and pass", *TESTED),
    _program("The project builds", BUILDS),
    _both("No hard-coded secrets", SECRETS),
    _program("New variables stand in .env.example", ENV_EXAMPLE),
    _judge("Existing function is preserved"),
    _judge("The code follows the existing style"),
    _judge("Imports and references are updated"),
    _judge("Documents and new dependencies are documented"),
)
_MODIFY_VERIFICATION = (
    _program("The report answers the whole checklist", "report"),
    _program("Whatever failed is explained", "failures_explained"),
    _program("Tests are present and pass", *TESTED),
    _judge("No regression"),
    _judge("Manual scenarios were carried out and are told"),
    _program("Every planned change is still there", "planned_changes"),
)
_AUTOMATE_PLANNING = (
    _program("The requirements exist", EXIST),
    _program("They have at least 800 characters", LENGTH),
    _program("No placeholders and every part is there", PLACEHOLDERS, SECTIONS),
    _program("Every trigger has what its type needs", "triggers"),
    _judge("Every external service is identified"),
    _judge("The requirements are concrete and executable"),
)
_AUTOMATE_DESIGN = (
    _program("The design exists", EXIST),
    _program("It has at least 1000 characters", LENGTH),
    _program("No placeholders and every part is there", PLACEHOLDERS, SECTIONS),
    _program("There is a diagram", "diagram"),
    _program("Every step has all its fields", "step_fields"),
    _program("Every integration has all its fields", "integration_fields"),
    _judge("Conditions, branches and loops are told"),
    _judge("Data flow and state are told"),
    _judge("The design is feasible and complete"),
)
_AUTOMATE_DEVELOPMENT = (
    _program("Folders and files of a workflow exist", "structure"),
    _program("Every declared trigger has its own code", "trigger_handlers"),
    _program("Tests are present and pass", *TESTED),
    _program("It builds and runs", BUILDS),
    _both("No hard-coded secrets", SECRETS),
    _program("README tells set-up and use", README),
    _program("Variables stand in .env.example", ENV_EXAMPLE),
    _judge("Every step is implemented separately"),
    _judge("One client per service, with authentication, errors and rate limit"),
    _judge("Errors are handled with retry"),
    _judge("Configuration by environment variables"),
)
_AUTOMATE_VERIFICATION = (
    _program("The report answers all six groups", "report"),
    _program("Whatever failed is explained", "failures_explained"),
    _program("Tests are present and pass", *TESTED),
    _judge("Triggers, steps and integrations were all tried"),
    _judge("Performance is acceptable"),
    _program("Every folder, file and trigger is still there", "structure", "trigger_handlers"),
)
_PHASES = {
    TaskType.CREATE_APP: (_CREATE_PLANNING, _CREATE_DESIGN, _CREATE_DEVELOPMENT, _CREATE_VERIFICATION),
    TaskType.MODIFY_APP: (_MODIFY_ANALYSIS, _MODIFY_PLANNING, _MODIFY_IMPLEMENTATION, _MODIFY_VERIFICATION),
    TaskType.WORKFLOW: (_AUTOMATE_PLANNING, _AUTOMATE_DESIGN, _AUTOMATE_DEVELOPMENT, _AUTOMATE_VERIFICATION),
}
CRITERIA: Mapping[tuple[TaskType, int], tuple[Asked, ...]] = MappingProxyType(
    {
        (type, phase): tuple(Asked(f"{type.label[-1]}{phase}-{number:02}", *row) for number, row in enumerate(rows, 1))
        for type, phases in _PHASES.items()
        for phase, rows in enumerate(phases, 1)
    }
)


def criteria_of(type: TaskType, phase: int) -> tuple[Asked, ...]:
    """What this phase of this type is judged by; nothing for custom tasks (D-78)."""
    return CRITERIA.get((type, phase), ())
