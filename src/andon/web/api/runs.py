"""/api/runs: what there is, how each stands, its journal and its evidence; stop and resume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from andon.app.controlling import resume_soon, stop_soon
from andon.app.evidence import verify
from andon.app.overview import Overview
from andon.app.queries import Record, evidence
from andon.app.resuming import Otherwise
from andon.domain.errors import UserError
from andon.domain.journal import Entry as Written
from andon.domain.run import GOING, RunRow, Status, Wanted
from andon.domain.unreadable import sift
from andon.web.api.common import (
    CHANGING,
    EVERYWHERE,
    MISSING,
    Asked,
    Decider,
    Here,
    NotRead,
    Text,
    Told,
    answers,
    not_read,
)
from andon.web.site import Site

router = APIRouter(prefix="/runs", tags=["runs"])
Before = Annotated[str, Query(max_length=40, description="The `before` of the last page: runs that began earlier.")]
LARGEST = 2**53
"""Of numbers in addresses: what JSON keeps exactly."""


class Station(Told):
    number: int
    name: str
    lamp: str
    visits: int
    seconds: float
    money: float
    note: str


class Agent(Told):
    name: str
    role: str
    model: str
    phase: str
    lamp: str
    what: str
    since: float
    seconds: float
    money: float


class Check(Told):
    seq: int
    at: float
    goal: str
    verdict: str = Field(description="passed, failed, not_measured or not_needed.")
    reason: str
    command: str
    tree: str
    seconds: float
    sandbox: str
    output_digest: str
    phase: str


class Asking(Told):
    id: str
    text: str


class Spent(Told):
    tokens: int
    money: float
    seconds: float


class Budget(Told):
    tokens: int | None
    money: float | None
    seconds: float | None


class Run(Told):
    id: str
    pipeline: str = Field(description="auto, uam or task.")
    task: str
    feature: str
    repository: str
    branch: str
    status: str = Field(
        description="running, waiting, interrupted, stopped, done, failed, needs_user or closed.",
    )
    lamp: str = Field(description="What its lamp shows: failed, waiting, running, passed or todo.")
    phase: str
    mode: str
    reason: str
    leg: int
    created_at: float
    updated_at: float
    ended_at: float | None
    forked_from: str | None
    events: int = Field(description="The number of its last journal entry.")
    problem: str = Field(description="Why it cannot be read: another version wrote it, or a person edited it.")
    spent: Spent


class RunDetail(Run):
    worktree: str
    budget: Budget
    stations: list[Station]
    agents: list[Agent]
    checks: list[Check] = Field(description="Of every goal the last word, on the newest tree.")
    questions: list[Asking]
    review: str | None = Field(description="The review that waits for a person.")
    standing: dict[str, Any] | None = Field(
        description="Of a run at rest: why it stopped, what was tried, what is safe, and the ways on.",
    )


class Runs(Told):
    runs: list[Run]
    unreadable: NotRead
    before: str | None = Field(description="For the next page. None: this was the last.")


class Entry(Told):
    seq: int
    at: float
    kind: str
    phase: str
    data: dict[str, Any]


class Journal(Told):
    entries: list[Entry] = Field(description="Newest first.")
    unreadable: NotRead
    before: int | None = Field(description="For the next page. None: this was the last.")


class Evidence(Told):
    seq: int
    step: str
    digest: str
    previous: str
    statement: dict[str, Any] | None = Field(description="An in-toto statement. None: it cannot be read any more.")
    envelope: str = Field(description="The DSSE envelope that it stands in, signed: JSON, exactly as it was written.")


class Ledger(Told):
    run: str
    records: list[Evidence]


class Fault(Told):
    seq: int = Field(description="0: the anchor, or the chain as a whole.")
    reason: str


class Verified(Told):
    run: str
    holds: bool
    records: int
    anchored: int = Field(description="Up to which record.")
    breaks: list[Fault]
    notes: list[str]
    signed_by: str = Field(
        default="", description="The other machine that signed it, whose key this one does not know."
    )


class Limits(Asked):
    tokens: Annotated[int, Field(ge=0, le=LARGEST)] | None = None
    money: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None

    def given(self) -> dict[str, Any]:
        return {key: value for key, value in self.model_dump().items() if value is not None}


class Resume(Asked):
    direction: Text | None = Field(None, description="What to do differently, in words.")
    budget: Limits | None = Field(None, description="Limits from here on.")


class Accepted(Told):
    id: str
    status: str


@router.get("", summary="List runs, newest first", responses=answers(EVERYWHERE, MISSING))
def list_runs(
    site: Here,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    status: Annotated[Status | None, Query(description="Only those that stand so.")] = None,
    repository: Annotated[str, Query(max_length=4_000, description="Only those of this folder.")] = "",
    before: Before = "",
) -> Runs:
    """All there are, page by page."""
    wanted = Wanted(_stored(status), (repository,) if repository else ())
    found, last = pages(site, limit, before, wanted, lambda each: status in (None, each.status))
    runs = sift(found, lambda each: each.run.id, lambda each: Run(**_told(each)))
    return Runs(runs=runs, unreadable=not_read(runs), before=last)


def pages(
    site: Site, limit: int, before: str, wanted: Wanted, keep: Callable[[Overview], bool]
) -> tuple[list[Overview], str | None]:
    """So many runs that are to be kept, and after which one the next page begins; None where there is no more."""
    found = list[Overview]()
    while True:
        page = site.page(limit, before, wanted=wanted)
        found += [each for each in page if keep(each)]
        if len(found) >= limit or len(page) < limit:
            break
        before = page[-1].run.id
    more = len(found) > limit or len(page) == limit
    kept = found[:limit]
    return kept, kept[-1].run.id if more and kept else None


def _stored(status: Status | None) -> tuple[str, ...]:
    """How a row may read of a run that stands so: whether somebody executes it does not stand there."""
    if status in (Status.RUNNING, Status.WAITING, Status.INTERRUPTED):
        return GOING
    return () if status in (None, Status.NEEDS_PERSON) else (str(status),)


@router.get("/{id}", summary="How a run stands", responses=answers(EVERYWHERE, MISSING))
def get_run(site: Here, id: str) -> RunDetail:
    return detail(site.overviews.of(site.exact(id)))


@router.get("/{id}/journal", summary="A page of the journal, newest first", responses=answers(EVERYWHERE, MISSING))
def get_journal(
    site: Here,
    id: str,
    before: Annotated[int | None, Query(ge=0, le=LARGEST, description="Entries before this number.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> Journal:
    found = site.store.journal.page(site.exact(id).id, before, limit)
    last = found[-1].seq if found else 1
    entries = sift(found, lambda each: each.seq, _entry)
    return Journal(entries=entries, unreadable=not_read(entries), before=last if last > 1 else None)


def _entry(each: Written) -> Entry:
    return Entry(seq=each.seq, at=each.at, kind=each.kind, phase=each.phase, data=dict(each.data))


@router.get("/{id}/evidence", summary="What was measured, signed and chained", responses=answers(EVERYWHERE, MISSING))
def get_evidence(site: Here, id: str) -> Ledger:
    run = site.exact(id, measured=True)
    return Ledger(run=run.id, records=[_record(each) for each in evidence(site.store, run.id)])


@router.get(
    "/{id}/evidence/verify", summary="Check the chain of evidence again", responses=answers(EVERYWHERE, MISSING)
)
def verify_evidence(site: Here, id: str) -> Verified:
    run = site.exact(id, measured=True)
    found = verify(site.store, run)
    return Verified(
        run=run.id,
        holds=not found.breaks and not found.signed_by,
        signed_by=found.signed_by,
        records=len(found.records),
        anchored=found.anchored,
        breaks=[Fault(seq=each.seq, reason=each.reason) for each in found.breaks],
        notes=list(found.notes),
    )


@router.post("/{id}/stop", status_code=202, summary="Stop a run", responses=answers(EVERYWHERE, MISSING, CHANGING))
def stop_run(site: Here, visitor: Decider, id: str) -> Accepted:
    """It answers at once. The run's process ends what it is at, keeps a snapshot, and then stands as `stopped`."""
    run = site.exact(id)
    stop_soon(site.store, run)
    return _accepted(site, run)


@router.post(
    "/{id}/resume", status_code=202, summary="Go on with a run", responses=answers(EVERYWHERE, MISSING, CHANGING)
)
def resume_run(site: Here, visitor: Decider, id: str, asked: Resume | None = None) -> Accepted:
    """After a crash where it was; after a stop or a failure from the files as they are, with another direction or
    budget if you like."""
    given = asked or Resume(direction=None, budget=None)
    limits = given.budget.given() if given.budget else None
    otherwise = Otherwise(budget=limits or None, direction=given.direction, by=visitor.name)
    return _accepted(site, resume_soon(site.store, site.exact(id), otherwise))


def _accepted(site: Here, run: RunRow) -> Accepted:
    now = site.store.runs.get(run.id)
    return Accepted(id=now.id, status=site.store.status(now).value)


def detail(found: Overview) -> RunDetail:
    return RunDetail(
        **_told(found),
        worktree=str(found.worktree),
        budget=Budget.model_validate(found.budget),
        stations=[Station.model_validate(each) for each in found.stations],
        agents=[Agent.model_validate(each) for each in found.agents],
        checks=[Check.model_validate(each) for each in found.last_checks],
        questions=[Asking(id=each.id, text=each.question.text) for each in found.holds],
        review=found.review.id if found.review else None,
        standing=found.standing.as_json() if found.standing else None,
    )


def _told(found: Overview) -> dict[str, Any]:
    row = asdict(found.run)
    row.pop("spec")
    spent = Spent.model_validate(found.spent)
    return row | {
        "status": found.status.value,
        "lamp": found.lamp.value,
        "updated_at": found.updated_at,
        "events": found.events,
        "problem": found.problem,
        "spent": spent,
    }


def _record(record: Record) -> Evidence:
    try:
        statement = record.statement
    except UserError:  # somebody changed it; the verification says so
        statement = None
    return Evidence(
        seq=record.seq,
        step=record.step,
        digest=record.digest,
        previous=record.previous,
        statement=statement,
        envelope=record.envelope,
    )
