"""Lanes on a real engine, with real agents and files: chains of work side by side whose order a replay meets again, and
commits that are kept as a series until they are published."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest

from andon.domain.assignment import Assignment
from andon.domain.errors import EnvironmentProblem
from andon.domain.goal import Goal
from andon.domain.order import Tier
from andon.domain.run import Bug
from andon.domain.verdict import Finding
from andon.engine.run import DurableRun
from andon.ports import Part
from andon.roles.contracts import TEXT
from floor import Floor


def work(name: str) -> Assignment:
    return Assignment("executor", name, "auto/executor", Tier.SONNET, writes=(".",), seconds=30.0)


def rule(name: str, *do: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"match": {"name": name}, "do": list(do), **({} if more.pop("fails", False) else {"reply": f"{name} done"})}


def writing(floor: Floor, name: str, after: str = "") -> dict[str, Any]:
    """Writes its own file, once the teammate `after` has left its mark."""
    waiting = {"run": {"command": f"until test -e {floor.folder}/mark-{after}; do sleep 0.02; done", "or_fail": True}}
    own = {"write": {"path": f"{name}.txt", "text": f"{name}\n"}}
    mark = {"run": {"command": f"touch {floor.folder}/mark-{name}", "or_fail": True}}
    return rule(name, *([waiting] if after else []), own, mark)


def test_C_31_the_next_work_begins_when_the_first_has_ended_and_not_when_all_have(floor: Floor) -> None:
    # Given two lanes: `slow` ends only when `next`, which begins in the lane that `quick` left, has written its file
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        order: list[str] = []
        waiting = ["next"]
        async with run.lanes(2) as lanes:
            branches = {name: run.branch(name) for name in ("slow", "quick", "next")}
            lanes.ask("slow", branches["slow"], work("slow"), TEXT)
            lanes.ask("quick", branches["quick"], work("quick"), TEXT)
            while lanes.busy:
                for landed in await lanes.ended():
                    order.append(f"{landed.lane}: {landed.value}")
                    merged = await run.merge([branches[landed.lane]])
                    assert not merged.left
                for name in waiting[: lanes.free]:
                    lanes.ask(name, branches[name], work(name), TEXT)
                waiting = waiting[lanes.free + 1 :]
        return {"order": order, "changes": [change.path for change in await run.changes()]}

    found = floor.play(pipeline, writing(floor, "quick"), writing(floor, "slow", after="next"), writing(floor, "next"))

    # Then
    assert found["order"][0] == "quick: quick done" and len(found["order"]) == 3
    assert found["changes"] == ["next.txt", "quick.txt", "slow.txt"]


def test_C_31_lanes_that_have_ended_by_then_are_taken_together(floor: Floor) -> None:
    # Given three that have ended before anybody looks
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        async with run.lanes(3) as lanes:
            branches = {name: run.branch(name) for name in ("one", "two", "three")}
            for name, branch in branches.items():
                lanes.ask(name, branch, work(name), TEXT)
            await asyncio.wait([step for lane in lanes._lanes.values() for step in lane.steps])
            landed = [each.lane for each in await lanes.ended()]
            lanes.merge("all", run.branch("all"), list(branches.values()))
            [merged] = await lanes.ended()
        return {"landed": landed, "left": merged.value.left}

    found = floor.play(pipeline, *(writing(floor, name) for name in ("one", "two", "three")))

    assert found == {"landed": ["one", "two", "three"], "left": []}


def test_C_35_checks_go_side_by_side_with_orders_and_their_time_is_counted(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.prepare()
        branch = run.branch("one")
        async with run.lanes(2) as lanes:
            lanes.ask("one", branch, work("one"), TEXT)
            await lanes.ended()
            lanes.check("one", branch, [Goal("yes", (("true",),)), Goal("no", (("false",),))])
            [landed] = await lanes.ended()
        return {"results": [(each.goal, str(each.verdict), each.tree == branch.tree) for each in landed.value]}

    found = floor.play(pipeline, writing(floor, "one"))

    assert [tuple(each) for each in found["results"]] == [("yes", "passed", True), ("no", "failed", True)]


def test_A_156_a_teammate_that_fails_is_told_and_the_others_go_on(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        ends: dict[str, str] = {}
        async with run.lanes(2) as lanes:
            for name in ("bad", "good"):
                lanes.ask(name, run.branch(name), work(name), TEXT)
            while lanes.busy:
                for landed in await lanes.ended():
                    ends[landed.lane] = type(landed.failure).__name__ if landed.failure else landed.value
        return ends

    found = floor.play(pipeline, rule("bad", {"crash": {}}, fails=True), writing(floor, "good"))

    assert found == {"bad": "TeammateFailed", "good": "good done"}


def test_C_36_parts_are_commits_one_after_the_other_and_no_branch_before_the_verdict(floor: Floor) -> None:
    # Given work that was committed in two parts, and never verified
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.ask(work("one"), TEXT)
        await run.ask(work("two"), TEXT)
        commits = await run.commit_parts([Part("Add one", ("one.txt",)), Part("Add two")])
        with pytest.raises(Bug) as refused:
            await run.publish()
        return {"commits": commits, "refused": str(refused.value)}

    found = floor.play(pipeline, writing(floor, "one"), writing(floor, "two"))

    # Then each is told once, the parts differ, and the branch is refused
    told = floor.told("part_committed")
    assert [each["commit"] for each in told] == found["commits"] and len({*found["commits"]}) == 2
    assert "one.txt changed" in found["refused"]


def test_C_03_what_a_person_writes_meanwhile_is_amended_and_not_overwritten(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.write(".uam/PLAN.md", "one\n", state=True)
        (floor.repository / ".uam/PLAN.md").write_text("one\ntwo, by a person\n")
        after = await run.amend(".uam/PLAN.md", lambda text: f"[x] {text}")
        same = await run.amend(".uam/PLAN.md", lambda text: None)
        return {"after": after, "same": same}

    found = floor.play(pipeline)

    assert found == {"after": "[x] one\ntwo, by a person\n", "same": "[x] one\ntwo, by a person\n"}
    assert (floor.repository / ".uam/PLAN.md").read_text() == found["after"]


def test_E_13_a_replay_takes_lanes_up_in_the_order_they_ended_and_repeats_nothing(floor: Floor) -> None:
    # Given six lanes of which each waits for the one behind it, and a machine that fails after the third has landed
    names = [f"lane-{number}" for number in range(6)]
    seen: list[list[str]] = []

    def no_room(diff: str) -> list[Finding]:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        order: list[str] = []
        seen.append(order)
        async with run.lanes(len(names)) as lanes:
            branches = {name: run.branch(name) for name in names}
            for name in names:
                lanes.ask(name, branches[name], work(name), TEXT)
            while lanes.busy:
                for landed in await lanes.ended():
                    order.append(landed.lane)
                    await run.merge([branches[landed.lane]])
                    await run.findings(no_room if len(order) == 3 and len(seen) == 1 else lambda diff: [])
        return {"order": order, "changes": len(await run.changes())}

    rules = [writing(floor, name, after) for name, after in zip(names, [*names[1:], ""], strict=True)]

    # When
    with pytest.raises(EnvironmentProblem):
        floor.play(pipeline, *rules)
    found = floor.play(pipeline, *rules)

    # Then
    assert found["order"][:3] == seen[0] and sorted(found["order"]) == names and found["changes"] == 6
    assert sorted(each["name"] for each in floor.told("spawn")) == names
    assert sorted(name for each in floor.told("merged") for name in each["names"]) == names


def test_E_17_a_lane_that_used_up_its_part_goes_on_with_what_nobody_else_has(floor: Floor) -> None:
    # Given four lanes, of which one is needed, and work that takes more than a fourth of the budget
    floor.budget = {"tokens": 400}

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        async with run.lanes(4) as lanes:
            lanes.ask("one", run.branch("one"), work("one"), TEXT)
            [landed] = await lanes.ended()
        return {"value": landed.value, "failure": str(landed.failure or ""), "spent": run.spent.tokens}

    first = rule("one", {"limit": {"reason": "tokens"}}, fails=True) | {"usage": {"input_tokens": 100}}
    first |= {"match": {"name": "one", "call": 1}}
    found = floor.play(pipeline, first, rule("one") | {"usage": {"input_tokens": 150}})

    assert found == {"value": "one done", "failure": "", "spent": 250}


def test_E_17_a_lane_without_anything_left_is_told_as_spent(floor: Floor) -> None:
    floor.budget = {"tokens": 400}

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        async with run.lanes(4) as lanes:
            lanes.ask("one", run.branch("one"), work("one"), TEXT)
            [landed] = await lanes.ended()
        return {"failure": type(landed.failure).__name__, "spent": run.spent.tokens}

    greedy = rule("one", {"limit": {"reason": "tokens"}}, fails=True) | {"usage": {"input_tokens": 200}}

    assert floor.play(pipeline, greedy) == {"failure": "BudgetSpent", "spent": 400}
