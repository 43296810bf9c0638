"""Gate 3: the plan's S-items as Gherkin scenarios, each tried several times by somebody who acts as a user (C-49).

They work on a copy of the files that is thrown away. A scenario passes at four of five, or three of three.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from andon.domain.assignment import ContractError
from andon.domain.run import BudgetSpent
from andon.domain.uam.artefacts import GATE3_PATH
from andon.domain.uam.gates import FEWEST_RUNS, SHARE, scenario_passed
from andon.pipelines.uam.course import USER, Course
from andon.ports import Lanes
from andon.roles.uam_contracts import TRIED, Scenario, ScenariosForm, Tried

SCENARIOS_PATH = ".uam/sandbox/test_suite/scenarios.feature"


async def try_as_user(course: Course) -> tuple[str, ...]:
    """What did not come out as it should, in words; nothing when every scenario passes."""
    scenarios = await _scenarios(course)
    tried: dict[int, list[Tried]] = {number: [] for number in range(1, len(scenarios) + 1)}
    await _try(course, scenarios, tried, dict.fromkeys(tried, FEWEST_RUNS))
    # Only who can still reach the share is tried further.
    most = course.settings.scenario_runs
    further = {number: most - FEWEST_RUNS for number, told in tried.items() if _open(told, most)}
    await _try(course, scenarios, tried, further)
    return await _told(course, scenarios, tried)


def _open(told: list[Tried], most: int) -> bool:
    passed = sum(each.passed for each in told)
    undecided = not scenario_passed([each.passed for each in told])
    return undecided and passed + most - len(told) >= SHARE * most


async def _scenarios(course: Course) -> tuple[Scenario, ...]:
    """Written once for a plan, and kept: the same scenarios are tried after every fix."""
    items = course.plan.for_users
    form = ScenariosForm(len(items))
    heading = f"# {'; '.join(items)}\n\n"
    kept = await course.run.read(SCENARIOS_PATH) or ""
    if kept.startswith(heading):
        with suppress(ContractError):  # a person may have edited them
            return form.parse(kept)
    asked = course.assignment(
        "uam-verification-planner",
        "scenario-writer",
        "scenarios",
        items="\n".join(f"- {item}" for item in items),
        plan=course.plan_text,
    )
    written = await course.run.ask(asked, form)
    text = heading + "\n\n".join(scenario.text for scenario in written) + "\n"
    await course.run.write(SCENARIOS_PATH, text, state=True)
    return written


async def _try(
    course: Course, scenarios: tuple[Scenario, ...], tried: dict[int, list[Tried]], runs: dict[int, int]
) -> None:
    waiting = [number for number, count in runs.items() for _ in range(count)]
    under_way: dict[str, int] = {}
    async with course.run.lanes(course.settings.parallel) as lanes:
        while waiting or lanes.busy:
            while waiting and lanes.free:
                number = waiting.pop(0)
                count = 1 + len(tried[number]) + [*under_way.values()].count(number)
                lane = f"user-{number}-{count}"
                under_way[lane] = number
                _begin(course, lanes, lane, scenarios[number - 1])
            for landed in await lanes.ended():
                if isinstance(landed.failure, BudgetSpent):
                    raise landed.failure
                told = Tried(False, str(landed.failure)) if landed.failure else landed.value
                tried[under_way.pop(landed.lane)].append(told)


def _begin(course: Course, lanes: Lanes, lane: str, scenario: Scenario) -> None:
    asked = course.assignment(USER, lane, "user", writes=(".",), scenario=scenario.text)
    # On files of its own: what a user leaves behind is no part of the work.
    lanes.ask(lane, course.run.branch(lane), asked, TRIED)


async def _told(course: Course, scenarios: tuple[Scenario, ...], tried: dict[int, list[Tried]]) -> tuple[str, ...]:
    rows = [_row(scenario, tried[number]) for number, scenario in enumerate(scenarios, start=1)]
    passed = all(row["passed"] for row in rows)
    told = {"passed": passed, "threshold": SHARE, "scenarios": rows}
    await course.run.write(GATE3_PATH, json.dumps(told, ensure_ascii=False, indent=1) + "\n", state=True)
    return tuple(
        f"As a user, {row['scenario']}: {row['passed_runs']} of {row['runs']} runs passed; {'; '.join(row['reasons'])}"
        for row in rows
        if not row["passed"]
    )


def _row(scenario: Scenario, told: list[Tried]) -> dict[str, Any]:
    return {
        "scenario": scenario.title,
        "runs": len(told),
        "passed_runs": sum(each.passed for each in told),
        "passed": scenario_passed([each.passed for each in told]),
        "reasons": [each.reason for each in told if not each.passed],
    }
