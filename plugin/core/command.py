"""`uam …`: the words of the command line, and which function each means. Standard output is for people and models.

Exit codes: 0 done; 1 measured and failed, or something is missing; 2 not possible now, with the reason.
"""

from __future__ import annotations

import argparse
import sys

import driving
import learning
import looking
import measuring
import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    Below = argparse._SubParsersAction[argparse.ArgumentParser]  # pyright: ignore[reportPrivateUsage]


def main(words: list[str]) -> int:
    given = _parser().parse_args(words)
    project = given.project or place.project()[0]
    try:
        lines, status = given.does(project, given)
    except (ValueError, OSError) as error:
        print(f"uam: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="uam", description="The pipeline of this project: look at it, drive it.")
    parser.add_argument("--project", help="the project's folder")
    below = parser.add_subparsers(required=True, metavar="COMMAND")
    _look(below)
    _drive(below)
    _measure(below)
    return parser


def _add(below: Below, name: str, does: object, text: str) -> argparse.ArgumentParser:
    command = below.add_parser(name, help=text, description=text)
    command.set_defaults(does=does)
    return command


def _look(below: Below) -> None:
    status = _add(below, "status", looking.status, "phase, TODOs, gates, convergence; changes nothing")
    status.add_argument("--json", action="store_true")
    _add(below, "plan", looking.plan_problems, "what is wrong with PLAN.md, by line")
    _add(below, "ready", looking.ready, "the TODOs that can be done now, and by whom")
    check = _add(below, "check", looking.check, "whether the installation is whole")
    check.add_argument("--json", action="store_true")


def _drive(below: Below) -> None:
    start = _add(below, "start", driving.start, "begin a pipeline")
    start.add_argument("--pipeline", choices=("full", "small", "bugfix"), default="full")
    start.add_argument("feature", nargs="*")
    cancel = _add(below, "cancel", driving.cancel, "stop, so that it can be resumed")
    cancel.add_argument("--force", action="store_true", help="forget the state")
    _add(below, "resume", driving.resume, "go on where it was cancelled")
    _add(below, "approve", driving.approve, "the plan is approved: begin the sprint")
    phase = _add(below, "phase", driving.phase, "go to another phase, where an edge leads there")
    phase.add_argument("name")
    wait = _add(below, "wait", driving.wait, "a person has to answer: let the turn end")
    wait.add_argument("question")
    complete = _add(below, "complete", driving.complete, "the end of Phase 5")
    complete.add_argument("--confirmed", action="store_true", help="a person has confirmed every H-item")
    _add(below, "compound", learning.compound, "write what was learnt, and the project's memory")


def _measure(below: Below) -> None:
    for name, does, text in (
        ("verify", measuring.verify, "run a TODO's commands again; changes nothing"),
        ("done", measuring.done, "the same, and check its box if they pass and its work is committed"),
        ("fail", measuring.fail, "mark a TODO as failed after three reconciliations"),
    ):
        _add(below, name, does, text).add_argument("todo", type=int)
    gate = _add(below, "gate", measuring.gate, "evaluate a gate of Phase 3 and keep its result")
    gate.add_argument("number", type=int, choices=(1, 2, 3))
    gate.add_argument("--critical", type=int, help="gate 2: critical findings of the review")
    gate.add_argument("--warnings", type=int, help="gate 2: warnings of the review")
    gate.add_argument("--status", choices=("SKIPPED", "DEGRADED"), help="gate 2: nobody could judge")
    gate.add_argument("--runs", action="append", help="gate 3: a scenario's runs, such as login=pass,pass,fail")
    attempt = _add(below, "attempt", measuring.attempt, "bugfix: measure an attempt and write it down")
    attempt.add_argument("tried", help="what was tried")
    attempt.add_argument("--run", required=True, help="the command that shows the bug")
