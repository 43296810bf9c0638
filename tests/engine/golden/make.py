"""Makes the golden sample of the present schema version, and takes up the run in it. Run when a version is released:

python tests/engine/golden/make.py make tests/engine/golden
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from andon.domain.order import Question
from andon.domain.tasks.reminders import AUTO_APPROVE_SETTING, Stage
from andon.domain.tasks.reviews import Review
from andon.domain.verdict import CheckResult, Verdict
from andon.engine.content import ContentStore
from andon.engine.database import SCHEMA_HEAD, ensure_schema, open_database
from andon.engine.durable import Durable
from andon.engine.holds import Holds
from andon.engine.journal import Journal
from andon.engine.ledger import Ledger
from andon.engine.notices import Target
from andon.engine.redaction import Redaction
from andon.engine.reminders import Reminders
from andon.engine.reviews import Reviews
from andon.engine.runs import Runs
from andon.engine.signing import SigningKey
from andon.engine.switches import Switches
from andon.engine.wishes import Wish, Wishes, WishState

RUN, TASK = "golden22", "Add top(n): 가장 흔한 단어"


async def take_up(engine: sa.Engine, home: Path, crash: bool) -> None:
    """A run of two steps. The first time, the process ends in the middle of the second."""

    async def one() -> dict[str, Any]:
        print("step one", flush=True)
        return {"text": "하나"}

    async def two() -> int:
        if crash:
            os._exit(0)
        print("step two", flush=True)
        return 2

    async def pipeline(workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
        assert payload["request"]["task"] == TASK
        return {"one": await durable.step("ask one", one), "two": await durable.step("check two", two)}

    durable = Durable(engine, RUN, home, pipeline)
    await durable.start()
    await durable.begin(f"{RUN}.1", {"request": {"task": TASK}})
    print(await durable.result(f"{RUN}.1"))
    await durable.close()


def fill(engine: sa.Engine, home: Path) -> None:
    """One row of every kind that the product writes."""
    runs, holds, journal = Runs(engine), Holds(engine), Journal(engine, Redaction({}))
    ledger = Ledger(engine, SigningKey.load(home / "key"), ContentStore(home / "outputs"))
    words = {"pipeline": "auto", "task": TASK, "feature": "top-n", "repository": "/repository", "branch": "feat/top-n"}
    spec = {"version": 1, "payload": {"request": {"task": TASK}}}
    for run in (RUN, "golden33"):
        runs.create(run, words | {"spec": spec})
    runs.update(RUN, status="waiting", mode="LIGHT", phase="check")
    journal.append(RUN, "1.0.1", "run_started", data={"leg": 1, "task": TASK})
    digest = ledger.store.keep(b"1 passed\n")
    passed = CheckResult("test", Verdict.PASSED, command=("pytest",), tree="4b825dc", exit_code=0, output_digest=digest)
    ledger.append(RUN, "1.1", passed)
    journal.append(RUN, "1.1/check", "check", "check", {"goal": "test", "verdict": "passed"})
    ledger.append(RUN, "1.2", CheckResult("build", Verdict.NOT_MEASURED, reason="도구가 없음", tree="4b825dc"))
    holds.open(f"{RUN}/1.3", RUN, Question("Really?"))
    holds.answer(f"{RUN}/1.3", "yes", "kim")
    holds.open(f"{RUN}/1.4", RUN, Question("Go on?", ("go", "stop"), "go", 60.0, "approval"))
    holds.request_stop("golden33")
    waiting(engine, journal)
    wish = Wish("wish22", WishState.PENDING, "task", TASK, "/repository", "kim", 1.0, {"type": "modify_app"})
    Wishes(engine).add(wish)


def waiting(engine: sa.Engine, journal: Journal) -> None:
    """A review that was reminded of, with a notice that nobody took yet, and a switch."""
    opened_at = datetime(2026, 1, 1, tzinfo=UTC)
    Holds(engine).open("golden33/1.7", "golden33", Question("Phase 1?", category="review"))
    review = Review("golden33.1.7", "golden33", 1, "4b825dc", opened_at, "base", ("docs/a.md",))
    Reviews(engine).open("golden33/1.7", review, {"passed": True, "criteria": [], "report": "좋음"})
    targets = [Target("f1f2f3", "json://127.0.0.1")]
    Reminders(engine, journal).fire(review.id, Stage.REMINDER_1, opened_at + timedelta(hours=24), lambda _: targets)
    Switches(engine).turn(AUTO_APPROVE_SETTING, True, "kim")


def make(folder: Path) -> None:
    home = Path(tempfile.mkdtemp())
    engine = open_database(f"sqlite:///{home / 'andon.db'}")
    ensure_schema(engine, home / "migrate.lock")
    fill(engine, home)
    engine.dispose()
    if os.fork() == 0:
        asyncio.run(take_up(engine, home, crash=True))
    os.wait()
    connection = sqlite3.connect(home / "andon.db")
    (folder / f"{SCHEMA_HEAD}.sql").write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
    (folder / f"{SCHEMA_HEAD}.key").write_text((home / "key").read_bytes().hex() + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        asyncio.run(take_up(open_database(sys.argv[2]), Path(sys.argv[3]), crash=False))
