"""No run is done, and nothing is committed, but through verification: whatever a pipeline says."""

from __future__ import annotations

import ast
import re
import threading
import uuid
from pathlib import Path
from typing import Any

from andon.domain.goal import Goal
from andon.domain.run import Ending, Status, Stopped
from andon.domain.verdict import Verdict
from andon.domain.verification import VERIFICATION, finding_id
from andon.engine.run import DurableRun
from floor import Floor

WRITERS = {
    ("app/closing.py", "_close"),
    ("app/closing.py", "reopen"),
    ("app/execute.py", "_close"),
    ("app/execute.py", "_execute"),
    ("app/execute.py", "_leg"),
    ("app/forking.py", "fork"),
    ("app/conversations.py", "end"),
    ("app/resuming.py", "next_leg"),
    ("app/starting.py", "_create"),
    ("app/verifying.py", "_record"),
    ("engine/leg.py", "update"),
    ("engine/waiting.py", "answer"),
}
DONE = Ending(Status.DONE, "goal_met", "everything is fine")


async def _work(run: DurableRun, path: str = "a.txt", text: str = "changed\n") -> None:
    await run.write(path, text)


async def _verify(run: DurableRun, *goals: Goal) -> Any:
    await run.prepare()
    return await run.verify(goals, "", {}, ())


def test_work_that_was_never_verified_is_not_done(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        return DONE

    ended = floor.end(pipeline)

    assert (ended["status"], ended["reason"]) == ("failed", "unverified")
    assert "a.txt" in ended["message"]


def test_work_that_was_refused_is_not_done(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        told = await _verify(run, Goal("build", commands=(("false",),)))
        assert told.verdict is Verdict.FAILED
        return DONE

    assert floor.end(pipeline)["reason"] == "unverified"


def test_what_a_person_accepted_on_the_record_is_done(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        told = await _verify(run, Goal("build", commands=(("false",),)), Goal("lint", commands=(("true",),)))
        for finding in told.findings:
            await run.accept(finding_id(finding), finding.message, "known")
        await run.commit("the work")
        return DONE

    assert floor.end(pipeline)["status"] == "done"
    assert [record for record in floor.store.ledger.records("r1") if not record.measurement]


def test_work_that_could_not_be_measured_is_not_done(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        goal = Goal("build", settled=Verdict.NOT_MEASURED, reason="the compiler is missing")
        told = await _verify(run, goal)
        assert told.verdict is Verdict.NOT_MEASURED
        return DONE

    assert floor.end(pipeline)["reason"] == "unverified"


def test_what_changes_after_the_verdict_is_not_covered_by_it(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        assert (await _verify(run, Goal("build", commands=(("true",),)))).verdict is Verdict.PASSED
        await _work(run, "b.txt", "and one more thing\n")
        return DONE

    ended = floor.end(pipeline)

    assert ended["reason"] == "unverified" and "b.txt changed after its verdict" in ended["message"]


def test_nothing_is_committed_without_a_verdict(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        await run.commit("done, trust me")
        return DONE

    ended = floor.end(pipeline)

    assert ended["reason"] == "bug" and "not verified" in ended["message"]
    assert not floor.told("committed")


def test_verified_work_is_done_and_its_verdict_is_evidence(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        assert (await _verify(run, Goal("build", commands=(("true",),)))).verdict is Verdict.PASSED
        await run.write("docs/04-report/x.report.md", "# Report\n")  # what andon writes down is no part of the work
        await run.commit("the work")
        return DONE

    ended = floor.end(pipeline)

    assert ended["status"] == "done"
    records = {record.predicate["goal"]: record for record in floor.store.ledger.records("r1")}
    assert records[VERIFICATION].predicate["verdict"] == "passed" and "build" in records
    [told] = floor.told("verification")
    assert told["verdict"] == "passed" and not told["findings"]


def test_a_stop_ends_a_verification_and_all_it_started(floor: Floor) -> None:
    """Given a trial that would take ten minutes, when a person stops the run, then it ends now and nothing is left."""
    marker = f"{uuid.uuid4().int % 10**6 + 600}.25"

    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        await _work(run)
        stop = threading.Timer(1.5, floor.store.holds.request_stop, ("r1",))
        stop.start()
        try:
            await _verify(run, Goal("build", commands=(("sleep", marker),)))
        except Stopped:
            return Ending(Status.STOPPED, "stopped", "")
        finally:
            stop.join()
        return DONE

    assert floor.end(pipeline)["status"] == "stopped"
    assert not [pid for pid in Path("/proc").glob("[0-9]*/cmdline") if marker.encode() in _read(pid)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_run_that_changed_nothing_needs_no_verdict(floor: Floor) -> None:
    async def pipeline(run: DurableRun, payload: dict[str, Any]) -> Ending:
        return DONE

    assert floor.end(pipeline)["status"] == "done"


def test_nobody_else_writes_how_a_run_stands() -> None:
    """Who writes rows of runs, function by function. `_close` has what the execution returned; `reopen` puts back what
    stood there; `_record` writes rows of verifications, which are no runs. One more has to be looked at."""
    source = Path(__file__).resolve().parents[2] / "src/andon"
    writers = {
        (str(path.relative_to(source)), function.name)
        for path in source.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and re.search(r"(?<!tables\.)\bruns\.(?:create|update)$", ast.unparse(node))
    }

    assert writers == WRITERS
