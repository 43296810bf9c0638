"""The forms of replies in UAM: what an agent is told about its answer, and how the answer is read into a type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from andon.domain.assignment import ContractError
from andon.domain.grammar import Unreadable, read_number, read_object
from andon.domain.uam import commands, commits, graph, plan, replies
from andon.domain.uam.agents import REVIEW_CATEGORIES
from andon.domain.uam.gates import FEWEST_RUNS


@dataclass(frozen=True, slots=True)
class SectionsForm:
    """An analysis whose sections are checked (C-76)."""

    required: tuple[str, ...]
    retries: int = 1

    @property
    def instruction(self) -> str:
        return "Answer in Markdown with these sections, all of them:\n" + "\n".join(
            f"## {each}" for each in self.required
        )

    def parse(self, text: str) -> str:
        there = replies.headings(text)
        if missing := [each for each in self.required if replies.plain(each) not in there]:
            raise ContractError(f"sections are missing: {', '.join(missing)}")
        return text.strip()


@dataclass(frozen=True, slots=True)
class PlanForm:
    """PLAN.md itself. What breaks its grammar is told by line."""

    points: tuple[str, ...] = ()
    """Pivot points that it must refer to (C-19)."""
    retries: int = 2
    instruction: str = """Your whole answer is the document PLAN.md, in exactly this form, with these English keywords:
# PLAN: feature

## Summary
One or two sentences.

## Risk Assessment
- Overall: LOW|MED|HIGH
- Irreversible changes: none, or which

## TODOs

### [ ] TODO 1: title
- Description: what to do, naming the files it touches in backticks
- Dependencies: none
- Risk: LOW|MED|HIGH
- Estimated complexity: S|M|L
- Acceptance Criteria:
  - [A] `command that exits with 0 when it is done`
  - [S] what is tried as a user would
  - [H] what only a person can judge

### [ ] TODO 2: title
- Description: …
- Dependencies: TODO-1

## Test Strategy

### A-items (Agent-Verifiable)
- unit: `command`
- integration: `command`
- e2e: `command`

### S-items (Sandbox Agent Testing)
- scenario

### H-items (Human-Required)
- item

## Dependency Graph
TODO-1 → TODO-2

Every [A] has one command in backticks, which is run as it stands from the root of the repository. Leave out [S] and \
[H] where there is nothing to try or to judge. TODOs that do not depend on each other are built at the same time: give \
each its own files."""

    def parse(self, text: str) -> str:
        document = text[text.find("# PLAN:") :] if "# PLAN:" in text else text
        document = document.strip().removesuffix("```").strip() + "\n"
        found = plan.parse(document)
        wrong = [repr(each) for each in (*found.problems, *graph.cycles(found), *found.unrunnable)]
        wrong += [
            f"TODO {todo.number} is [{todo.state}]; a new plan has none done"
            for todo in found.todos
            if todo.state != " "
        ]
        if not wrong and not commands.frozen(found) and not found.for_people:
            wrong.append("no [A] names a command and no [H] is there: nothing could be judged")
        wrong += [f"the pivot point {point} is not referred to" for point in self.points if point not in document]
        if wrong:
            raise ContractError("; ".join(wrong[:12]))
        return document


@dataclass(frozen=True, slots=True)
class WorkerForm:
    """A worker's result (C-34). Its word on commands counts for nothing; what it learned is kept."""

    todo: str
    retries: int = 1

    @property
    def instruction(self) -> str:
        return f"""End your answer with one fenced JSON object, all keys of it:
```json
{{"todo_id": "{self.todo}", "status": "PASS|FAIL|PARTIAL",
 "outputs": {{"files_changed": ["path"], "summary": "…"}},
 "acceptance_criteria": [{{"id": "AC-1", "category": "functional", "command": "…", "expected_exit": 0, \
"actual_exit": 0, "status": "PASS", "output_snippet": "…"}}],
 "learnings": ["a pattern worth knowing"], "issues": ["what is left open"], "decisions": ["a decision, and why"]}}
```
Add `"discoveries": ["…"]` only if you found that the plan should change."""

    def parse(self, text: str) -> dict[str, Any]:
        if wrong := replies.worker_problems(text):
            raise ContractError("; ".join(wrong[:8]))
        found, _ = replies.worker_result(text)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Commit:
    message: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitsForm:
    """How the git-master groups what changed: every file in exactly one commit (C-63)."""

    files: tuple[str, ...]
    fewest: int
    history: tuple[str, ...] = ()
    """Subjects of the project's newest commits, whose style counts."""
    retries: int = 1

    @property
    def instruction(self) -> str:
        return f"""End your answer with one fenced JSON object: at least {self.fewest} commits, each file in one:
```json
{{"commits": [{{"message": "subject\\n\\nwhat and why", "files": ["path"]}}]}}
```"""

    def parse(self, text: str) -> tuple[Commit, ...]:
        found = _object(text)
        told = [_commit(each) for each in _list(found, "commits")]
        named = [path for commit in told for path in commit.files]
        if sorted(named) != sorted(self.files):
            odd = sorted({*named} ^ {*self.files}) or ["one of them is there twice"]
            raise ContractError(f"every changed file belongs to exactly one commit: {', '.join(odd[:5])}")
        if len(told) < self.fewest:
            raise ContractError(f"there must be at least {self.fewest} commits")
        if wrong := list(filter(None, (commits.out_of_style(each.message, self.history) for each in told))):
            raise ContractError("; ".join(wrong))
        return tuple(told)


@dataclass(frozen=True, slots=True)
class Review:
    critical: int
    warnings: int
    findings: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """All eight categories, and the findings as data (C-45). andon counts; the reviewer gives no verdict."""

    retries: int = 1

    @property
    def instruction(self) -> str:
        return (
            SectionsForm(REVIEW_CATEGORIES).instruction
            + """

End your answer with one fenced JSON object; `findings` is empty when there is nothing:
```json
{"findings": [{"severity": "critical|warning|note", "category": "Hidden Bugs", "file": "path", "line": 1, \
"problem": "…", "fix": "…"}]}
```
Critical is what must not be shipped; a warning is what should be mended; everything else is a note."""
        )

    def parse(self, text: str) -> Review:
        SectionsForm(REVIEW_CATEGORIES).parse(text)
        counts = {"critical": 0, "warning": 0, "note": 0}
        lines: list[str] = []
        found = _object(text)
        if "findings" not in found:
            raise ContractError("`findings` is missing; it is an empty list when there is nothing")
        for each in _list(found, "findings"):
            told = _mapping(each)
            severity = str(told.get("severity", "")).lower()
            if severity not in counts:
                raise ContractError(f"severity {severity!r} is none of {', '.join(counts)}")
            counts[severity] += 1
            place = f"{told.get('file', '')}:{told.get('line', '')}".strip(":")
            lines.append(f"{severity}: {place} {told.get('problem', '')} ({told.get('fix', '')})".replace("  ", " "))
        return Review(counts["critical"], counts["warning"], tuple(lines), text.strip())


@dataclass(frozen=True, slots=True)
class Scenario:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ScenariosForm:
    """One Gherkin scenario for each S-item (C-49)."""

    fewest: int
    retries: int = 1

    @property
    def instruction(self) -> str:
        return f"""Answer with at least {self.fewest} scenarios in Gherkin, each beginning with `Scenario: title` in a \
line of its own, followed by Given, When and Then steps that somebody with a shell can carry out and judge."""

    def parse(self, text: str) -> tuple[Scenario, ...]:
        parts = text.replace("```gherkin", "").replace("```", "").split("Scenario:")[1:]
        found = tuple(
            Scenario(part.strip().splitlines()[0].strip(), f"Scenario: {part.strip()}")
            for part in parts
            if part.strip()
        )
        if len(found) < self.fewest:
            raise ContractError(f"there must be at least {self.fewest} scenarios")
        if bad := [each.title for each in found if not all(word in each.text for word in ("Given", "When", "Then"))]:
            raise ContractError(f"Given, When and Then are not all there: {', '.join(bad)}")
        return found


@dataclass(frozen=True, slots=True)
class Tried:
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TriedForm:
    """Whether one run of a scenario came out as it should. Unreadable is not passed."""

    retries: int = 1
    instruction: str = """End your answer with one fenced JSON object; passed only if every Then was seen:
```json
{"passed": false, "steps": [{"step": "Then …", "seen": "what was printed"}], "reason": "one line"}
```"""

    def parse(self, text: str) -> Tried:
        found = _object(text)
        if not isinstance(found.get("passed"), bool):
            raise ContractError("`passed` must be true or false")
        if not _list(found, "steps"):
            raise ContractError("`steps` says what was seen, step by step")
        return Tried(bool(found["passed"]), str(found.get("reason", "")))


@dataclass(frozen=True, slots=True)
class ConflictsForm:
    """Which pivot points each discovery runs against (C-20)."""

    count: int
    retries: int = 1

    @property
    def instruction(self) -> str:
        return f"""End your answer with one fenced JSON object, one entry for each of {self.count} discoveries:
```json
{{"discoveries": [{{"conflicts_with": ["PP-1"], "reason": "one line"}}]}}
```"""

    def parse(self, text: str) -> tuple[tuple[int, ...], ...]:
        told = _list(_object(text), "discoveries")
        if len(told) != self.count:
            raise ContractError(f"there must be {self.count} entries")
        return tuple(_points(_mapping(each).get("conflicts_with", [])) for each in told)


@dataclass(frozen=True, slots=True)
class Points:
    """Pivot points as an interview found them, and what is still to be asked."""

    points: tuple[tuple[str, str], ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PointsForm:
    retries: int = 1
    instruction: str = """End your answer with one fenced JSON object. CONFIRMED is what the person said; PROVISIONAL \
is what you infer. `questions` has at most three, and none when nothing is open:
```json
{"points": [{"status": "CONFIRMED|PROVISIONAL", "text": "a constraint that must not change"}], "questions": ["…"]}
```"""

    def parse(self, text: str) -> Points:
        found = _object(text)
        points: list[tuple[str, str]] = []
        for each in _list(found, "points"):
            told = _mapping(each)
            if told.get("status") not in ("CONFIRMED", "PROVISIONAL") or not str(told.get("text", "")).strip():
                raise ContractError("every point has `status` CONFIRMED or PROVISIONAL, and `text`")
            points.append((str(told["status"]), " ".join(str(told["text"]).split())))
        return Points(tuple(points), tuple(str(each) for each in _list(found, "questions"))[:FEWEST_RUNS])


def _object(text: str) -> Mapping[str, Any]:
    found = read_object(text)
    if isinstance(found, Unreadable):
        raise ContractError(f"the JSON object at the end is missing: {found.problem}")
    return found


def _list(found: Mapping[str, Any], key: str) -> list[Any]:
    value = found.get(key, [])
    if not isinstance(value, list):
        raise ContractError(f"`{key}` must be a list")
    return cast("list[Any]", value)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ContractError("every entry is an object")
    return cast("Mapping[str, Any]", value)


def _commit(value: Any) -> Commit:
    told = _mapping(value)
    message = str(told.get("message", "")).strip()
    if not message:
        raise ContractError("a commit has no message")
    return Commit(message, tuple(str(path) for path in _list(told, "files")))


def _points(value: Any) -> tuple[int, ...]:
    names = cast("list[object]", value) if isinstance(value, list) else []
    numbers = (read_number(str(name).rpartition("-")[2]) for name in names)
    return tuple(number for number in numbers if number is not None)


REVIEW = ReviewForm()
PLAN = PlanForm()
TRIED = TriedForm()
POINTS = PointsForm()
