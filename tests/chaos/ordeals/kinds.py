"""The kinds of runs that are put through an ordeal: a repository, scripted agents, and what a person does meanwhile.

Every kind ends in one definite way however often its orchestrator is killed, and that is what makes it comparable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ordeals import crew, sprint
from ordeals.rules import Rule, agent, sleep, write

TASK = "Add first"
PLAN_PATH = "docs/01-plan/add-first.plan.md"
REPORT_PATH = "docs/04-report/add-first.report.md"
STAY = "stay"
"""A file the executor of `stopped` leaves as a sign that it is at work."""

PROJECT = {
    "pyproject.toml": '[project]\nname = "tally"\nversion = "1"\nrequires-python = ">=3.11"\n',
    "src/tally/__init__.py": '"""Words."""\n\n\ndef words(text: str) -> list[str]:\n    return text.split()\n',
    "tests/test_words.py": (
        "from tally import words\n\n\ndef test_text_falls_into_words() -> None:\n"
        '    assert words("a b") == ["a", "b"]\n'
    ),
}
SOURCE = PROJECT["src/tally/__init__.py"] + (
    "\n\ndef first(text: str) -> str:\n    return text.split()[0] if text.split() else ''\n"
)
TESTS = (
    "from tally import first, words\n\n\ndef test_text_falls_into_words() -> None:\n"
    '    assert words("a b") == ["a", "b"]\n\n\n'
    "def test_the_first_word() -> None:\n    assert first(\"a b\") == 'a'\n    assert first('') == ''\n"
)
MORE_TESTS = "from tally import first\n\n\ndef test_more() -> None:\n    assert first(' b a') == 'b'\n"
SLOW_TEST = (
    "import time\n\nfrom tally import first\n\n\ndef test_slow() -> None:\n"
    "    time.sleep(1)\n    assert first('c d') == 'c'\n"
)
PLAN = """# Plan: the first word

## Background
A caller who wants the first word has to split and index, and an empty text then fails.

## Scope
- `first(text)` returns the first word, or nothing for a text without words.
- Not in scope: punctuation, other separators than white space.

## Affected files
- `src/tally/__init__.py`
- `tests/test_words.py`

## Acceptance criteria
- `first("a b")` is `"a"`.
- `first("")` is `""`.

## Risks
- A text of nothing but white space has no word: the empty string is returned.
"""
SCOUTING = """One module and its tests. The new function belongs beside `words()`.
```json
{"files": ["src/tally/__init__.py"], "files_reason": "one module", "new_pattern": false, "pattern_reason": "a function",
 "new_dependency": false, "dependency_reason": "none", "modules": ["tally"], "modules_reason": "one package"}
```
"""


IMPLEMENTS = (write("src/tally/__init__.py", SOURCE), write("tests/test_words.py", TESTS))
WRITES_PLAN = write(PLAN_PATH, PLAN)
USUAL = (
    agent("doc-analyst", reply=SCOUTING),
    agent("issue-analyst", reply="none"),
    agent("planner", WRITES_PLAN),
    agent("executor", *IMPLEMENTS),
    agent("verifier", reply="VERDICT: APPROVE\nBoth criteria hold."),
    agent("fixer", write("tests/test_more.py", MORE_TESTS)),
    agent("reporter", write(REPORT_PATH, "# Report: the first word\n\n## Plan\nOne function.\n")),
)
BIGGER = SCOUTING.replace('"new_pattern": false', '"new_pattern": true').replace(
    '"new_dependency": false', '"new_dependency": true'
)
"""Two points: STANDARD. With the two below, HEAVY."""
BIGGEST = BIGGER.replace('["src/tally/__init__.py"]', '["a", "b", "c"]').replace('["tally"]', '["tally", "tests"]')
THOROUGH_PLAN = PLAN.replace(
    "## Risks",
    "## Edge cases\n- Empty text: the empty string.\n- White space only: the empty string.\n\n## Risks",
)
DESIGN = """# Design: the first word

## Target files
{files}

## Interfaces
`def first(text: str) -> str`

## Data flow
Input: a text. Output: its first word, or the empty string.

## Test strategy
pytest: a word, no word.
{more}"""
ONE_FILE = DESIGN.format(files="- `src/tally/__init__.py`\n- `tests/test_words.py`", more="")
TWO_AREAS = DESIGN.format(
    files="- `src/tally/left/__init__.py` (new)\n- `src/tally/right/__init__.py` (new)",
    more="\n## Work items\n- left: `src/tally/left/`\n- right: `src/tally/right/`\n",
)


def document(text: str) -> Rule:
    return {"write": {"path": "{document}", "text": text}}


def completed(review: str = "Small and tested.") -> str:
    told = {"iterations": 1, "files_changed": ["src/tally/__init__.py"], "self_review": review}
    told |= {"test_results": "2 passed", "build_results": "none", "lint_results": "clean"}
    return f"IMPLEMENTATION_COMPLETED: {json.dumps(told)}"


def area(name: str, *more: Rule) -> Rule:
    text = f'"""The {name} side."""\n\n\ndef {name}() -> str:\n    return "{name}"\n'
    return agent(f"impl-{name}", write(f"src/tally/{name}/__init__.py", text), *more, reply=completed())


THOROUGH = (
    {"match": {"name": "planner*"}, "template": True, "do": [document(THOROUGH_PLAN)], "reply": "Planned."},
    agent("critic*", reply="VERDICT: APPROVE\nQG1: PASS"),
    agent("arch-*", reply="Feasible."),
    agent("impl-verifier", reply="VERDICT: APPROVE\nDOMAIN: other"),
    agent("gap-checker", reply="GAP: 97%"),
    agent("quality-checker", reply='```json\n{"findings": []}\n```'),
)
"""Whoever STANDARD and HEAVY have besides."""


def designer(text: str) -> Rule:
    return {"match": {"name": "design-writer"}, "template": True, "do": [document(text)], "reply": "Designed."}


@dataclass(frozen=True)
class Kind:
    name: str
    status: str
    reason: str
    rules: tuple[Rule, ...] = ()
    """Before the usual ones, so that they win."""
    door: tuple[str, ...] = ("auto",)
    options: tuple[str, ...] = ()
    """Of `andon auto`, or whichever door it is."""
    asked: str = TASK
    """What the door is given."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """That the repository has besides."""
    shuffled: bool = False
    """Workers end in any order, and what follows from each has its place by that: a kill may change it, and nothing
    else. See story.py for what is then compared."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a person answers, by the question's text."""
    stop: bool = False
    """A person stops the run once the file `stay` is in its worktree, and resumes it afterwards."""
    resumed: tuple[str, ...] | None = None
    """Options of the `andon resume` a person types when the run has ended for the first time; None: nobody does."""

    runtime: str = "scripted"
    """Any other is the real agent program; a model server on loopback then plays the scenario."""
    fork: int = 0
    """The step from which a person forks the run when it is done; the fork is then what counts."""

    @property
    def scenario(self) -> dict[str, Any]:
        usage = {"input_tokens": 1200, "output_tokens": 300, "money": 0.004}
        return {"scenario": 1, "defaults": {"usage": usage}, "rules": [*self.rules, *USUAL]}


KINDS = (
    Kind("plain", "done", "goal_met"),
    Kind(
        "rejected",
        "done",
        "goal_met",
        rules=(agent("verifier", reply="VERDICT: REJECT\nA test is missing.", call=1),),
    ),
    Kind(
        "asked",
        "done",
        "goal_met",
        rules=(
            {
                "match": {"name": "executor"},
                "template": True,
                "do": [
                    *IMPLEMENTS,
                    {"ask": {"question": "Which colour?", "options": ["red", "blue"], "default": "red"}},
                    sleep(0.3),
                    write("colour.txt", "{answer}\n"),
                    {"ask": {"question": "And how bright?"}},
                    write("brightness.txt", "{answer}\n"),
                ],
                "reply": "Done as you said.",
            },
        ),
        answers={"Which colour?": "blue", "And how bright?": "very"},
    ),
    Kind("budget", "needs_user", "budget", options=("--budget-tokens", "4000"), resumed=()),
    Kind(
        "budget-raised",
        "done",
        "goal_met",
        options=("--budget-tokens", "4000"),
        resumed=("--budget-tokens", "100000"),
    ),
    Kind(
        "qa-failed",
        "failed",
        "qa_failed",
        rules=(agent("executor", *IMPLEMENTS, write("tests/test_wrong.py", "def test_wrong():\n    assert False\n")),),
    ),
    Kind(
        "crashing",
        "done",
        "goal_met",
        rules=(
            agent("planner", {"garbage": {"bytes": 2000}}, reply=None, attempt=1),
            agent("executor", write("half.py", "def half("), {"crash": {"signal": "SEGV"}}, reply=None, attempt=1),
            agent("executor", sleep(0.3), *IMPLEMENTS, attempt=2),
        ),
    ),
    Kind(
        "slow",
        "done",
        "goal_met",
        rules=(
            agent("doc-analyst", sleep(0.5), reply=SCOUTING),
            agent("planner", sleep(0.5), WRITES_PLAN, sleep(0.2)),
            agent(
                "executor",
                *IMPLEMENTS,
                write("tests/test_slow.py", SLOW_TEST),
                sleep(1.0),
                write("last.txt", "written last\n"),
            ),
        ),
    ),
    Kind(
        "trespassing",
        "done",
        "goal_met",
        rules=(
            agent("planner", WRITES_PLAN, write("docs/01-plan/stray.md", "not mine\n"), attempt=1),
            agent("planner", sleep(0.8), WRITES_PLAN, attempt=2),
        ),
    ),
    Kind(
        "failing",
        "failed",
        "teammate_crashed",
        rules=(
            agent("doc-analyst", sleep(0.3), {"crash": {"code": 3}}, reply=None),
            agent("issue-analyst", sleep(1.5), reply="none"),
        ),
    ),
    Kind(
        "limited",
        "done",
        "goal_met",
        rules=(agent("executor", {"rate_limit": {"resets_in": 1}}, reply=None, attempt=1),),
    ),
    Kind("forked", "done", "goal_met", fork=10),
    Kind(
        "standard",
        "done",
        "goal_met",
        rules=(
            agent("doc-analyst", reply=BIGGER),
            *THOROUGH,
            designer(ONE_FILE),
            agent("impl-manager", write("src/tally/__init__.py", SOURCE), reply=completed(), call=1),
            agent("impl-manager", *IMPLEMENTS, sleep(0.2), reply=completed()),
        ),
    ),
    Kind(
        "diagnosed",
        "done",
        "goal_met",
        rules=(
            agent("doc-analyst", reply=BIGGER),
            agent("impl-verifier", reply="VERDICT: REJECT\nDOMAIN: test\nA case is missing.", call=1),
            agent("domain-fixer", write("tests/test_wrong.py", MORE_TESTS.replace("'b'", "'a'"))),
            agent("diagnostician-1", reply="DIAGNOSIS: wrong\nFIX_GUIDE: tests/test_wrong.py:2\nDOMAIN: logic"),
            agent("fixer-1", write("tests/test_wrong.py", MORE_TESTS), sleep(0.2)),
            *THOROUGH,
            designer(ONE_FILE),
            agent("impl-manager", *IMPLEMENTS, reply=completed()),
        ),
    ),
    Kind(
        "heavy",
        "done",
        "goal_met",
        rules=(
            agent("doc-analyst", reply=BIGGEST),
            agent("critic-1", reply="VERDICT: REVISE\nSay more."),
            *THOROUGH,
            designer(TWO_AREAS),
            agent("impl-left", sleep(0.4), {"crash": {"code": 3}}, reply=None, attempt=1),
            area("left", sleep(0.3)),
            area("right", sleep(0.6)),
        ),
    ),
    Kind(
        "uam",
        "done",
        "goal_met",
        rules=sprint.agents_of(in_line=False),
        door=("uam", "run"),
        options=("--yes", "--parallel", "3"),
        shuffled=True,
    ),
    Kind(
        "uam-in-line",
        "done",
        "goal_met",
        rules=sprint.agents_of(in_line=True),
        door=("uam", "run"),
        options=("--yes", "--parallel", "3"),
    ),
    Kind(
        "team",
        "done",
        "goal_met",
        rules=crew.AGENTS,
        door=("team", "run"),
        asked="team.yaml",
        files={"team.yaml": crew.team_file(in_line=False)},
        options=("--parallel", "3"),
        shuffled=True,
    ),
    Kind(
        "team-in-line",
        "done",
        "goal_met",
        rules=crew.AGENTS,
        door=("team", "run"),
        asked="team.yaml",
        files={"team.yaml": crew.team_file(in_line=True)},
    ),
    Kind(
        "claude",
        "done",
        "goal_met",
        rules=(
            agent("verifier", reply="VERDICT: REJECT\nA test is missing.", call=1),
            agent("executor", *IMPLEMENTS, sleep(0.5), {"run": {"command": "echo done > last.txt"}}),
        ),
        runtime="claude",
    ),
    Kind(
        "claude-limited",
        "done",
        "goal_met",
        rules=(agent("executor", {"rate_limit": {"resets_in": 2}}, reply=None, attempt=1),),
        runtime="claude",
    ),
    Kind(
        "claude-stopped",
        "done",
        "goal_met",
        rules=(
            agent("executor", *IMPLEMENTS, {"run": {"command": f"test -e {STAY} || {{ touch {STAY}; sleep 120; }}"}}),
        ),
        runtime="claude",
        stop=True,
        resumed=(),
    ),
    Kind(
        "stopped",
        "done",
        "goal_met",
        rules=(
            agent("executor", *IMPLEMENTS, {"run": {"command": f"test -e {STAY} || {{ touch {STAY}; sleep 120; }}"}}),
        ),
        stop=True,
        resumed=(),
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}
