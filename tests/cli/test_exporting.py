"""`andon evidence export`: what it writes is read and verified by tools that know nothing of andon."""

from __future__ import annotations

import json
import sqlite3
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey


def exported(done: Any, folder: Path) -> dict[str, Any]:
    ran = done.andon("evidence", "export", "", str(folder), "--json")
    assert ran.code == 0, ran.stderr
    return json.loads(ran.stdout)


def key_of(folder: Path, id: str) -> SSlibKey:
    return SSlibKey.from_crypto(load_pem_public_key((folder / "key.pem").read_bytes()), keyid=id)


def test_exported_envelopes_verify_with_securesystemslib(done: Any, tmp_path: Path) -> None:
    told = exported(done, tmp_path / "out")

    key = key_of(tmp_path / "out", told["key"])
    envelopes = [
        json.loads((tmp_path / "out" / name).read_text()) for name in told["files"] if name.endswith(".dsse.json")
    ]
    assert envelopes
    for each in envelopes:
        envelope = Envelope.from_dict(deepcopy(each))  # it takes apart what it is given
        assert envelope.verify([key], 1)
        statement = json.loads(envelope.payload)
        assert statement["_type"] == "https://in-toto.io/Statement/v1" and statement["subject"][0]["digest"]["gitTree"]
    bundle = (tmp_path / "out/evidence.intoto.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in bundle] == envelopes


def test_a_changed_envelope_does_not_verify(done: Any, tmp_path: Path) -> None:
    told = exported(done, tmp_path / "out")
    [first, *_] = sorted((tmp_path / "out").glob("*.dsse.json"))
    envelope = Envelope.from_dict(json.loads(first.read_text()))

    envelope.payload = envelope.payload.replace(b'"run"', b'"ran"')

    with pytest.raises(VerificationError):
        envelope.verify([key_of(tmp_path / "out", told["key"])], 1)


def test_a_folder_with_something_in_it_is_left_alone(done: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")

    ran = done.andon("evidence", "export", "", str(tmp_path))

    assert ran.code == 3 and "is not empty" in ran.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_evidence_that_does_not_hold_is_not_exported(person: Any, tmp_path: Path) -> None:
    assert person.auto().code == 0
    with sqlite3.connect(person.home / "andon.db") as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE andon_evidence SET envelope = replace(envelope, 'DSSE', 'dsse'), digest = 'x'")

    ran = person.andon("evidence", "export", "", str(tmp_path / "out"))

    assert ran.code == 3 and "does not hold" in ran.stderr and "evidence verify" in ran.stderr
    assert not (tmp_path / "out").exists()
