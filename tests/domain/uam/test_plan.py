"""PLAN.md: the seed's sample, odd edits, and that nothing a person wrote is lost."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from andon.domain.uam import graph, plan
from andon.domain.uam.plan import DONE, FAILED, OPEN, Criterion, Plan, Todo

SAMPLE = """# PLAN: login

## Summary
People sign in with a password.

## Risk Assessment
- Overall: MED
- Irreversible changes: a new table

## TODOs

### [ ] TODO 1: Model
- Description: A user has a name and a hash.
- Dependencies: none
- Risk: LOW
- Estimated complexity: S
- Acceptance Criteria:
  - [A] `npm test -- --grep "pattern"` passes
  - [S] the login flow, tried as a user
  - [H] the page looks as the others do

### [x] TODO 2: Service
- Description: Compares hashes.
- Dependencies: TODO-1
- Risk: HIGH
- Estimated complexity: M
- Acceptance Criteria:
  - [A] `npm run check` exits 0

### [ ] TODO 3: Page
- Description: A form.
- Dependencies: TODO 1
- Risk: LOW
- Estimated complexity: L
- Acceptance Criteria:
  - [A] `npm run e2e` passes

### [FAILED] TODO 4: Sockets
- Description: Signed in over sockets as well.
- Dependencies: TODO-2, TODO-3
- Risk: MED
- Estimated complexity: M
- Acceptance Criteria:
  - [A] `npm run sockets` passes

## Test Strategy

### A-items (Agent-Verifiable)
- unit: `npm test`

### S-items (Sandbox Agent Testing)
- a user signs in and out

### H-items (Human-Required)
- the wording of errors

## Dependency Graph
TODO-1 → TODO-2 → TODO-4
TODO-1 → TODO-3 → TODO-4
"""


def test_C_27_the_sample_is_read_and_written_back() -> None:
    read = plan.parse(SAMPLE)

    assert read.problems == []
    assert (read.feature, read.risk, read.irreversible) == ("login", "MED", "a new table")
    assert [todo.dependencies for todo in read.todos] == [(), (1,), (1,), (2, 3)]
    assert read.edges == [(1, 2), (2, 4), (1, 3), (3, 4)]
    assert read.items["S"] == ["a user signs in and out"]
    again = plan.parse(plan.written(read))
    assert again.problems == []
    assert plan.written(again) == plan.written(read)
    assert [todo.criteria for todo in again.todos] == [todo.criteria for todo in read.todos]
    assert again.edges == read.edges


def test_C_22_criteria_are_of_three_kinds_and_only_commands_are_run() -> None:
    first = plan.parse(SAMPLE).todos[0]

    assert [each.kind for each in first.criteria] == ["A", "S", "H"]
    assert first.commands() == ['npm test -- --grep "pattern"']


def test_S_18_C_28_the_four_boxes_of_the_sample_are_counted() -> None:
    text = "### [ ] TODO 1: a\n### [x] TODO 2: b\n### [ ] TODO 3: c\n### [FAILED] TODO 4: d\n"

    assert plan.counts(text) == (2, 1, 1)


@pytest.mark.parametrize(
    "line",
    [
        "### [X] TODO 1: a",
        "### [] TODO 1: a",
        "## [ ] TODO 1: a",
        "### [ ] TODO: a",
        "### [done] TODO 1: a",
        "###[ ] TODO 1: a",
    ],
)
def test_C_89_a_heading_that_is_nearly_one_is_told_with_its_line(line: str) -> None:
    text = f"# PLAN: x\n\n{line}\n"

    assert [problem.line for problem in plan.misspelt(text)] == [3]
    assert 3 in [problem.line for problem in plan.parse(text).problems]


def test_C_27_what_stands_in_a_fence_is_an_example() -> None:
    text = "```\n### [X] TODO 9: no\n### [ ] TODO 1: an example\n```\n" + SAMPLE

    assert plan.parse(text).problems == []
    assert plan.counts(text) == plan.counts(SAMPLE)
    assert plan.marked(text, 1, DONE) == text.replace("### [ ] TODO 1: Model", "### [x] TODO 1: Model")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("- Dependencies: TODO-1\n", "- Dependencies: TODO-7\n", "depends on TODO-7"),
        ("- Dependencies: TODO-1\n", "- Dependencies: the first\n", "Dependencies is"),
        ("- Risk: HIGH", "- Risk: huge", "Risk is one of"),
        ("complexity: M\n", "complexity: XL\n", "complexity is one of"),
        ("- Overall: MED", "- Overall: maybe", "Overall is one of"),
        ("  - [A] `npm run e2e` passes", "  - [B] `npm run e2e` passes", "[B] is none of"),
        ("  - [A] `npm run e2e` passes\n", "", "no acceptance criteria"),
        ("TODO 3: Page", "TODO 2: Page", "twice"),
        ("# PLAN: login", "# A plan", "first line"),
    ],
)
def test_C_27_a_broken_edit_is_told_with_its_line(old: str, new: str, reason: str) -> None:
    text = SAMPLE.replace(old, new, 1)

    problems = plan.parse(text).problems

    assert [problem for problem in problems if reason in problem.reason], problems
    assert all(1 <= problem.line <= text.count("\n") + 1 for problem in problems)


def test_C_29_a_box_changes_only_as_it_may_and_nothing_else_does() -> None:
    done = plan.marked(SAMPLE, 1, DONE)

    assert done == SAMPLE.replace("### [ ] TODO 1", "### [x] TODO 1")
    assert plan.marked(done, 1, DONE) == done
    assert plan.counts(plan.marked(SAMPLE, 4, DONE)) == (2, 2, 0)
    with pytest.raises(ValueError, match="cannot become"):
        plan.marked(done, 1, OPEN)
    with pytest.raises(ValueError, match="cannot become"):
        plan.marked(SAMPLE, 2, FAILED)
    with pytest.raises(ValueError, match="no TODO 9"):
        plan.marked(SAMPLE, 9, DONE)


def test_C_30_what_is_ready_follows_the_graph() -> None:
    text = SAMPLE.replace("[x] TODO 2", "[ ] TODO 2").replace("[FAILED] TODO 4", "[ ] TODO 4")

    def ready() -> list[int]:
        return graph.ready(plan.parse(text))

    assert ready() == [1]
    text = plan.marked(text, 1, DONE)
    assert ready() == [2, 3]
    text = plan.marked(plan.marked(text, 2, DONE), 3, DONE)
    assert ready() == [4]


def test_C_30_a_circle_is_told_and_who_waits_for_a_failed_one_is_stuck() -> None:
    circle = SAMPLE.replace("- Dependencies: none", "- Dependencies: TODO-4")
    assert "wait for each other" in graph.cycles(plan.parse(circle))[0].reason
    assert graph.cycles(plan.parse(SAMPLE)) == []

    failed = SAMPLE.replace("[ ] TODO 1", "[FAILED] TODO 1").replace("[x] TODO 2", "[ ] TODO 2")
    assert graph.stuck(plan.parse(failed)) == [2, 3]


WORDS = some.text(some.characters(categories=("L", "N"), include_characters=" -`_."), min_size=1, max_size=30).map(
    lambda text: text.strip(" -") or "x"
)


@some.composite
def plans(draw: some.DrawFn) -> Plan:
    made = Plan()
    made.feature, made.summary = draw(WORDS), draw(WORDS)
    made.risk, made.irreversible = draw(some.sampled_from(plan.RISKS)), draw(WORDS)
    for number in range(1, draw(some.integers(1, 6)) + 1):
        todo = Todo(number, draw(WORDS), draw(some.sampled_from((OPEN, DONE, FAILED))))
        todo.description = draw(WORDS)
        todo.dependencies = tuple(sorted(draw(some.sets(some.integers(1, number - 1))))) if number > 1 else ()
        todo.risk, todo.complexity = draw(some.sampled_from(plan.RISKS)), draw(some.sampled_from(plan.COMPLEXITIES))
        kinds = some.builds(Criterion, some.sampled_from(plan.KINDS), WORDS)
        todo.criteria = draw(some.lists(kinds, min_size=1, max_size=3))
        made.todos.append(todo)
        made.edges += [(before, number) for before in todo.dependencies]
    return made


@given(plans())
def test_C_27_whatever_is_written_is_read_the_same(made: Plan) -> None:
    text = plan.written(made)
    read = plan.parse(text)

    assert read.problems == []
    assert plan.written(read) == text
    assert plan.counts(text) == tuple(
        [todo.state for todo in made.todos].count(state) for state in (OPEN, DONE, FAILED)
    )
    assert graph.cycles(read) == []


@given(some.text(max_size=400) | some.text("#- [x]TODO123:AFILED\n", max_size=200))
@example(f"### [ ] TODO {'9' * 5000}: a number that no program reads\n")
@example(f"## Dependency Graph\nTODO {'9' * 5000} -> TODO 1\n")
def test_C_27_any_text_is_read_without_failing(text: str) -> None:
    read = plan.parse(text)

    assert len(read.todos) == sum(plan.counts(text))
    graph.ready(read), graph.stuck(read), graph.cycles(read)


@given(plans(), some.data())
def test_C_30_doing_what_is_ready_does_everything_that_can_be_done(made: Plan, data: some.DataObject) -> None:
    for todo in made.todos:
        todo.state = OPEN
    text = plan.written(made)
    order: list[int] = []
    while ready := graph.ready(plan.parse(text)):
        number = data.draw(some.sampled_from(ready))
        text = plan.marked(text, number, DONE)
        order.append(number)

    assert sorted(order) == [todo.number for todo in made.todos]
    assert all(order.index(before) < order.index(todo.number) for todo in made.todos for before in todo.dependencies)


def test_C_89_the_mark_and_the_line_ends_of_other_editors_are_no_mistake() -> None:
    text = "\ufeff" + SAMPLE.replace("\n", "\r\n")

    assert plan.parse(text).problems == [] and plan.parse(text).feature == "login"
    assert plan.marked(text, 1, DONE) == text.replace("### [ ] TODO 1", "### [x] TODO 1")


def test_C_29_a_tick_that_is_only_claimed_can_become_a_failure() -> None:
    with pytest.raises(ValueError, match="cannot become"):
        plan.marked(SAMPLE, 2, FAILED)

    assert "### [FAILED] TODO 2: Service" in plan.marked(SAMPLE, 2, FAILED, claimed=True)
