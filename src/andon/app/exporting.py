"""Evidence for others: the signed envelopes as files, in the form in-toto and DSSE tools read, and the public key.

What does not hold is not handed out: a person would have to check it again with andon to notice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from andon.app.legs import refuse_elsewhere
from andon.app.store import Store
from andon.domain.errors import UserError
from andon.domain.run import RunRow
from andon.engine.ledger import Ledger, Record

BUNDLE = "evidence.intoto.jsonl"
"""All envelopes in their order, one a line, as in-toto bundles have them."""
KEY = "key.pem"


@dataclass(frozen=True, slots=True)
class Exported:
    folder: Path
    key_id: str
    files: tuple[str, ...]
    """Relative to the folder."""


def export(store: Store, run: RunRow, folder: Path) -> Exported:
    """Write the evidence of a run into a folder that is not there yet, or is empty."""
    refuse_elsewhere(store, run)
    ledger = store.ledger
    records = ledger.records(run.id)
    if not records:
        raise UserError(f"Run {run.id} has no evidence", "Nothing was measured, so there is nothing to export.")
    if breaks := ledger.verify(run.id):
        told = f"Record {breaks[0].seq} of run {run.id} does not hold: {breaks[0].reason}"
        raise UserError(told, f"`andon evidence verify {run.id}` says what else was changed. Nothing was written.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"{folder} is not empty", "Name a folder that is not there yet.")
        return Exported(folder, ledger.key_id, tuple(_written(ledger, records, folder)))
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}", "Name another folder.") from error


def _written(ledger: Ledger, records: list[Record], folder: Path) -> list[str]:
    names = [f"{record.seq:03}-{_name(record)}.dsse.json" for record in records]
    files = {name: record.envelope.encode() + b"\n" for name, record in zip(names, records, strict=True)}
    files[BUNDLE] = b"".join(record.envelope.encode() + b"\n" for record in records)
    files[KEY] = ledger.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for digest in {record.predicate.get("output") for record in records} - {None, ""}:
        output = ledger.store.read(str(digest))
        if output is not None:
            files[f"outputs/{digest}"] = output
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return sorted(files)


def _name(record: Record) -> str:
    """The goal, or the finding that was accepted, as part of a file's name."""
    told = record.predicate
    return re.sub(r"[^\w-]", "-", str(told["goal"] if record.measurement else told["finding"]))[:40]
