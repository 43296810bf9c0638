"""A-150 to A-152: the tiers of bare `auto`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andon.domain.auto.discovery import Choice, Response, Tier, World, choose, finding, lint_task, tasks
from andon.domain.language import Language

BUSY = World(
    context_nearly_full=True,
    task="fix it",
    broken=("tests/test_a.py fails",),
    todos=("src/a.py:3 TODO",),
    issues=("#12",),
    staged=("src/a.py",),
    lint_errors=("E501",),
    quality=("src/a.py is long",),
)


def test_A_150_A_151_removing_findings_one_by_one_goes_down_the_tiers() -> None:
    world, tiers = BUSY, [choose(BUSY).tier]
    for gone in ({"context_nearly_full": False}, {"task": ""}, {"broken": ()}, {"todos": (), "issues": ()}):
        world = replace(world, **gone)  # type: ignore[arg-type]
        tiers.append(choose(world).tier)
    world = replace(world, staged=(), lint_errors=())
    tiers.append(choose(world).tier)

    assert tiers == [Tier.CONTEXT, Tier.EXPLICIT, Tier.URGENT, Tier.WORK, Tier.SUPPORT, Tier.AUTONOMOUS]


@pytest.mark.parametrize(
    ("world", "responses"),
    [
        (World(context_nearly_full=True), (Response.ADVISE,)),
        (World(context_nearly_full=True, task="x"), (Response.ADVISE,)),
        (World(unfinished=("run a",), broken=("y",)), (Response.ADVISE,)),
        (World(unfinished=("run a",), task="x"), (Response.RUN,)),
        (World(task="x", broken=("y",)), (Response.RUN,)),
        (World(broken=("y",)), (Response.DEBUG,)),
        (World(issues=("#1",)), (Response.RUN,)),
        (World(staged=("a",)), (Response.COMMIT,)),
        (World(lint_errors=("a",)), (Response.CHECK,)),
        (World(staged=("a",), lint_errors=("b",)), (Response.COMMIT, Response.CHECK)),
        (World(quality=("a",)), (Response.PROPOSE,)),
        (World(), (Response.PROPOSE,)),
        (World(task="  "), (Response.PROPOSE,)),
    ],
)
def test_A_150_A_152_what_each_tier_does(world: World, responses: tuple[Response, ...]) -> None:
    assert choose(world).responses == responses


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("  two\n lines\t", "two lines"),
        ("\x1b[31mred\x1b[0m \x07bell", "red bell"),
        ("a\u202eb\u200bc", "a b c"),
        ("bad \udcff byte", "bad ? byte"),
        ("가격표 보기", "가격표 보기"),
        ("y" * 300, "y" * 199 + "…"),
    ],
)
def test_A_150_a_finding_is_one_short_line_that_commands_nothing(written: str, shown: str) -> None:
    assert finding(written) == shown


def test_A_150_X_08_the_task_of_tier_2_names_some_failures_and_forbids_shortcuts() -> None:
    choice = Choice(Tier.URGENT, (Response.DEBUG,), ("test: a", "test: b", "test: c", "test: d", "build: e"))

    [english], [korean] = tasks(choice, Language.EN), tasks(choice, Language.KO)

    assert english.endswith("without weakening, skipping or deleting tests: test: a; test: b; test: c; and 2 more")
    assert korean.endswith("test: a; test: b; test: c; 외 2건")


def test_A_150_every_to_do_and_issue_is_a_task_of_its_own() -> None:
    choice = Choice(Tier.WORK, (Response.RUN,), ("TODO.md:1: {braces} stay", "#7: A title"))

    assert tasks(choice, Language.EN) == (
        "Do this open to-do, and tick it off or remove it where it stands: TODO.md:1: {braces} stay",
        "Resolve issue #7: A title",
    )


def test_A_150_A_152_advice_and_support_start_no_run() -> None:
    assert tasks(Choice(Tier.CONTEXT, (Response.ADVISE,), ("run a",)), Language.EN) == ()
    assert tasks(Choice(Tier.SUPPORT, (Response.COMMIT,), ("a.py",)), Language.EN) == ()
    assert lint_task(("lint: a.py:1: F401",), Language.EN).endswith("lint: a.py:1: F401")
