"""From a role of a team to its prompt, in six steps: 5-1 to 5-6 (B-35 to B-39)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from andon.domain.teams.categories import AGENT, TECH, category
from andon.domain.teams.tables import BUILT_IN, Expert, Tables
from andon.domain.teams.units import AgentType

ACT = (
    "<default_to_action>\nDo it, do not only propose it. Where something is not said, take the likeliest meaning.\n"
    "</default_to_action>"
)
INVESTIGATE = (
    "<investigate_before_answering>\nOpen what you speak of before you say anything about it. Change nothing.\n"
    "</investigate_before_answering>"
)


@dataclass(frozen=True, slots=True)
class Role:
    """Who does what in a team, before it has a prompt."""

    name: str
    description: str
    tasks: tuple[str, ...]
    type: AgentType
    category: str
    team: str
    """The team's id."""
    purpose: str = ""
    """Of the team, in a sentence."""
    writes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What a step of the pipeline was given, and what it made of that."""

    number: str
    name: str
    given: str
    made: str


@dataclass(frozen=True, slots=True)
class Prompt:
    role: str
    purpose: str
    domain: str
    expert: Expert
    expanded: tuple[str, ...]
    text: str
    steps: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        made = {"role": self.role, "purpose": self.purpose, "domain": self.domain, "expert": self.expert.name}
        steps = [
            {"step": each.number, "name": each.name, "given": each.given, "made": each.made} for each in self.steps
        ]
        return made | {"expanded": list(self.expanded), "steps": steps, "text": self.text}


def prompt(role: Role, tables: Tables = BUILT_IN) -> Prompt:
    """Steps 5-1 to 5-5 for one role. 5-6 looks at all of them together: `quick_review`."""
    first = f"{role.name} {role.description}"
    purpose = detect_purpose(first, role.category, tables)
    tasks = "; ".join(role.tasks)
    second = f"{tasks} {role.purpose}".strip()
    domain, expert = resolve_expert(second, role.category, tables)
    expanded = expand(tasks, purpose, tables)
    action = ACT if role.type is AgentType.GENERAL else INVESTIGATE
    steps = (
        Step("5-1", "Purpose Detection", first, purpose),
        Step("5-2", "Expert Priming", second, f"{domain}: {expert.name}"),
        Step("5-3", "Task Expansion", tasks, "; ".join(expanded)),
        Step("5-4", "Context Engineering", tasks, "; ".join(tables.checklist)),
        Step("5-5", "Claude Optimization", role.type.value, action.splitlines()[0].strip("<>")),
    )
    text = "\n\n".join((role_block(role, expert), _tasks(role, expanded), _checklist(role, tables), action))
    return Prompt(role.name, purpose, domain, expert, expanded, text, steps)


def detect_purpose(text: str, category_name: str, tables: Tables = BUILT_IN) -> str:
    """By the words of the role; by its category where they say nothing (B-37)."""
    words = re.findall(r"\w+", text.casefold().replace("_", " "))
    counted = {purpose: sum(_speaks(word, known) for word in words) for purpose, known in tables.purposes.items()}
    best = max(counted, key=lambda purpose: counted[purpose], default=AGENT)
    if counted.get(best):
        return best
    found = category(category_name, tables.categories)
    return found.purpose if found else AGENT


def _speaks(word: str, known: Sequence[str]) -> bool:
    return any(
        word == each or (len(each) > 3 and word.startswith(each)) or (not each.isascii() and each in word)
        for each in known
    )


def resolve_expert(text: str, category_name: str, tables: Tables = BUILT_IN) -> tuple[str, Expert]:
    """The domain of the category, and whoever stands for it there."""
    found = category(category_name, tables.categories)
    domain = found.domain if found else TECH
    known = tables.experts.get(domain) or tables.experts.get(TECH)
    return domain, known or Expert("an experienced engineer", ("small steps", "measured results"))


def expand(tasks: str, purpose: str, tables: Tables = BUILT_IN) -> tuple[str, ...]:
    """What the task means in full: by words in it, then by its purpose."""
    words = tasks.casefold()
    by_word = [line for word, lines in tables.details.items() if word in words for line in lines]
    return tuple(dict.fromkeys((*by_word, *tables.expansions.get(purpose, ()))))


def role_block(role: Role, expert: Expert) -> str:
    """Who is spoken to (B-39)."""
    frameworks = " and ".join(expert.frameworks)
    return (
        f"<role>\nYou work as {expert.name} would, with {frameworks} in mind, as the worker {role.name} of the team "
        f"{role.team}.\n</role>"
    )


def _tasks(role: Role, expanded: Sequence[str]) -> str:
    told = [f"- {each}" for each in role.tasks]
    return "\n".join(("<task>", *told, "", "In full:", *(f"- {each}" for each in expanded), "</task>"))


def _checklist(role: Role, tables: Tables) -> str:
    own = f"You may write: {', '.join(role.writes)}." if role.writes else "You write no file of the project."
    return "\n".join(("<rules>", *(f"- {each}" for each in (*tables.checklist, own)), "</rules>"))


# --- 5-6 ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Remark:
    """What one of three reviewers says about a team, and what was done about it."""

    reviewer: str
    roles: tuple[str, ...]
    text: str
    blocks: bool = False
    """The team cannot work like this."""


def quick_review(roles: Sequence[Role]) -> tuple[Remark, ...]:
    """Three looks at all roles together: who owns which file, who does the same work, who has nothing to do."""
    return (*_ownership(roles), *_duplication(roles), *_scope(roles))


def _ownership(roles: Sequence[Role]) -> list[Remark]:
    owners: Mapping[str, list[str]] = defaultdict(list)
    for role in roles:
        for path in role.writes:
            owners[path].append(role.name)
    shared = {path: names for path, names in owners.items() if len(names) > 1}
    return [
        Remark("ownership", tuple(names), f"{path} is written by {' and '.join(names)}", blocks=True)
        for path, names in shared.items()
    ]


def _duplication(roles: Sequence[Role]) -> list[Remark]:
    doing: Mapping[str, list[str]] = defaultdict(list)
    for role in roles:
        for task in role.tasks:
            doing[re.sub(r"[\W_]+", " ", task.casefold()).strip()].append(role.name)
    same = {task: names for task, names in doing.items() if len(names) > 1}
    return [
        Remark("duplication", tuple(names), f"{' and '.join(names)} do the same: {task}")
        for task, names in same.items()
    ]


def _scope(roles: Sequence[Role]) -> list[Remark]:
    idle = [Remark("scope", (role.name,), f"{role.name} has no task", blocks=True) for role in roles if not role.tasks]
    mute = [
        Remark("scope", (role.name,), f"{role.name} may write, and is not told which files")
        for role in roles
        if role.type is AgentType.GENERAL and not role.writes and role.tasks
    ]
    return idle + mute
