"""The prompts of UAM, word for word, as the pipeline words them: a change of one shows as a change of a file.

`python tests/roles/test_uam_snapshots.py` writes them anew; read the difference before you keep it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import pytest

import andon.pipelines.uam
from andon.domain.language import Language
from andon.domain.uam import agents
from andon.domain.uam_settings import UamSettings
from andon.pipelines.uam.course import USER, Course
from andon.roles.library import prompt_names, render
from andon.roles.uam_contracts import (
    PLAN,
    POINTS,
    REVIEW,
    TRIED,
    CommitsForm,
    ConflictsForm,
    PlanForm,
    ScenariosForm,
    SectionsForm,
    WorkerForm,
)

SNAPSHOTS = Path(__file__).parent / "snapshots" / "uam"
KNOWN = {"memory": "- words() lower-cases", "pivots": "PP-1 [CONFIRMED] No new dependency", "failed": "(nothing)"}
"""What planning reads before it asks anybody: given as `known`."""
OF_THE_COURSE = {"task", "language"}
NO_VALUES = {"writes", "raised", "continues", "tokens", "directed", "known"}
"""Arguments of `Course.assignment` that reach no prompt by their own name."""
DOCUMENT = "# PLAN: ranking\n\n## Summary\nRank words.\n"
TODO = "### [ ] TODO 1: Rank words\n- Description: Add `src/tally/ranking.py`.\n- Dependencies: none\n"
SUMMARY = "Gate 1 Results: 1/2 passed (50%)\n\nFailed tests:\n  - test_ties: AssertionError — b first"
FAILING = {"summary": SUMMARY, "diagnosis": "## Root Cause\nranking.py:9 sorts by count alone.", "approaches": "(none)"}
MENDING = {**FAILING, "failing": "test_ties", "reasons": "(nothing besides)", "plan": DOCUMENT}


class Form(Protocol):
    @property
    def instruction(self) -> str: ...


@dataclass(frozen=True)
class Sample:
    agent: str
    name: str
    form: Form
    values: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict[str, Any])


def sections(agent: str) -> SectionsForm:
    return SectionsForm(agents.agent(agent).required)


def worker(name: str, **values: str) -> Sample:
    told = {"todo": TODO, "todo_id": "TODO-1", "scope": "`src/tally/ranking.py`", "learned": "(nothing)", **values}
    return Sample("uam-worker", name, WorkerForm("TODO-1"), told, {"writes": ("src/tally/ranking.py",)})


SAMPLES = {
    "analyse": Sample(
        "uam-gap-analyzer",
        "gap-analyzer",
        sections("uam-gap-analyzer"),
        {"role_text": agents.agent("uam-gap-analyzer").role},
        {"known": KNOWN},
    ),
    "tradeoff": Sample(
        agents.ANALYSIS, "tradeoff-analyzer", sections(agents.ANALYSIS), {"analyses": "# pm\n\nOne."}, {"known": KNOWN}
    ),
    "plan": Sample(
        "uam-pm",
        "planner",
        PlanForm(points=("PP-1",)),
        {"analyses": "# pm\n\nOne function.", "learnings": ""},
        {"known": KNOWN},
    ),
    "plan-revise": Sample("uam-pm", "planner", PLAN, {"plan": DOCUMENT, "wish": "Ties by name."}),
    "worker": worker("worker-1"),
    "worker-again": worker("worker-1-r1", measured="$ pytest\nexit code 1"),
    "commits": Sample(
        "uam-git-master",
        "git-master-1",
        CommitsForm(("src/tally/ranking.py",), 1, ("feat: words",)),
        {
            **{"work": TODO, "changes": "added: src/tally/ranking.py", "summary": "Ranked words."},
            **{"history": "feat: words", "fewest": "1"},
        },
    ),
    "discoveries": Sample(
        "uam-pm", "pm-1", ConflictsForm(1), {"pivots": KNOWN["pivots"], "discoveries": "1. A library would do."}
    ),
    "review": Sample(
        "uam-code-reviewer", "code-reviewer", REVIEW, {"plan": DOCUMENT, "changes": "added: src/tally/ranking.py"}
    ),
    "scenarios": Sample(
        "uam-verification-planner", "scenario-writer", ScenariosForm(1), {"items": "- Print a report", "plan": DOCUMENT}
    ),
    "user": Sample(
        USER, "user-1-1", TRIED, {"scenario": "Scenario: print\nGiven …\nWhen …\nThen …"}, {"writes": (".",)}
    ),
    "debug": Sample(
        "uam-debugger",
        "debugger-1",
        sections("uam-debugger"),
        {"summary": SUMMARY, "output": "E   assert ['b'] == ['a']", "plan": DOCUMENT},
    ),
    "fix": Sample("uam-worker", "fix-worker", WorkerForm("TODO-0"), MENDING, {"writes": (".",)}),
    "fix-anew": Sample("uam-worker", "fix-worker", WorkerForm("TODO-0"), MENDING, {"writes": (".",)}),
    "bug-debug": Sample(
        "uam-debugger",
        "debugger-1",
        sections("uam-debugger"),
        {"summary": SUMMARY, "output": "(nothing was printed)", "approaches": "(none)"},
    ),
    "bug-fix": Sample("uam-worker", "worker-1", WorkerForm("TODO-0"), FAILING, {"writes": (".",)}),
    "pivot": Sample(
        "uam-pm", "interviewer-1", POINTS, {"said": "Q: What must not change?\nA: The API.", "before": "(none yet)"}
    ),
}
"""By prompt."""


def rendered(prompt: str) -> str:
    course = Course(
        run=None,  # type: ignore[arg-type]  # an assignment is worded without a run
        task="Rank words",
        feature="rank-words",
        kind="full",
        language=Language.EN,
        settings=UamSettings(),
        created_at=0.0,
    )
    sample = SAMPLES[prompt]
    asked = course.assignment(sample.agent, sample.name, prompt, **sample.options, **sample.values)
    system, text = render(asked, sample.form.instruction)
    return f"{system}\n{'-' * 40}\n\n{text}"


def test_every_prompt_of_uam_has_a_snapshot_and_every_snapshot_a_prompt() -> None:
    names = {name.removeprefix("uam/") for name in prompt_names("uam")}

    assert {file.stem for file in SNAPSHOTS.glob("*.txt")} == set(SAMPLES) == names


@pytest.mark.parametrize("prompt", sorted(SAMPLES))
def test_E_05_a_rendered_prompt_of_uam_is_as_it_was(prompt: str) -> None:
    assert rendered(prompt) == (SNAPSHOTS / f"{prompt}.txt").read_text(encoding="utf-8")


# --- what prompts need, and what the pipeline gives -----------------------------------------------------------------


def needed(prompt: str) -> set[str]:
    text = files("andon.roles").joinpath("prompts", "uam", f"{prompt}.md").read_text(encoding="utf-8")
    return set(re.findall(r"\{\{\s*([a-z_]+)", text)) - OF_THE_COURSE


def assignments() -> Iterator[tuple[str, str, set[str]]]:
    """Where the pipeline words an assignment: the place, the prompt, the names of the values it gives."""
    for file in sorted(Path(next(iter(andon.pipelines.uam.__path__))).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr != "assignment":
                continue
            given = {word.arg for word in node.keywords if word.arg}
            values = given - NO_VALUES | (set(KNOWN) if "known" in given else set())
            prompts = [each.value for each in ast.walk(node.args[2]) if isinstance(each, ast.Constant)]
            for prompt in prompts:
                yield f"{file.name}:{node.lineno}", str(prompt), values


def test_E_05_the_pipeline_gives_every_value_that_its_prompt_needs() -> None:
    lacking = [
        f"{at} {prompt}: {needed(prompt) - given}" for at, prompt, given in assignments() if needed(prompt) - given
    ]

    assert lacking == []


def test_every_prompt_of_uam_is_used_and_no_value_is_given_for_nothing() -> None:
    wanted: dict[str, set[str]] = {}
    for _, prompt, given in assignments():
        wanted.setdefault(prompt, set()).update(given)

    assert set(wanted) == set(SAMPLES)
    shared = {"fix": {"approaches"}, "worker": {"measured"}}  # two prompts of one call
    unused = {prompt: given - needed(prompt) - shared.get(prompt, set()) for prompt, given in wanted.items()}
    assert {prompt: left for prompt, left in unused.items() if left} == {}


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for each in SAMPLES:
        (SNAPSHOTS / f"{each}.txt").write_text(rendered(each), encoding="utf-8")
    sys.stdout.write(f"{len(SAMPLES)} snapshots written; read the difference before you keep them\n")
