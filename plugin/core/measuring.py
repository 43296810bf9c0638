"""Measured instead of believed: a TODO's commands, the gates, an attempt at a bug (C-04, C-35, C-40 to C-49).

Commands are those of the plan as it was approved. A TODO's box is checked by what its commands say.
"""

from __future__ import annotations

import json
import os
import subprocess
import time

import driving
import store
from uam import artefacts, commands, convergence, failing, gates, phases, plan, state, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    Told = tuple[list[str], int]
    Json = dict[str, Any]

SECONDS = 900
SHOWN = 2000


def measured(project: str, command: str) -> Json:
    """One command, its exit code, and the end of what it printed. Too long is a failure of its own."""
    begun = time.monotonic()
    try:
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        code, output = ran.returncode, ran.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        code, output = 124, (late.stdout or b"").decode("utf-8", "replace") + f"\nnot finished after {SECONDS} seconds"
    seconds = round(time.monotonic() - begun, 2)
    return {"command": command, "exit": code, "passed": code == 0, "seconds": seconds, "output": output[-SHOWN:]}


def _refuse_changed(found: Json, wanted: list[str]) -> None:
    known = found.get("commands")
    new = [each for each in wanted if isinstance(known, list) and each not in known]
    if new:
        raise ValueError(f"not among the approved commands: {'; '.join(new)}. Go back to Phase 1 and have it approved")


def _refuse_dropped(found: Json, wanted: list[str]) -> None:
    """What was approved and is not run has not passed."""
    gone = [each for each in state.listing(found.get("commands")) if each not in wanted]
    if gone:
        told = "; ".join(map(str, gone))
        raise ValueError(f"approved, and no longer in PLAN.md: {told}. Put it back, or have the plan approved again")


def _todo(project: str, number: int) -> plan.Todo:
    todo = plan.parse(store.plan_of(project) or "").todo(number)
    if todo is None:
        raise ValueError(f"PLAN.md has no TODO {number}")
    return todo


def verify(project: str, given: argparse.Namespace) -> Told:
    found = driving.needed(project)
    wanted = list(commands.of_todo(_todo(project, given.todo)))
    _refuse_changed(found, wanted)
    if not wanted:
        return [f"TODO {given.todo} has no A-item with a command: not measured."], 1
    results = [measured(project, command) for command in wanted]
    return _told(results), 0 if all(each["passed"] for each in results) else 1


def _told(results: list[Json]) -> list[str]:
    lines = [f"{'PASS' if each['passed'] else 'FAIL'} exit {each['exit']}: {each['command']}" for each in results]
    return lines + [each["output"].rstrip()[-600:] for each in results if not each["passed"]]


def done(project: str, given: argparse.Namespace) -> Told:
    """Verified and committed, in this order (C-29, C-36)."""
    lines, status = verify(project, given)
    if status:
        return [*lines, f"TODO {given.todo} stays as it is."], status
    left = _uncommitted(project, given.todo)
    if left:
        return [*lines, f"Not committed yet: {', '.join(left)}. uam:uam-git-master commits first."], 2
    _mark(project, given.todo, plan.DONE)
    return [*lines, f"[x] TODO {given.todo}"], 0


def fail(project: str, given: argparse.Namespace) -> Told:
    driving.needed(project)
    _mark(project, given.todo, plan.FAILED)
    return [f"[FAILED] TODO {given.todo}: Phase 4 handles it, the sprint goes on."], 0


def _mark(project: str, number: int, box: str) -> None:
    with store.locked(project):
        text = store.plan_of(project) or ""
        store.write(project, store.plan_path(project), plan.marked(text, number, box))
    store.change(project, lambda before: before)


def _uncommitted(project: str, number: int) -> list[str]:
    """Files that the TODO's worker changed and git still shows as changed. Without git there is nothing to wait for."""
    records = state.listing(json.loads(store.text_of(project, artefacts.OUTPUTS_PATH) or "[]"))
    ours = [each for each in map(state.mapping, records) if _number(each.get("todo_id")) == number]
    files = [path for each in ours for path in state.listing(state.mapping(each.get("outputs")).get("files_changed"))]
    files = [path for path in files if isinstance(path, str) and path]
    if not files or not os.path.exists(f"{project}/.git"):
        return []
    told = subprocess.run(
        ["git", "status", "--porcelain", "--", *files], cwd=project, capture_output=True, text=True, check=False
    )
    return sorted({line[3:] for line in told.stdout.splitlines()})


def _number(todo: object) -> int:
    digits = "".join(each for each in str(todo) if each.isdigit())
    return int(digits) if digits else 0


def gate(project: str, given: argparse.Namespace) -> Told:
    found = driving.needed(project, state.GATE)
    match given.number:
        case 1:
            return _gate_one(project, found)
        case 2:
            return _gate_two(project, given)
        case _:
            return _gate_three(project, given)


def _gate_one(project: str, found: Json) -> Told:
    """Tier by tier; a failure leaves out the tiers behind it, and what was not run has not passed."""
    tiers = commands.tiers(plan.parse(store.plan_of(project) or ""))
    wanted = [command for tier in tiers.values() for command in tier]
    _refuse_changed(found, wanted)
    _refuse_dropped(found, wanted)
    if not wanted:
        raise ValueError("PLAN.md has no A-item with a command: nothing can be measured, so nothing passes")
    results: list[Json] = []
    for tier, listed in tiers.items():
        if all(each["passed"] for each in results):
            results += [{**measured(project, command), "tier": tier} for command in listed]
    passed = sum(each["passed"] for each in results)
    failed = [test for each in results if not each["passed"] for test in _failed(each)]
    said = "" if not failed else summary.failure_summary(passed, len(wanted), failed)
    report = {"passed": passed, "total": len(wanted), "results": results, "summary": said}
    report |= {
        "isolation": "none",
        "status": "DEGRADED",
    }  # in the working tree; andon's own pipeline has a sandbox
    store.write_json(project, artefacts.GATE1_PATH, report)
    rate = round(passed / len(wanted), 4)

    def kept(before: Json) -> Json:
        measures = state.mapping(before.get("convergence"))
        history = [*state.listing(measures.get("pass_rate_history")), rate]
        return {**_gated(before, 1, not failed), "convergence": {**measures, "pass_rate_history": history}}

    after = store.change(project, kept)
    if not failed:
        return [f"Gate 1: PASS, {passed}/{len(wanted)} commands."], 0
    rates = state.listing(after["convergence"]["pass_rate_history"])
    advice = convergence.strategy(len(wanted) - passed, len(wanted), 0, rates)
    return [said, f"Gate 1: FAIL. Trend {convergence.trend(rates)}, strategy {advice}."], 1


def _failed(result: Json) -> list[tuple[str, str, str]]:
    return failing.failed_tests(result["output"], (), result["command"])


def _gated(before: Json, number: int, passed: bool | None, **more: object) -> Json:
    return {
        **before,
        "gate_results": {**state.mapping(before.get("gate_results")), f"gate{number}_passed": passed, **more},
    }


def _gate_two(project: str, given: argparse.Namespace) -> Told:
    if given.status:
        status = given.status
    elif given.critical is None or given.warnings is None:
        raise ValueError("gate 2 wants --critical and --warnings as the review counted them, or --status")
    else:
        status = gates.verdict_of(given.critical, given.warnings)
    passed, verdict = gates.review_verdict([status])
    reviewer = {"status": status, "critical": given.critical, "warnings": given.warnings}
    report = {"reviewers": {"uam-code-reviewer": reviewer}, "verdict": verdict, "performed": passed is not None}
    store.write_json(project, artefacts.GATE2_PATH, report)
    store.change(project, lambda before: _gated(before, 2, passed, gate2_status=verdict))
    told = " (the review was not performed)" if verdict in phases.NOT_PERFORMED else ""
    return [f"Gate 2: {verdict}{told}."], 1 if passed is False else 0


def _gate_three(project: str, given: argparse.Namespace) -> Told:
    """Every scenario by its own share of passes (X-33)."""
    scenarios: dict[str, list[bool]] = {}
    for name, runs in map(_runs, given.runs or ()):
        scenarios.setdefault(name, []).extend(runs)
    if not scenarios:
        raise ValueError("gate 3 wants --runs NAME=pass,pass,fail for every scenario")
    items = len(plan.parse(store.plan_of(project) or "").for_users)
    if len(scenarios) < items:
        raise ValueError(f"{len(scenarios)} of {items} S-items have a scenario: every one needs its own")
    verdicts = {name: gates.scenario_passed(runs) for name, runs in scenarios.items()}
    report = {name: {"runs": runs, "passed": verdicts[name]} for name, runs in scenarios.items()}
    store.write_json(project, artefacts.GATE3_PATH, {"scenarios": report, "passed": all(verdicts.values())})
    store.change(project, lambda before: _gated(before, 3, all(verdicts.values())))
    lines = [
        f"{'PASS' if passed else 'FAIL'} {name}: {sum(scenarios[name])}/{len(scenarios[name])}"
        for name, passed in verdicts.items()
    ]
    return [*lines, f"Gate 3: {'PASS' if all(verdicts.values()) else 'FAIL'}."], 0 if all(verdicts.values()) else 1


def _runs(text: str) -> tuple[str, list[bool]]:
    name, _, told = text.partition("=")
    words = [each.strip().lower() for each in told.split(",")]
    if not name or any(word not in ("pass", "fail") for word in words):
        raise ValueError(f"`{text}` is not like login=pass,pass,fail")
    return name, [word == "pass" for word in words]


def attempt(project: str, given: argparse.Namespace) -> Told:
    """One attempt of a bugfix, with the command that shows the bug. The third failure is the end (C-15)."""
    found = driving.needed(project, state.FIX)
    shown_by = found.get("bug_command") or given.run
    if shown_by != given.run:
        raise ValueError(f"the first attempt was measured by `{shown_by}`: so is every other")
    result = measured(project, given.run)
    number = (found.get("fix_loop_count") or 0) + 1
    most = found.get("max_fix_loops") or state.MAX_FIX_LOOPS
    _write_down(project, number, given.tried, result)
    over = result["passed"] or number >= most
    end = {"current_phase": state.COMPLETED, "partial": not result["passed"]} if over and _alone(found) else {}
    kept = {"fix_loop_count": number, "bug_command": shown_by if _alone(found) else ""}
    store.change(project, lambda before: {**before, **kept, **end})
    if result["passed"]:
        return [f"Attempt {number}: PASS. The bug is gone as far as `{given.run}` tells."], 0
    lines = [f"Attempt {number} of {most}: FAIL, exit {result['exit']}.", result["output"].rstrip()[-600:]]
    if over:
        lines.append("Stop here: tell the person what was tried, and offer the whole pipeline with /uam:uam.")
    return lines, 1


def _alone(found: Json) -> bool:
    return found.get("pipeline") == "bugfix"


def _write_down(project: str, number: int, tried: str, result: Json) -> None:
    with store.locked(project):
        before = store.text_of(project, artefacts.ATTEMPTS_PATH) or "# Attempts\n"
        said = "passed" if result["passed"] else f"failed, exit {result['exit']}"
        entry = f"\n## Attempt {number}\n\n- Tried: {' '.join(tried.split())}\n- `{result['command']}`: {said}\n"
        store.write(project, artefacts.ATTEMPTS_PATH, before.rstrip("\n") + "\n" + entry)
