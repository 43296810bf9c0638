"""A-150 to A-152: the tiers of bare `auto`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andon.domain.auto.discovery import Response, Tier, World, choose

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
