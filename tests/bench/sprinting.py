"""The sprint of `andon uam` against its ideal: independent TODOs, each with an agent that works for one second.

What is measured is the phase, by the journal: from `phase_entered` to `phase_left`. Start-up, planning and the gates
are no part of it.

The ideal counts what nobody can save: the second of each worker, as many at once as the run may have, with not a moment
between two of them; and the checks, each as the bare sandboxed process that it is, on all cores. A TODO is checked on
its own files, and once more together with what others brought in before it. Everything else is what andon adds: the
start of agents (a sandbox, a supervisor, an interpreter), the git-master's order, which is answered at once, worktrees,
snapshots, merges, commits, records and the story.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from ground import Created, Ground, payload, started
from recording import start_plainly
from rows import Row
from timing import in_turns

from andon.app.demo import make_sample
from andon.app.execute import PIPELINES
from andon.app.outcome import Finished
from andon.app.starting import StartOptions
from andon.app.uam import Wish, start_uam
from andon.domain.uam import agents
from andon.ports import Command, Confinement
from andon.workspace.sandbox import best

TODOS, WIDTH, SECONDS = 24, 8, 1.0
WHAT = "DAG sprint of independent TODOs ÷ ideal"
ANALYSTS = ("explore", "gap-analyzer", "pm", "verification-planner", "tradeoff-analyzer", "code-reviewer")


def sprint(ground: Ground, rounds: int, todos: int) -> list[Row]:
    scenario = ground.scratch / "sprint.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": _rules(todos)}))
    asyncio.run(_execute(_create(ground, scenario)))  # builds the environment, warms every cache
    bare = _bare_check(ground)
    taken = [asyncio.run(_execute(_create(ground, scenario))) for _ in range(rounds)]
    ratios = [seconds / _ideal(todos, checks, bare) for seconds, checks in taken]
    seconds, checks = sorted(taken)[len(taken) // 2]
    detail = (
        f"{seconds:.2f} s over {_ideal(todos, checks, bare):.2f} s: {todos} workers of {SECONDS:g} s, {WIDTH} at once, "
        f"{checks} checks of {bare * 1000:.0f} ms bare on {os.cpu_count()} cores"
    )
    return [Row("sprint", WHAT, median(ratios), "×", detail)]


def _ideal(todos: int, checks: int, bare: float) -> float:
    return math.ceil(todos / WIDTH) * SECONDS + checks * bare / (os.cpu_count() or 1)


def _bare_check(ground: Ground) -> float:
    sandbox = best(ground.home / "sandbox")
    folder = ground.scratch / "bare"
    folder.mkdir(exist_ok=True)
    (folder / "part-1.txt").write_text("1\n")
    command = Command(("test", "-s", "part-1.txt"), str(folder), {"PATH": "/usr/bin:/bin"})
    confined = sandbox.confine(command, Confinement(str(folder), writable=(str(folder),)))
    return median(in_turns(20, {"check": lambda: start_plainly(confined)})["check"])


def _create(ground: Ground, scenario: Path) -> Created:
    uam = {"parallel": WIDTH, "plan_seconds": 0.0}
    settings = {"runtime": "scripted", "scenario": str(scenario), "uam": uam}
    options = StartOptions(("uam",), make_sample(ground.scratch), settings=settings)

    def start(environment: Mapping[str, str]) -> Finished:
        return start_uam(options, Wish("Add parts"), environment, lambda entry: None)

    return ground.created(start)


async def _execute(created: Created) -> tuple[float, int]:
    """Seconds of the phase, and how many checks it had."""
    async with started(created, PIPELINES) as durable:
        await durable.begin(created.row.workflow, payload(created, "uam"))
        result = await durable.result(created.row.workflow)
    if result["reason"] != "goal_met":
        raise RuntimeError(f"the run ended as {result['reason']}: {result['message']}")
    entries = [each for each in created.store.journal.entries(created.row.id) if each.phase == "sprint"]
    began = next(each.at for each in entries if each.kind == "phase_entered")
    left = next(each.at for each in entries if each.kind == "phase_left")
    return left - began, sum(each.kind == "check" for each in entries)


# --- the agents -----------------------------------------------------------------------------------------------------


def _rules(todos: int) -> list[dict[str, Any]]:
    analysts = [{"match": {"name": name}, "reply": _sections(name)} for name in ANALYSTS]
    planner = {"match": {"name": "planner"}, "reply": _plan(todos)}
    return [*analysts, planner, *(rule for number in range(1, todos + 1) for rule in _lane(number))]


def _sections(name: str) -> str:
    told = "\n".join(f"## {title}\nNothing more." for title in agents.agent(f"uam-{name}").required)
    return told + ('\n```json\n{"findings": []}\n```' if name == "code-reviewer" else "")


def _lane(number: int) -> list[dict[str, Any]]:
    path = f"part-{number}.txt"
    told = {"todo_id": f"TODO-{number}", "status": "PASS", "outputs": {"files_changed": [path], "summary": "Done."}}
    told |= {"acceptance_criteria": [], "learnings": [], "issues": [], "decisions": []}
    commits = {"commits": [{"message": f"Add part {number}\n\nIt was asked for.", "files": [path]}]}
    working = [{"write": {"path": path, "text": f"{number}\n"}}, {"sleep": {"seconds": SECONDS}}]
    return [
        {"match": {"name": f"worker-{number}"}, "do": working, "reply": _fenced(told)},
        {"match": {"name": f"git-master-{number}"}, "reply": _fenced(commits)},
    ]


def _fenced(told: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(told)}\n```"


def _plan(todos: int) -> str:
    parts = "\n".join(
        f"### [ ] TODO {n}: Add part {n}\n- Description: Add `part-{n}.txt`.\n- Dependencies: none\n- Risk: LOW\n"
        f"- Estimated complexity: S\n- Acceptance Criteria:\n  - [A] `test -s part-{n}.txt`\n"
        for n in range(1, todos + 1)
    )
    return (
        "# PLAN: parts\n\n## Summary\nParts.\n\n## Risk Assessment\n- Overall: LOW\n- Irreversible changes: none\n\n"
        f"## TODOs\n\n{parts}\n## Test Strategy\n\n### A-items (Agent-Verifiable)\n- unit: `test -s part-1.txt`\n\n"
        "### S-items (Sandbox Agent Testing)\n\n### H-items (Human-Required)\n\n## Dependency Graph\n"
    )
