"""The chain of evidence: in-toto statements in signed DSSE envelopes, each naming the one before.

Most are test results, of what andon measured; the others say what a person accepted, and why. The newest link is
anchored outside the database (anchor.py).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from andon.domain.errors import UserError
from andon.domain.goal import Goal
from andon.domain.verdict import CheckResult, Verdict
from andon.engine import tables
from andon.engine.anchor import Anchor, Anchorage, advanced, anchor_faults
from andon.engine.content import ContentStore
from andon.engine.database import one_writer, reading
from andon.engine.signing import SigningKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
ACCEPTANCE_TYPE = "urn:andon:acceptance:v1"
BASE = "base"
_RESULTS = {
    Verdict.PASSED: "PASSED",
    Verdict.FAILED: "FAILED",
    # The in-toto vocabulary has no fourth word; `measured` in the predicate keeps the two apart.
    Verdict.NOT_MEASURED: "WARNED",
    Verdict.NOT_NEEDED: "WARNED",
}


@dataclass(frozen=True, slots=True)
class Record:
    """One link of a run's chain."""

    run: str
    seq: int
    step: str
    """(leg).(step) of the run that measured it."""
    digest: str
    previous: str
    envelope: str

    @property
    def statement(self) -> dict[str, Any]:
        contents = _open(self.envelope)
        if contents is None:
            what = f"Record {self.seq} of run {self.run} cannot be read"
            raise UserError(what, f"`andon evidence verify {self.run}` says which records still hold.")
        return contents.statement

    @property
    def predicate(self) -> dict[str, Any]:
        return self.statement["predicate"]

    @property
    def measurement(self) -> bool:
        """A check's result, and no acceptance by a person."""
        return self.statement.get("predicateType") != ACCEPTANCE_TYPE

    @property
    def at_base(self) -> bool:
        """Measured on the base, to compare with: it says nothing of the work."""
        return self.predicate.get("at") == BASE


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A person takes a finding upon themselves."""

    finding: str
    """Its id."""
    text: str
    by: str
    reason: str
    tree: str
    """The files it was found in."""


@dataclass(frozen=True, slots=True)
class Break:
    """Why a link does not hold."""

    seq: int
    """0: the anchor, or the chain as a whole."""
    reason: str


class Ledger:
    def __init__(
        self, engine: sa.Engine, key: SigningKey, store: ContentStore, anchorage: Anchorage | None = None
    ) -> None:
        self._engine = engine
        self._key = key
        self._anchorage = anchorage
        self.store = store

    @property
    def public_key(self) -> Ed25519PublicKey:
        return self._key.public

    def seed_of(self, *parts: str) -> str:
        """What chance is made from: the same for the same question, and known to nobody who has not the key."""
        return hashlib.sha256(self._key.sign("\n".join(("seed", *parts)).encode())).hexdigest()

    @property
    def key_id(self) -> str:
        """By which envelopes name the key."""
        return self._key.id

    def append(
        self, run: str, key: str, result: CheckResult, goal: Goal | None = None, *, at_base: bool = False
    ) -> Record:
        """Add the evidence of one check. Repeating it with the same key returns the link that is there.

        `goal` is what was run for it, so that it can be run again; without one nothing was.
        """
        place = {"at": BASE} if at_base else {}
        return self._add(run, key, PREDICATE_TYPE, result.tree, _measured(result) | _commands(goal) | place)

    def accept(self, run: str, key: str, acceptance: Acceptance) -> Record:
        """Add that a person accepts a finding; the same key gives the link that is there."""
        told = {"finding": acceptance.finding, "text": acceptance.text}
        told |= {"by": acceptance.by, "reason": acceptance.reason}
        return self._add(run, key, ACCEPTANCE_TYPE, acceptance.tree, told)

    def _add(self, run: str, key: str, kind: str, tree: str, predicate: Mapping[str, Any]) -> Record:
        with self._engine.begin() as connection:
            one_writer(connection, run)
            rows = _rows(connection, run)
            digests = [row["digest"] for row in rows]
            known = next((r for r in rows if r["key"] == key), None)
            if known is not None:
                record = _record(known)
            else:
                place = {"run": run, "seq": len(rows) + 1, "step": key, "previous": [_genesis(run), *digests][-1]}
                place |= self._anchored(run, digests)
                record = self._link(_statement(kind, tree, place | dict(predicate)))
                connection.execute(tables.evidence.insert(), _row(record))
                digests.append(record.digest)
        # Only now that the link is on disk: an anchor ahead of its chain would say that something was taken away.
        self._anchored(run, digests)
        return record

    def anchor(self, run: str, place: Anchorage) -> None:
        """Anchor the newest link in one more place."""
        place.change(run, advanced(run, [record.digest for record in self.records(run)], self._key))

    def anchored(self, run: str, place: Anchorage | None = None) -> int:
        """Up to which link the chain is anchored, there or where links are anchored as they are written."""
        place = place or self._anchorage
        kept = place.read(run) if place else None
        held = Anchor.opened(kept.content, self._key.public) if kept else None
        return held.seq if held else 0

    def _anchored(self, run: str, digests: list[str]) -> dict[str, int]:
        """Anchor what is there; how far the anchor has come, as statements say it."""
        if self._anchorage is None:
            return {}
        self._anchorage.change(run, advanced(run, digests, self._key))
        return {"anchor": self.anchored(run)}

    def records(self, run: str) -> list[Record]:
        with reading(self._engine) as connection:
            return [_record(row) for row in _rows(connection, run)]

    def verify_order(self, run: str) -> list[Break]:
        """Every way in which a chain that another machine signed contradicts itself; its key and outputs are there."""
        return self._chain(run, self.records(run), lambda record, contents: [])

    def verify(self, run: str, second: Anchorage | None = None) -> list[Break]:
        """Every way in which the chain does not hold; empty when it does. `second`: another place it is anchored in."""
        records = self.records(run)
        breaks = self._chain(run, records, self._own_faults)
        digests, claimed = [record.digest for record in records], max(map(_claim, records), default=0)
        if second is not None:
            found = anchor_faults(run, digests, 0, second.read(run), self._key.public)
            breaks += [Break(seq, reason) for seq, reason in found]
            claimed = max(claimed, self.anchored(run, second))
        if self._anchorage is not None:
            found = anchor_faults(run, digests, claimed, self._anchorage.read(run), self._key.public)
            breaks += [Break(seq, reason) for seq, reason in found]
        return list(dict.fromkeys(breaks))

    def _link(self, statement: Mapping[str, Any]) -> Record:
        payload = json.dumps(statement, sort_keys=True).encode()
        envelope = _envelope(payload, self._key.sign(_pae(payload)), self._key.id)
        told, digest = statement["predicate"], hashlib.sha256(payload).hexdigest()
        return Record(told["run"], told["seq"], told["step"], digest, told["previous"], envelope)

    def _own_faults(self, record: Record, contents: _Contents) -> list[str]:
        """What is wrong with a record that this machine has signed and whose output it keeps."""
        faults: list[str] = []
        try:
            self._key.public.verify(contents.signature, _pae(contents.payload))
        except InvalidSignature:
            faults.append("signature does not match")
        # The signature covers the payload alone; nothing around it may be other than it was written either.
        if _envelope(contents.payload, contents.signature, self._key.id) != record.envelope:
            faults.append("envelope is not as it was written")
        output = str(contents.statement["predicate"].get("output", ""))
        if output and self.store.read(output) is None:
            faults.append("kept output is missing or changed")
        return faults

    def _chain(self, run: str, records: list[Record], more: Callable[[Record, _Contents], list[str]]) -> list[Break]:
        breaks: list[Break] = []
        previous = _genesis(run)
        for position, record in enumerate(records, start=1):
            contents = _open(record.envelope)
            if contents is None:
                faults = ["unreadable envelope"]
            else:
                faults = [*_misplaced(record, contents, run, position, previous), *more(record, contents)]
            breaks += [Break(position, reason) for reason in faults]
            previous = record.digest
        return breaks


def _misplaced(record: Record, contents: _Contents, run: str, position: int, previous: str) -> list[str]:
    """Where a record and its row, or its place in the chain, contradict each other."""
    payload, predicate = contents.payload, contents.statement["predicate"]
    faults: list[str] = []
    if hashlib.sha256(payload).hexdigest() != record.digest:
        faults.append("statement does not match its digest")
    if (record.seq, predicate.get("seq"), predicate.get("run")) != (position, position, run):
        faults.append("out of sequence")
    if record.step != predicate.get("step"):
        faults.append("filed under another step than the one that measured")
    if record.previous != previous or predicate.get("previous") != previous:
        faults.append("chain broken before this record")
    return faults


@dataclass(frozen=True, slots=True)
class _Contents:
    payload: bytes
    signature: bytes
    statement: dict[str, Any]


def _envelope(payload: bytes, signature: bytes, key_id: str) -> str:
    return json.dumps(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": key_id, "sig": base64.b64encode(signature).decode()}],
        }
    )


def _open(envelope: str) -> _Contents | None:
    """What is in an envelope, or None when it has not the shape of one: whoever changed it may write anything."""
    try:
        outer = json.loads(envelope)
        payload = base64.b64decode(outer["payload"], validate=True)
        signature = base64.b64decode(outer["signatures"][0]["sig"], validate=True)
        statement = json.loads(payload)
        well_formed = isinstance(statement["predicate"], dict)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return _Contents(payload, signature, statement) if well_formed else None


def _statement(kind: str, tree: str, predicate: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "tree", "digest": {"gitTree": tree}}],
        "predicateType": kind,
        "predicate": dict(predicate),
    }


def _measured(result: CheckResult) -> dict[str, Any]:
    return {
        "result": _RESULTS[result.verdict],
        "measured": result.verdict in (Verdict.PASSED, Verdict.FAILED),
        "verdict": str(result.verdict),
        "goal": result.goal,
        "reason": result.reason,
        "command": list(result.command),
        "exitCode": result.exit_code,
        "sandbox": result.sandbox,
        "environment": result.environment,
        "output": result.output_digest,
        "truncated": result.truncated,
        "signatures": list(result.signatures),
    }


def _commands(goal: Goal | None) -> dict[str, Any]:
    if goal is None or goal.settled is not None:
        return {}
    return {"commands": [list(argv) for argv in goal.commands], "pattern": goal.pattern}


def _genesis(run: str) -> str:
    return hashlib.sha256(f"andon run {run}".encode()).hexdigest()


def _pae(payload: bytes) -> bytes:
    """DSSE pre-authentication encoding."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _rows(connection: sa.Connection, run: str) -> list[Mapping[str, Any]]:
    table = tables.evidence
    query = sa.select(table).where(table.c.run == run).order_by(table.c.seq)
    return [dict(row) for row in connection.execute(query).mappings()]


def _row(record: Record) -> dict[str, Any]:
    told = {"digest": record.digest, "previous": record.previous, "envelope": record.envelope}
    return {"run": record.run, "seq": record.seq, "key": record.step} | told


def _claim(record: Record) -> int:
    """Up to which link the chain was anchored when this one was written, as it says itself."""
    contents = _open(record.envelope)
    told = contents.statement["predicate"].get("anchor") if contents else 0
    return told if isinstance(told, int) else 0


def _record(row: Mapping[str, Any]) -> Record:
    return Record(row["run"], row["seq"], row["key"], row["digest"], row["previous"], row["envelope"])
