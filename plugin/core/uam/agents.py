"""The agents of UAM: who they are, what they may not use, who joins, and on which tier (C-23, C-32, C-69 to C-72).

A table and its look-ups. The Judge of Phase 3 is not among them: it is code.
"""

from __future__ import annotations

import re

from .convergence import SAME_ERROR

HAIKU, SONNET, OPUS = "haiku", "sonnet", "opus"
TIERS = (HAIKU, SONNET, OPUS)
WORKER_FORM = "JSON: worker"
"""In place of headings: the reply is the worker's JSON (C-34)."""

REVIEW_CATEGORIES = (
    "Side Effect Investigation",
    "Design Impact",
    "Structural Improvement",
    "API Contract Changes",
    "Integration Issues",
    "Hidden Bugs",
    "Security Concerns",
    "Production Readiness",
)
"""What a review of Gate 2 looks at, each of them (C-45)."""


class Agent:
    """One row of the catalogue. `required` names the headings its reply must have, where a session checks that."""

    __slots__ = ("forbidden", "name", "phases", "required", "role", "tier")

    def __init__(
        self,
        name: str,
        tier: str,
        forbidden: tuple[str, ...],
        phases: tuple[int, ...],
        role: str,
        required: tuple[str, ...],
    ) -> None:
        self.name = name
        self.tier = tier
        self.forbidden = forbidden
        self.phases = phases
        self.role = role
        self.required = required

    @property
    def writes(self) -> bool:
        return "Write" not in self.forbidden


_READER = ("Write", "Edit", "Task")
_THINKER = ("Write", "Edit", "Bash", "Task")

CATALOGUE = (
    Agent(
        "uam-explore",
        HAIKU,
        _READER,
        (1,),
        "Maps the code base: structure, files and symbols, patterns, tests.",
        ("Structure", "Files and Symbols", "Patterns", "Test Infrastructure"),
    ),
    Agent(
        "uam-gap-analyzer",
        HAIKU,
        _THINKER,
        (1,),
        "Finds what a task leaves out, where agents usually go wrong, and what must not be done.",
        ("Missing Requirements", "AI Pitfalls", "Must NOT Do", "Recommended Questions"),
    ),
    Agent(
        "uam-tradeoff-analyzer",
        SONNET,
        _THINKER,
        (1,),
        "Rates the risk of every change LOW, MED or HIGH, and names what cannot be undone.",
        ("Risk Ratings", "Irreversible Changes", "Alternatives", "Overall Risk"),
    ),
    Agent(
        "uam-verification-planner",
        SONNET,
        _THINKER,
        (1,),
        "Splits what is to be proved into A-, S- and H-items over four tiers of tests.",
        ("Test Infrastructure", "A-items", "S-items", "H-items", "Verification Gaps", "External Dependencies"),
    ),
    Agent(
        "uam-pm",
        OPUS,
        _THINKER,
        (1,),
        "Refines requirements into user stories and priorities by MoSCoW.",
        ("Requirements", "User Stories", "Priorities", "Pivot Points"),
    ),
    Agent(
        "uam-designer",
        SONNET,
        _THINKER,
        (1,),
        "Designs what people see: flows, components, states, accessibility.",
        ("User Flows", "Components", "States", "Accessibility"),
    ),
    Agent(
        "uam-researcher",
        SONNET,
        _READER,
        (1,),
        "Looks into technology that is new to the project: earlier work, libraries, their cost.",
        ("Findings", "Options", "Recommendation", "Sources"),
    ),
    Agent(
        "uam-worker",
        SONNET,
        ("Task",),
        (2, 4),
        "Implements one TODO, alone, and proves it by its commands.",
        (WORKER_FORM,),
    ),
    Agent(
        "uam-frontend",
        SONNET,
        ("Task",),
        (2, 4),
        "Implements one TODO of the user interface: components, styles, layout, accessibility.",
        (WORKER_FORM,),
    ),
    Agent(
        "uam-git-master",
        SONNET,
        _READER,
        (2, 5),
        "Makes atomic commits in the style of the project's history.",
        ("Style", "Commits"),
    ),
    Agent(
        "uam-code-reviewer",
        SONNET,
        ("Write", "Edit"),
        (3,),
        "Reviews the whole change in eight categories, with other models where there are any.",
        (*REVIEW_CATEGORIES, "Verdict"),
    ),
    Agent(
        "uam-debugger",
        SONNET,
        _READER,
        (4,),
        "Follows a failure backward through the call stack to its cause; says its type and severity.",
        ("Root Cause", "Bug Type", "Severity", "Recommended Fix"),
    ),
)
NAMES = tuple(agent.name for agent in CATALOGUE)

MANDATORY = ("uam-explore", "uam-gap-analyzer", "uam-pm", "uam-verification-planner")
"""Step 1 of Phase 1 is not over without each of them (C-70)."""
ANALYSIS = "uam-tradeoff-analyzer"
"""Step 2, with the results of Step 1 (C-24)."""
RESEARCHER, DESIGNER = "uam-researcher", "uam-designer"
WORKER, FRONTEND = "uam-worker", "uam-frontend"

# Latin words end where a Korean particle begins ("css를"), so the borders are those of ASCII.
_LATIN = r"(?<![A-Za-z0-9_])(?:{})(?![A-Za-z0-9_])"
_OF_A_SCREEN = "ui|css|components?|styles?|layouts?|pages?|accessibility|react|vue|html|front-?end"
_OF_A_SCREEN_KO = "화면|컴포넌트|스타일|레이아웃|페이지(?!네이션|징)|접근성|리액트|프론트엔드|프런트엔드"
_OF_DESIGN = "ux|screens?|buttons?|dialogs?|modals?|menus?|themes?|dark mode|dashboards?|wireframes?|responsive"
_OF_DESIGN_KO = "버튼|디자인|다이얼로그|모달|메뉴|테마|다크 ?모드|대시보드|반응형"
_OF_TECHNOLOGY = (
    r"librar(?:y|ies)|frameworks?|sdks?|third[- ]part(?:y|ies)|technolog(?:y|ies)|introduc(?:e|es|ing)|adopt(?:s|ing)?"
    r"|evaluat(?:e|es|ing)|research|(?:migrat(?:e|es|ing)|switch(?:es|ing)?|mov(?:e|es|ing)|upgrad(?:e|es|ing)) to"
)
_OF_TECHNOLOGY_KO = "라이브러리|프레임워크|도입|신기술|새(?:로운)? 기술|기술 조사|기술 스택|외부 (?:연동|서비스)"

_VAGUE = r"somehow|something|better|nicer|improve|clean ?up|overhaul|etc|and so on|as needed|whatever|any|various|maybe"
_VAGUE_KO = "적당히|알아서|개선|정리|등등|좀 더|어떻게든|대충"
_OF_THE_WHOLE = (
    r"whole|entire|everywhere|across|all (?:modules|files|services|packages)|system[- ]wide|code ?base|architecture"
)
_OF_THE_WHOLE_KO = "전체|모든 (?:모듈|파일|서비스)|시스템|아키텍처|코드베이스"
_OF_ARCHITECTURE = r"architecture|refactor(?:ing|s)?|restructur(?:e|es|ing)|redesign|migrat(?:e|es|ion|ing)|rewrite"
_OF_ARCHITECTURE_KO = "아키텍처|리팩터링|리팩토링|재설계|구조 변경|재작성"
_OF_RISK = (
    r"security|auth\w*|password|secret|token|permission|crypto\w*|encrypt\w*|api|public interface|compatib\w*|breaking"
)
_OF_RISK_KO = "보안|인증|권한|비밀번호|암호|토큰|호환|API"

_FRONTEND = re.compile(f"{_LATIN.format(_OF_A_SCREEN)}|{_OF_A_SCREEN_KO}", re.IGNORECASE)
_DESIGN = re.compile(
    f"{_LATIN.format(f'{_OF_A_SCREEN}|{_OF_DESIGN}')}|{_OF_A_SCREEN_KO}|{_OF_DESIGN_KO}", re.IGNORECASE
)
_TECHNOLOGY = re.compile(f"{_LATIN.format(_OF_TECHNOLOGY)}|{_OF_TECHNOLOGY_KO}", re.IGNORECASE)

_AMBIGUOUS = re.compile(f"{_LATIN.format(_VAGUE)}|{_VAGUE_KO}", re.IGNORECASE)
_SYSTEM = re.compile(f"{_LATIN.format(_OF_THE_WHOLE)}|{_OF_THE_WHOLE_KO}", re.IGNORECASE)
_ARCHITECTURE = re.compile(f"{_LATIN.format(_OF_ARCHITECTURE)}|{_OF_ARCHITECTURE_KO}", re.IGNORECASE)
_SENSITIVE = re.compile(f"{_LATIN.format(_OF_RISK)}|{_OF_RISK_KO}", re.IGNORECASE)
FEW_WORDS = 4


def is_ambiguous(task: str) -> bool:
    """Too few words to know what is wanted, or words that leave it open."""
    return len(task.split()) < FEW_WORDS or bool(_AMBIGUOUS.search(task))


def is_system_wide(task: str) -> bool:
    return bool(_SYSTEM.search(task))


def changes_architecture(todo: str) -> bool:
    return bool(_ARCHITECTURE.search(todo))


def is_sensitive(text: str) -> bool:
    """Where security or the compatibility of an API matters."""
    return bool(_SENSITIVE.search(text))


def agent(name: str) -> Agent:
    """By its name, with the plugin's before it or without."""
    found = next((each for each in CATALOGUE if each.name == name.rpartition(":")[2]), None)
    if found is None:
        raise ValueError(f"UAM has no agent {name}")
    return found


def optional(task: str) -> tuple[str, ...]:
    """Who joins the first step beside the four that always do: by the words of the task (C-23)."""
    researcher = (RESEARCHER,) if _TECHNOLOGY.search(task) else ()
    return (*researcher, *((DESIGNER,) if _DESIGN.search(task) else ()))


def explorers(task: str) -> tuple[str, ...]:
    """Everyone of Step 1, side by side."""
    return (*MANDATORY, *optional(task))


def worker_for(todo: str) -> str:
    """Who implements a TODO, by the words of its title and description (C-32, G-15)."""
    return FRONTEND if _FRONTEND.search(todo) else WORKER


def tier_of(
    name: str,
    *,
    ambiguous: bool = False,
    system_wide: bool = False,
    complexity: str = "",
    architecture: bool = False,
    sensitive: bool = False,
    same_error: int = 0,
    stagnating: bool = False,
    chosen: str = "",
) -> str:
    """The tier of one call. Conditions raise exactly the agents they are about (C-72); what was `chosen` for this call
    counts before all (C-71).

    `ambiguous` requirements, a change that is `system_wide`; a TODO's `complexity` and whether it changes the
    `architecture`; a review where security or API compatibility matters is `sensitive`; the `same_error` so many
    times, or `stagnating` pass rates.
    """
    if chosen:
        if chosen not in TIERS:
            raise ValueError(f"{chosen} is none of {', '.join(TIERS)}")
        return chosen
    raised = {
        "uam-pm": ambiguous or system_wide,
        ANALYSIS: ambiguous or system_wide,
        WORKER: complexity == "L" and architecture,
        "uam-code-reviewer": sensitive,
        "uam-debugger": same_error >= SAME_ERROR or stagnating,
    }
    found = agent(name)
    return OPUS if raised.get(found.name) else found.tier
