"""`recall` and `remember`: each one recorded step, which a replay neither asks nor writes again."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.domain.learning import Lesson, Origin
from andon.domain.run import Ending, Status
from andon.engine.run import DurableRun
from andon.memory.learnings import Learnings
from floor import Floor

DONE = Ending(Status.DONE, "goal_met")


@pytest.fixture
def learnings(tmp_path: Path, floor: Floor) -> Learnings:
    kept = Learnings(tmp_path / "learnings.db")
    kept.remember("r0/1.1", [Lesson("Leap days are refused")], Origin("r0", "auto", "t", "did not pass: limit"))
    floor.memory = kept
    return kept


def test_E_14_a_replay_neither_asks_nor_writes_again(floor: Floor, learnings: Learnings) -> None:
    full = [True]

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        found = await run.recall("leap days")
        await run.remember([Lesson(f"Learned beside {len(found)}")], DONE)

        async def body(position: str) -> dict[str, Any]:
            if full:
                raise OSError(errno.ENOSPC, "No space left on device")
            return {}

        await run._leg.step("more", body)
        return {"found": [each.text for each in found]}

    with pytest.raises(EnvironmentProblem):  # the process gives up, and its run stays as it is
        floor.play(pipeline)
    full.clear()
    learnings.add(Lesson("Leap days again, which came later"))

    assert floor.play(pipeline) == {"found": ["Leap days are refused"]}
    mine = [each for each in learnings.all() if each.run == "r1"]
    assert [(each.text, each.verdict, each.task) for each in mine] == [("Learned beside 1", "passed", "t")]
    [recalled], [remembered] = floor.told("recalled"), floor.told("remembered")
    assert recalled["learnings"][0]["run"] == "r0" and recalled["learnings"][0]["verdict"] == "did not pass: limit"
    assert remembered == {"count": 1, "verdict": "passed", "lessons": ["Learned beside 1"]}


def test_E_14_a_step_that_is_done_once_more_keeps_nothing_twice(floor: Floor, learnings: Learnings) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.remember([Lesson("One of a kind")], DONE)
        return {}

    # The process was killed after it wrote, and before the step was recorded.
    learnings.remember("r1/1.1", [Lesson("One of a kind")], Origin("r1", "sample", "t", "passed"))
    floor.play(pipeline)

    assert [each.text for each in learnings.all() if each.run == "r1"] == ["One of a kind"]


def test_E_14_work_that_nobody_verified_has_not_passed_whatever_the_pipeline_says(
    floor: Floor, learnings: Learnings
) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.write("a.txt", "changed, and measured by nobody\n")
        await run.remember([Lesson("All is well")], DONE)
        return {}

    floor.play(pipeline)

    [kept] = [each for each in learnings.all() if each.run == "r1"]
    assert kept.verdict == "did not pass: unverified"


def test_E_14_a_memory_that_cannot_be_used_is_a_warning(floor: Floor, tmp_path: Path) -> None:
    (tmp_path / "learnings.db").write_bytes(b"no database " * 1000)
    floor.memory = Learnings(tmp_path / "learnings.db")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        found = await run.recall("leap days")
        await run.remember([Lesson("x y")], DONE)
        return {"found": len(found)}

    assert floor.play(pipeline) == {"found": 0}
    assert [each["text"].partition(":")[0] for each in floor.told("warning")] == [
        "Nothing recalled",
        "Nothing remembered",
    ]


def test_E_14_without_a_memory_there_is_nothing_to_recall(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.remember([Lesson("x y")], DONE)
        return {"found": len(await run.recall("leap days")), "steps": run._leg.position}

    assert floor.play(pipeline) == {"found": 0, "steps": 0}
