"""Phase-A, a new application: nine planning documents, five of design, six steps of development (D-07 to D-24)."""

from __future__ import annotations

from andon.domain.tasks.phases import Document, Performer, Phase, Step, TaskType, Workflow

LEAST = 500
"""Characters of every document of planning (D-09) and of design (D-13, X-42)."""
PLANNING, DESIGN, DEVELOPMENT, VERIFICATION = "planning", "design", "development", "verification"

_PLANNING = (
    ("01_idea", "idea, problem, solution"),
    ("02_market", "market, competitors, opportunity"),
    ("03_persona", "target personas"),
    ("04_user_journey", "journey, touch points"),
    ("05_business_model", "business model, revenue"),
    ("06_product", "scope, requirements"),
    ("07_features", "features, priorities"),
    ("08_tech", "technology stack"),
    ("09_roadmap", "roadmap"),
)
_DESIGN = (
    ("01_screen", "screens, wireframes"),
    ("02_data_model", "data model, schema"),
    ("03_task_flow", "task flow, interaction"),
    ("04_api", "endpoints, specification"),
    ("05_architecture", "system architecture"),
)
_DEVELOPMENT = (
    ("01_setup", "initialise project and dependencies", "project structure"),
    ("02_data", "data layer", "database/models"),
    ("03_logic", "core functions", "business logic"),
    ("04_ui", "interface", "UI components"),
    ("05_testing", "write tests", "tests"),
    ("06_deploy", "prepare deployment", "deployment configuration"),
)
PRODUCT = "docs/planning/06_product.md"
FEATURES = "docs/planning/07_features.md"
TECHNOLOGY = "docs/planning/08_tech.md"
DATA_MODEL = "docs/design/02_data_model.md"
API = "docs/design/04_api.md"
ARCHITECTURE = "docs/design/05_architecture.md"
VERIFICATION_GUIDES = tuple(f"/guide/verification/phase{number}_verification.md" for number in (1, 2, 3))


def guide(folder: str, name: str) -> str:
    """The guide of that name, as prompts call it (D-08, D-13, D-17)."""
    return f"/guide/{folder}/{name}.md"


def _documented(folder: str, table: tuple[tuple[str, str], ...]) -> tuple[tuple[Step, ...], tuple[Document, ...]]:
    paths = {name: f"docs/{folder}/{name}.md" for name, _ in table}
    steps = tuple(Step(name, subject, paths[name], guide(folder, name), paths[name]) for name, subject in table)
    documents = tuple(Document(paths[name], LEAST, subject, guide(folder, name)) for name, subject in table)
    return steps, documents


_PLANNING_STEPS, _PLANNING_DOCUMENTS = _documented(PLANNING, _PLANNING)
_DESIGN_STEPS, _DESIGN_DOCUMENTS = _documented(DESIGN, _DESIGN)
_DEVELOPMENT_STEPS = tuple(Step(name, title, out, guide(DEVELOPMENT, name)) for name, title, out in _DEVELOPMENT)

CREATE_APP = Workflow(
    TaskType.CREATE_APP,
    "create a new application from scratch",
    (
        Phase(1, PLANNING, _PLANNING_STEPS, _PLANNING_DOCUMENTS, verification_guide=VERIFICATION_GUIDES[0]),
        Phase(2, DESIGN, _DESIGN_STEPS, _DESIGN_DOCUMENTS, verification_guide=VERIFICATION_GUIDES[1]),
        Phase(3, DEVELOPMENT, _DEVELOPMENT_STEPS, verification_guide=VERIFICATION_GUIDES[2], code=True),
        Phase(4, VERIFICATION, performer=Performer.VERIFIER),
    ),
    guides="all",
    start="blank",
    challenge="complete planning and design",
)
