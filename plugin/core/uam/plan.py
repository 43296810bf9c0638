"""PLAN.md, whose check boxes are the truth: reading it, saying where it is not as it should be, checking a box.

A person may edit the file at any time. What is not understood is told with its line and stays where it is.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN, DONE, FAILED = " ", "x", "FAILED"
KINDS = ("A", "S", "H")
"""Agent-verifiable by a command, sandbox agent testing, human-required (C-22)."""
RISKS = ("LOW", "MED", "HIGH")
COMPLEXITIES = ("S", "M", "L")
TRANSITIONS = ((OPEN, DONE), (OPEN, FAILED), (FAILED, DONE))

_HEADING = re.compile(r"^### \[( |x|FAILED)\] TODO[ -](\d{1,9}): *(\S.*?) *$")
_LIKE_A_HEADING = re.compile(r"^\s*#{1,6} *\[")
_FIELD = re.compile(r"^- (Description|Dependencies|Risk|Estimated complexity|Acceptance Criteria): *(.*?) *$")
_CRITERION = re.compile(r"^ +- \[(\w+)\] +(\S.*?) *$")
_ITEM = re.compile(r"^- +(\S.*?) *$")
_REFERENCE = re.compile(r"TODO[ -](\d{1,9})(?!\d)")
_COMMAND = re.compile(r"`([^`]+)`")
_ITEMS = {
    "A-items (Agent-Verifiable)": "A",
    "S-items (Sandbox Agent Testing)": "S",
    "H-items (Human-Required)": "H",
}


class Problem:
    """A line that is not as the grammar wants it."""

    __slots__ = ("line", "reason")

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason

    def __repr__(self) -> str:
        return f"line {self.line}: {self.reason}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and (self.line, self.reason) == (other.line, other.reason)

    __hash__ = None  # type: ignore[assignment]


class Criterion:
    """One acceptance criterion of a TODO."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text

    @property
    def command(self) -> str:
        """What is run to judge it; "" when it names no command."""
        found = _COMMAND.search(self.text) if self.kind == "A" else None
        return found[1].strip() if found else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Criterion) and (self.kind, self.text) == (other.kind, other.text)

    __hash__ = None  # type: ignore[assignment]


class Todo:
    __slots__ = ("complexity", "criteria", "dependencies", "description", "line", "number", "risk", "state", "title")

    def __init__(self, number: int, title: str, state: str = OPEN, line: int = 0) -> None:
        self.number = number
        self.title = title
        self.state = state
        self.line = line
        self.description = ""
        self.dependencies: tuple[int, ...] = ()
        self.risk = ""
        self.complexity = ""
        self.criteria: list[Criterion] = []

    @property
    def id(self) -> str:
        return f"TODO-{self.number}"

    def commands(self) -> list[str]:
        return [criterion.command for criterion in self.criteria if criterion.command]

    def is_like(self, other: Todo | None) -> bool:
        """Whether it is the same work, reworded or measured otherwise: numbers may come to mean another."""
        if other is None:
            return False
        return self.title == other.title or (bool(self.commands()) and self.commands() == other.commands())


class Plan:
    __slots__ = ("edges", "feature", "irreversible", "items", "problems", "risk", "summary", "todos", "unrunnable")

    def __init__(self) -> None:
        self.feature = ""
        self.summary = ""
        self.risk = ""
        self.irreversible = ""
        self.todos: list[Todo] = []
        self.items: dict[str, list[str]] = {kind: [] for kind in KINDS}
        """The test strategy: A is tiers 1 to 3, S is tier 4 (C-73)."""
        self.edges: list[tuple[int, int]] = []
        self.problems: list[Problem] = []
        self.unrunnable: list[Problem] = []
        """A-items that name no command, which nobody can measure."""

    def todo(self, number: int) -> Todo | None:
        return next((todo for todo in self.todos if todo.number == number), None)

    @property
    def needs_scenarios(self) -> bool:
        """Whether anything is to be tried as a user would (C-49)."""
        return bool(self.for_users)

    @property
    def for_users(self) -> list[str]:
        """What is to be tried so."""
        return self._of_kind("S")

    @property
    def for_people(self) -> list[str]:
        """What a person has to confirm (C-66)."""
        return self._of_kind("H")

    def _of_kind(self, kind: str) -> list[str]:
        """The items of the test strategy and of all TODOs, each once."""
        criteria = (each.text for todo in self.todos for each in todo.criteria if each.kind == kind)
        return list(dict.fromkeys((*self.items[kind], *criteria)))


def counts(text: str) -> tuple[int, int, int]:
    """How many TODOs are open, done and failed, by their headings alone (C-28)."""
    states = [found[1] for _, line in _lines(text) if (found := _HEADING.match(line))]
    return states.count(OPEN), states.count(DONE), states.count(FAILED)


def misspelt(text: str) -> list[Problem]:
    """Headings that look like a TODO's and are none: they would stop a phase for ever (C-89)."""
    return [
        Problem(number, f"not a TODO's heading: {line.strip()[:80]!r}; write `### [ ] TODO 1: title`")
        for number, line in _lines(text)
        if _LIKE_A_HEADING.match(line) and not _HEADING.match(line)
    ]


def marked(text: str, number: int, state: str, *, claimed: bool = False) -> str:
    """The same text with one box set; every other character stays as a person left it (C-29). A tick that is only
    claimed counts as an open box."""
    lines = text.splitlines(keepends=True)
    for at, line in _lines(text):
        found = _HEADING.match(line)
        if found and int(found[2]) == number:
            if found[1] == state:
                return text
            before = OPEN if claimed and found[1] == DONE else found[1]
            if (before, state) not in TRANSITIONS:
                raise ValueError(f"TODO {number} is [{found[1]}] and cannot become [{state}]")
            lines[at - 1] = lines[at - 1].replace(f"[{found[1]}]", f"[{state}]", 1)
            return "".join(lines)
    raise ValueError(f"PLAN.md has no TODO {number}")


def boxed(text: str, boxes: dict[int, str]) -> str:
    """The same text as it was when only these boxes were set, whatever became of the others since."""
    lines = text.splitlines(keepends=True)
    for at, line in _lines(text):
        if found := _HEADING.match(line):
            lines[at - 1] = lines[at - 1].replace(f"[{found[1]}]", f"[{boxes.get(int(found[2]), OPEN)}]", 1)
    return "".join(lines)


def parse(text: str) -> Plan:
    """Never raises: what is wrong stands in `problems`, in the order of lines."""
    plan = Plan()
    reader = _Reader(plan)
    for number, line in _lines(text):
        reader.read(number, line)
    _judge(plan)
    plan.problems.sort(key=lambda problem: problem.line)
    return plan


class _Reader:
    """Knows under which headings a line stands."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._section = ""
        self._kind = ""
        self._todo: Todo | None = None
        self._criteria = False

    def read(self, number: int, line: str) -> None:
        if found := _HEADING.match(line):
            self._begin(number, found)
        elif _LIKE_A_HEADING.match(line):
            self._todo = None
            self._plan.problems.append(misspelt("\n" * (number - 1) + line)[0])
        elif line.startswith("# PLAN:"):
            self._plan.feature = line[7:].strip()
        elif line.startswith("## "):
            self._section, self._kind, self._todo = line[3:].strip(), "", None
        elif line.startswith("### "):
            self._kind, self._todo = _ITEMS.get(line[4:].strip(), ""), None
        elif line.strip():
            self._under(number, line)

    def _begin(self, number: int, found: re.Match[str]) -> None:
        self._todo = Todo(int(found[2]), found[3], found[1], number)
        self._criteria = False
        if self._plan.todo(self._todo.number):
            self._plan.problems.append(Problem(number, f"TODO {self._todo.number} stands there twice"))
        self._plan.todos.append(self._todo)

    def _under(self, number: int, line: str) -> None:
        if self._todo is not None:
            self._field(number, line, self._todo)
        elif self._kind and (item := _ITEM.match(line)):
            self._plan.items[self._kind].append(item[1])
            self._runnable(number, Criterion(self._kind, item[1]))
        elif self._section == "Summary":
            self._plan.summary = f"{self._plan.summary} {line.strip()}".strip()
        elif self._section == "Risk Assessment":
            self._risk(number, line)
        elif self._section == "Dependency Graph":
            chain = [int(found) for found in _REFERENCE.findall(line)]
            self._plan.edges += [*pairwise(chain)]

    def _runnable(self, number: int, item: Criterion) -> None:
        if item.kind == "A" and not item.command:
            self._plan.unrunnable.append(Problem(number, f"[A] names no command in backticks: {item.text[:80]}"))

    def _risk(self, number: int, line: str) -> None:
        name, _, value = line.lstrip("- ").partition(":")
        if name == "Overall":
            self._plan.risk = value.strip()
            if self._plan.risk not in RISKS:
                self._plan.problems.append(Problem(number, f"Overall is one of {', '.join(RISKS)}"))
        elif name == "Irreversible changes":
            self._plan.irreversible = value.strip()

    def _field(self, number: int, line: str, todo: Todo) -> None:
        if self._criteria and (found := _CRITERION.match(line)):
            if found[1] not in KINDS:
                self._plan.problems.append(Problem(number, f"[{found[1]}] is none of [A], [S] and [H]"))
            todo.criteria.append(Criterion(found[1], found[2]))
            self._runnable(number, todo.criteria[-1])
            return
        field = _FIELD.match(line)
        self._criteria = bool(field and field[1] == "Acceptance Criteria")
        if field is None:
            return
        value = field[2]
        match field[1]:
            case "Description":
                todo.description = value
            case "Dependencies":
                todo.dependencies = tuple(int(each) for each in _REFERENCE.findall(value))
                if not todo.dependencies and value != "none":
                    self._plan.problems.append(Problem(number, "Dependencies is `none` or names TODO-1, TODO-2 …"))
            case "Risk":
                todo.risk = value
                if value not in RISKS:
                    self._plan.problems.append(Problem(number, f"Risk is one of {', '.join(RISKS)}"))
            case "Estimated complexity":
                todo.complexity = value
                if value not in COMPLEXITIES:
                    self._plan.problems.append(
                        Problem(number, f"Estimated complexity is one of {', '.join(COMPLEXITIES)}")
                    )
            case _:
                pass


def _judge(plan: Plan) -> None:
    if not plan.feature:
        plan.problems.append(Problem(1, "the first line is `# PLAN: feature`"))
    if not plan.todos:
        plan.problems.append(Problem(1, "there is no TODO"))
    known = {todo.number for todo in plan.todos}
    for todo in plan.todos:
        for number in todo.dependencies:
            if number not in known:
                plan.problems.append(
                    Problem(todo.line, f"TODO {todo.number} depends on TODO-{number}, which is not there")
                )
        if not todo.criteria:
            plan.problems.append(Problem(todo.line, f"TODO {todo.number} has no acceptance criteria"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered, without what is quoted in a fence: an example is no plan; nor is the mark with which some editors begin
    a file."""
    fenced = False
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def written(plan: Plan) -> str:
    """A plan in its canonical form."""
    parts = [f"# PLAN: {plan.feature}", f"## Summary\n{plan.summary}"]
    parts.append(f"## Risk Assessment\n- Overall: {plan.risk}\n- Irreversible changes: {plan.irreversible}")
    parts.append("## TODOs")
    parts += [written_todo(todo) for todo in plan.todos]
    parts.append("## Test Strategy")
    parts += ["\n".join((f"### {name}", *(f"- {item}" for item in plan.items[kind]))) for name, kind in _ITEMS.items()]
    graph = "\n".join(f"TODO-{before} → TODO-{after}" for before, after in plan.edges)
    parts.append(f"## Dependency Graph\n{graph}".rstrip())
    return "\n\n".join(parts) + "\n"


def written_todo(todo: Todo) -> str:
    dependencies = ", ".join(f"TODO-{number}" for number in todo.dependencies) or "none"
    lines = [
        f"### [{todo.state}] TODO {todo.number}: {todo.title}",
        f"- Description: {todo.description}",
        f"- Dependencies: {dependencies}",
        f"- Risk: {todo.risk}",
        f"- Estimated complexity: {todo.complexity}",
        "- Acceptance Criteria:",
        *(f"  - [{each.kind}] {each.text}" for each in todo.criteria),
    ]
    return "\n".join(lines)
