"""Verbs of parallel work on a real engine, with real agents and files: branches, orders side by side, merging; and what
is read from a tree. Each is one recorded step, so a run that is taken up again after its end does nothing twice."""

from __future__ import annotations

import errno
import re
from dataclasses import replace
from typing import Any

import pytest

from andon.domain.assignment import Assignment
from andon.domain.auto.mode import Mode
from andon.domain.auto.options import Request
from andon.domain.auto.times import Times
from andon.domain.errors import EnvironmentProblem
from andon.domain.goal import Goal
from andon.domain.language import Language
from andon.domain.limits import AutoLimits
from andon.domain.order import Tier
from andon.domain.run import BudgetSpent, TeammateFailed
from andon.domain.verdict import CheckResult, Finding, Verdict
from andon.engine.run import DurableRun
from andon.pipelines.auto.cycle import Cycle
from andon.pipelines.auto.rules import broken_rules
from andon.roles.contracts import TEXT
from floor import Floor


def work(name: str, *writes: str) -> Assignment:
    return Assignment("executor", name, "auto/executor", Tier.SONNET, writes=writes or (".",), seconds=30.0)


def rule(name: str, *do: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"match": {"name": name}, "do": list(do), **({} if more.pop("fails", False) else {"reply": "Done."})}


def test_A_35_A_75_branches_work_at_the_same_time_and_come_together(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        before = run.tree
        one, two = run.branch("one"), run.branch("two")
        replies = await run.ask_all([(one, work("impl-one"), TEXT), (two, work("impl-two"), TEXT)])
        apart = [await one.existing(["one.txt", "two.txt"]), await two.existing(["one.txt", "two.txt"])]
        beside = [(floor.folder / f"tree-{name}").is_dir() for name in ("one", "two")]
        untouched = run.tree == before
        merged = await run.merge([one, two])
        return {
            "replies": list(replies),
            "apart": [sorted(each) for each in apart],
            "beside": beside,
            "untouched": untouched,
            "conflicts": list(merged.conflicts),
            "changes": [(change.kind, change.path) for change in await run.changes()],
        }

    # Each waits for the other's file: they can only end if both work at once.
    wait = "until test -e {}; do sleep 0.05; done"
    found = floor.play(
        pipeline,
        rule(
            "impl-one",
            {"write": {"path": "one.txt", "text": "1\n"}},
            {"run": {"command": wait.format(floor.folder / "tree-two/two.txt"), "or_fail": True}},
        ),
        rule(
            "impl-two",
            {"write": {"path": "two.txt", "text": "2\n"}},
            {"run": {"command": wait.format(floor.folder / "tree-one/one.txt"), "or_fail": True}},
        ),
    )

    assert found["replies"] == ["Done.", "Done."] and found["conflicts"] == []
    assert found["apart"] == [["one.txt"], ["two.txt"]]
    assert found["beside"] == [True, True] and found["untouched"]
    assert [path for _, path in found["changes"]] == ["one.txt", "two.txt"]
    assert sorted(path.name for path in floor.tree.glob("*.txt")) == ["a.txt", "b.txt", "one.txt", "two.txt"]
    assert not (floor.folder / "tree-one").exists() and not (floor.folder / "tree-two").exists()
    [merged] = floor.told("merged")
    assert merged["names"] == ["one", "two"]
    assert {each["name"]: each["branch"] for each in floor.told("result")} == {"impl-one": "one", "impl-two": "two"}


def test_G_27_a_branch_that_does_not_fit_is_named_and_stays_and_the_others_are_merged(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        branches = [run.branch(name) for name in ("one", "two", "three")]
        await run.ask_all([(branch, work(f"impl-{branch.name}"), TEXT) for branch in branches])
        merged = await run.merge(branches)
        changes = [change.path for change in await run.changes()]
        return {"left": list(merged.left), "conflicts": list(merged.conflicts), "changes": changes}

    found = floor.play(
        pipeline,
        rule("impl-one", {"write": {"path": "a.txt", "text": "from one\n"}}),
        rule("impl-two", {"write": {"path": "a.txt", "text": "from two\n"}}),
        rule("impl-three", {"write": {"path": "three.txt", "text": "3\n"}}),
    )

    assert found == {"left": ["two"], "conflicts": ["a.txt"], "changes": ["a.txt", "three.txt"]}
    assert (floor.tree / "a.txt").read_text() == "from one\n"
    assert (floor.folder / "tree-two/a.txt").read_text() == "from two\n"
    assert not (floor.folder / "tree-one").exists() and not (floor.folder / "tree-three").exists()
    [told] = floor.told("merged")
    assert (told["names"], told["left"]) == (["one", "three"], ["two"])


def test_A_75_E_27_when_one_fails_the_other_has_ended_before_that_is_told(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        orders = [(run.branch("one"), work("impl-one"), TEXT), (run.branch("two"), work("impl-two"), TEXT)]
        try:
            await run.ask_all(orders)
        except TeammateFailed as failure:
            return {"failure": str(failure), "ended": sorted(each["name"] for each in floor.told("result"))}
        return {}

    found = floor.play(
        pipeline,
        rule("impl-one", {"crash": {"code": 3}}, fails=True),
        rule("impl-two", {"sleep": {"seconds": 0.5}}),
    )

    assert found == {"failure": "impl-one: crashed (exit code 3)", "ended": ["impl-one", "impl-two"]}


async def three_at_once(run: DurableRun) -> dict[str, Any]:
    branches = {name: run.branch(name) for name in ("one", "two", "three")}
    orders = [(branch, work(f"impl-{name}"), TEXT) for name, branch in branches.items()]
    try:
        replies = await run.ask_all(orders)
    except (BudgetSpent, TeammateFailed) as end:
        return {"end": type(end).__name__, "why": str(end), "spent": run.spent.tokens}
    return {"replies": list(replies), "spent": run.spent.tokens, "kept": sorted(await branches["one"].existing(["1"]))}


def spending(name: str, tokens: int, *do: dict[str, Any], **match: Any) -> dict[str, Any]:
    crashes = any("crash" in each for each in do)
    told = rule(name, *do, fails=crashes) | {"usage": {"input_tokens": tokens, "output_tokens": 0}}
    return told | {"match": {"name": name, **match}}


CRASH: dict[str, Any] = {"crash": {"code": 3}}


def test_E_17_orders_at_the_same_time_share_what_is_left(floor: Floor) -> None:
    """Each crashes at once, and would have a successor if it had the whole budget to itself."""
    floor.budget = {"tokens": 90}

    found = floor.play(three_at_once, *(spending(f"impl-{name}", 30, CRASH) for name in ("one", "two", "three")))

    assert found == {"end": "BudgetSpent", "why": "90 tokens", "spent": 90}
    assert len(floor.told("spawn")) == 3


def test_E_17_who_needs_more_than_a_share_goes_on_alone_with_what_the_others_left(floor: Floor) -> None:
    floor.budget = {"tokens": 90}
    writes = {"write": {"path": "1", "text": "1"}}
    rules = (
        spending("impl-one", 30, CRASH, call=1),
        spending("impl-one", 40, writes, call=2),
        *(spending(f"impl-{name}", 5) for name in ("two", "three")),
    )

    first = floor.play(three_at_once, *rules)
    again = floor.play(three_at_once, *rules)

    assert first == again == {"replies": ["Done."] * 3, "spent": 80, "kept": ["1"]}
    assert [each["name"] for each in floor.told("result")].count("impl-one") == 2


def test_E_17_a_failure_says_more_than_a_share_that_is_used_up(floor: Floor) -> None:
    floor.budget = {"tokens": 90}

    rules = (spending("impl-one", 30, CRASH), spending("impl-two", 1, CRASH), spending("impl-three", 5))
    found = floor.play(three_at_once, *rules)

    assert found == {"end": "TeammateFailed", "why": "impl-two: crashed (exit code 3)", "spent": 37}


def test_E_13_a_branch_can_begin_at_a_tree_that_an_earlier_leg_left(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        first = run.branch("one")
        await first.ask(work("impl-one"), TEXT)
        again = run.branch("one", first.tree)
        await again.ask(work("impl-two"), TEXT)
        return {"existing": sorted(await again.existing(["one.txt", "two.txt"])), "name": again.name}

    found = floor.play(
        pipeline,
        rule("impl-one", {"write": {"path": "one.txt", "text": "1\n"}}),
        rule("impl-two", {"write": {"path": "two.txt", "text": "2\n"}}),
    )

    assert found == {"existing": ["one.txt", "two.txt"], "name": "one"}


def test_A_85_A_47_A_117_what_is_read_from_a_tree(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.ask(work("executor"), TEXT)
        seen: list[str] = []

        def rule_(diff: str) -> list[Finding]:
            seen.append(diff)
            return [Finding("added", "a.txt", 2)] if "+three" in diff else []

        found = await run.findings(rule_)
        return {
            "findings": [(each.message, each.path, each.line) for each in found],
            "existing": sorted(await run.existing(["*.txt", "gone.md", "a.txt"])),
            "traits": sorted(await run.traits()),
        }

    found = floor.play(pipeline, rule("executor", {"run": {"command": "echo three >> a.txt"}}))

    assert found == {
        "findings": [["added", "a.txt", 2]],
        "existing": ["*.txt", "a.txt"],
        "traits": ["next", "node"],
    }


def test_A_79_a_check_is_told_again_only_when_the_base_changes_what_it_says(floor: Floor) -> None:
    goal = Goal("lint", (("ruff", "check"),))
    digest = floor.store.ledger.store.keep(b"$ ruff check\na.py:1:1: F401 `os`\nFound 1 error.\n")
    now = CheckResult("lint", Verdict.FAILED, exits=(1,), output_digest=digest)

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        crashed = await run.compare(goal, replace(now, exits=(2,)), now)
        known = await run.compare(goal, now, now)
        return {"verdicts": [crashed.verdict, known.verdict]}

    assert floor.play(pipeline) == {"verdicts": ["failed", "passed"]}
    assert [each["verdict"] for each in floor.told("check")] == ["passed"]


def test_A_79_A_85_what_light_holds_against_its_executor(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        await run.ask(work("executor"), TEXT)
        cycle = Cycle(run, Request("t"), "f", Language.EN, AutoLimits(), Times(), mode=Mode.LIGHT)
        return {"found": [re.sub(r"\(\w+\)", "(…)", each.text) for each in await broken_rules(cycle)]}

    command = "printf 'x = 1  # noqa\\n# TODO: y\\n' > m.py; echo 'x: str' > m.pyi; echo 'x: str' > native.pyi"
    found = floor.play(pipeline, rule("executor", {"run": {"command": command}}))

    assert found["found"] == [
        "m.pyi: settings of a linter or type checker changed (…): a stub hides m.py",
        "m.py:1: tells a tool to look away: x = 1  # noqa",
    ]


def test_E_03_what_an_order_keeps_is_refused_and_put_back(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        before = run.tree
        asked = Assignment("executor", "executor", "auto/executor", Tier.SONNET, writes=(".",), keeps=("a.txt",))
        try:
            await run.ask(asked, TEXT)
        except TeammateFailed as failure:
            return {"failure": failure.outcome, "same": run.tree == before}
        return {}

    found = floor.play(pipeline, rule("executor", {"write": {"path": "a.txt", "text": "mine\n"}}))

    assert found == {"failure": "refused", "same": True}
    assert len(floor.told("scope_refused")) == 2 and (floor.tree / "a.txt").read_text() == "one\n"


def test_E_13_taking_up_a_run_that_has_ended_does_nothing_again(floor: Floor) -> None:
    async def pipeline(run: DurableRun) -> dict[str, Any]:
        one = run.branch("one")
        await run.ask_all([(one, work("impl-one"), TEXT)])
        await run.merge([one])
        return {"tree": run.tree}

    rules = (rule("impl-one", {"run": {"command": "echo once >> a.txt"}}),)
    first = floor.play(pipeline, *rules)
    again = floor.play(pipeline, *rules)

    assert first == again and (floor.tree / "a.txt").read_text() == "one\nonce\n"
    assert len(floor.told("spawn")) == len(floor.told("merged")) == 1


def test_E_11_E_13_a_replay_knows_when_the_run_last_moved(floor: Floor) -> None:
    seen: list[float] = []

    def no_room(diff: str) -> list[Finding]:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def pipeline(run: DurableRun) -> dict[str, Any]:
        began = run.moved_at
        await run.existing(["a.txt"])
        seen.append(run.moved_at)
        await run.findings(no_room if len(seen) == 1 else lambda diff: [])
        return {"moved": began < seen[-1] < run.moved_at}

    with pytest.raises(EnvironmentProblem):
        floor.play(pipeline)

    assert floor.play(pipeline) == {"moved": True}
    assert len(seen) == 2 and seen[0] == seen[1]
