"""The ledger: whatever is changed in a run's chain of evidence, or in what it refers to, `verify` says so."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import threading
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.verdict import CheckResult, Verdict
from andon.engine.content import ContentStore
from andon.engine.ledger import Acceptance, Ledger
from andon.engine.signing import SigningKey

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def result(goal: str = "test", verdict: Verdict = Verdict.PASSED, **more: Any) -> CheckResult:
    words: dict[str, Any] = {"command": ("pytest", "-v"), "tree": TREE, "exit_code": 0, "sandbox": "bwrap+limits"}
    return CheckResult(goal, verdict, **words | more)


def chain(store: Any, count: int = 3, run: str = "r1") -> list[Any]:
    """A run with `count` links, each with an output of its own."""
    store.run(run)
    for number in range(1, count + 1):
        digest = store.ledger.store.keep(f"output {number} of {run}".encode())
        store.ledger.append(run, f"1.{number}", result(f"goal{number}", output_digest=digest))
    return store.ledger.records(run)


# --- what a link is -------------------------------------------------------------------------------------------


def test_E_19_a_link_is_a_signed_dsse_envelope_around_an_in_toto_test_result(store: Any) -> None:
    # given
    output = store.ledger.store.keep(b"1 passed")
    store.run()

    # when
    record = store.ledger.append(
        "r1", "1.4", result(output_digest=output, signatures=("t::a",), environment="sha256:e")
    )

    # then: the envelope, as the DSSE specification has it
    envelope = json.loads(record.envelope)
    assert set(envelope) == {"payload", "payloadType", "signatures"}
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    (signature,) = envelope["signatures"]
    payload = base64.b64decode(envelope["payload"], validate=True)
    encoded = b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload)
    key = Ed25519PrivateKey.from_private_bytes((store.home / "key").read_bytes())
    key.public_key().verify(base64.b64decode(signature["sig"], validate=True), encoded)
    assert signature["keyid"] == hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()[:16]

    # and the statement, as in-toto's attestation framework has it
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert statement["subject"] == [{"name": "tree", "digest": {"gitTree": TREE}}]
    predicate = statement["predicate"]
    assert predicate["result"] == "PASSED"
    assert predicate["command"] == ["pytest", "-v"]
    assert (predicate["run"], predicate["step"], predicate["seq"]) == ("r1", "1.4", 1)
    assert (predicate["output"], predicate["environment"]) == (output, "sha256:e")
    assert hashlib.sha256(payload).hexdigest() == record.digest


@pytest.mark.parametrize(
    ("verdict", "word", "measured"),
    [
        (Verdict.PASSED, "PASSED", True),
        (Verdict.FAILED, "FAILED", True),
        (Verdict.NOT_MEASURED, "WARNED", False),
        (Verdict.NOT_NEEDED, "WARNED", False),
    ],
)
def test_E_21_what_was_not_measured_is_never_recorded_as_passed(
    sqlite_store: Any, verdict: Verdict, word: str, measured: bool
) -> None:
    sqlite_store.run()

    predicate = sqlite_store.ledger.append("r1", "1.1", result(verdict=verdict)).predicate

    assert (predicate["result"], predicate["measured"], predicate["verdict"]) == (word, measured, str(verdict))


def test_an_acceptance_is_a_link_of_the_same_chain_and_no_measurement(store: Any) -> None:
    chain(store, 2)

    record = store.ledger.accept("r1", "2.0.accepted.x", Acceptance("check-3fa2c1", "lint fails", "ada", "known", TREE))
    again = store.ledger.accept("r1", "2.0.accepted.x", Acceptance("check-3fa2c1", "lint fails", "eve", "sure", TREE))
    store.ledger.append("r1", "2.1", result())

    assert again == record and record.seq == 3
    assert [each.measurement for each in store.ledger.records("r1")] == [True, True, False, True]
    told = {key: record.predicate[key] for key in ("finding", "text", "by", "reason")}
    assert told == {"finding": "check-3fa2c1", "text": "lint fails", "by": "ada", "reason": "known"}
    assert "result" not in record.predicate and record.statement["subject"][0]["digest"] == {"gitTree": TREE}
    assert store.ledger.verify("r1") == []


def test_an_acceptance_that_was_edited_is_found(sqlite_store: Any) -> None:
    sqlite_store.run()
    record = sqlite_store.ledger.accept("r1", "2.0", Acceptance("check-3fa2c1", "lint fails", "ada", "known", TREE))
    envelope, digest = edited(record, reason="approved by everybody")
    sqlite_store.allow_changes()
    envelope_of(sqlite_store, 1, envelope, f"UPDATE andon_evidence SET digest = '{digest}' WHERE seq = 1")

    assert "signature does not match" in [each.reason for each in sqlite_store.ledger.verify("r1")]


def test_an_untouched_chain_holds(store: Any) -> None:
    records = chain(store, 5)

    assert store.ledger.verify("r1") == []
    assert [record.seq for record in records] == [1, 2, 3, 4, 5]
    assert [record.previous for record in records[1:]] == [record.digest for record in records[:-1]]


def test_an_append_with_a_known_key_returns_the_link_that_is_there(store: Any) -> None:
    store.run()
    first = store.ledger.append("r1", "1.4", result(verdict=Verdict.FAILED))

    again = store.ledger.append("r1", "1.4", result(verdict=Verdict.PASSED))

    assert again == first
    assert store.ledger.records("r1") == [first]


def test_concurrent_appends_make_one_chain(store: Any) -> None:
    # given eight threads that append links of their own, and one link that all of them append
    store.run()
    failed: list[BaseException] = []
    together = threading.Barrier(8)

    def append(name: int) -> None:
        together.wait(timeout=30)
        try:
            store.ledger.append("r1", "shared", result())
            for number in range(4):
                store.ledger.append("r1", f"{name}.{number}", result())
        except BaseException as error:
            failed.append(error)

    # when
    threads = [threading.Thread(target=append, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    # then
    assert failed == []
    assert len(store.ledger.records("r1")) == 33
    assert store.ledger.verify("r1") == []


@pytest.mark.parametrize("change", ["UPDATE andon_evidence SET digest = 'x'", "DELETE FROM andon_evidence WHERE seq=3"])
def test_links_cannot_be_changed_while_the_triggers_stand(store: Any, change: str) -> None:
    chain(store)

    with pytest.raises(sa.exc.DBAPIError, match="append-only"):
        store.sql(change)

    assert store.ledger.verify("r1") == []


# --- tampering ------------------------------------------------------------------------------------------------

Tamper = Callable[[Any, list[Any]], None]


def envelope_of(store: Any, seq: int, envelope: str, *also: str) -> None:
    with store.engine.begin() as connection:
        connection.execute(
            sa.text("UPDATE andon_evidence SET envelope = :e WHERE run = 'r1' AND seq = :s"), {"e": envelope, "s": seq}
        )
        for statement in also:
            connection.execute(sa.text(statement))


def edited(record: Any, key: SigningKey | None = None, **predicate: Any) -> tuple[str, str]:
    """The record's envelope with another statement in it, and that statement's digest. Signed anew with `key`."""
    envelope, statement = json.loads(record.envelope), record.statement
    statement["predicate"] |= predicate
    payload = json.dumps(statement, sort_keys=True, ensure_ascii=False).encode()
    envelope["payload"] = base64.b64encode(payload).decode()
    if key is not None:
        signed = b"DSSEv1 28 application/vnd.in-toto+json %d %s" % (len(payload), payload)
        envelope["signatures"] = [{"keyid": key.id, "sig": base64.b64encode(key.sign(signed)).decode()}]
    return json.dumps(envelope), hashlib.sha256(payload).hexdigest()


def change_a_field(store: Any, records: list[Any]) -> None:
    envelope_of(store, 2, edited(records[1], verdict="failed")[0])


def change_a_field_and_its_digest(store: Any, records: list[Any]) -> None:
    envelope, digest = edited(records[1], goal="other")
    envelope_of(store, 2, envelope, f"UPDATE andon_evidence SET digest = '{digest}' WHERE seq = 2")


def sign_a_whole_new_chain_with_another_key(store: Any, records: list[Any]) -> None:
    key = SigningKey(Ed25519PrivateKey.generate())
    previous = records[0].previous
    for record in records:
        envelope, digest = edited(record, key, result="PASSED", previous=previous)
        columns = f"UPDATE andon_evidence SET digest = '{digest}', previous = '{previous}' WHERE seq = {record.seq}"
        envelope_of(store, record.seq, envelope, columns)
        previous = digest


def swap_two_records(store: Any, records: list[Any]) -> None:
    store.sql(
        "UPDATE andon_evidence SET seq = -1 WHERE seq = 1",
        "UPDATE andon_evidence SET seq = 1 WHERE seq = 2",
        "UPDATE andon_evidence SET seq = 2 WHERE seq = -1",
    )


def swap_two_envelopes(store: Any, records: list[Any]) -> None:
    envelope_of(store, 1, records[1].envelope)
    envelope_of(store, 2, records[0].envelope)


def delete_the_first(store: Any, records: list[Any]) -> None:
    store.sql("DELETE FROM andon_evidence WHERE seq = 1")


def delete_one_in_the_middle(store: Any, records: list[Any]) -> None:
    store.sql("DELETE FROM andon_evidence WHERE seq = 2")


def delete_one_and_close_the_gap(store: Any, records: list[Any]) -> None:
    store.sql("DELETE FROM andon_evidence WHERE seq = 2", "UPDATE andon_evidence SET seq = 2 WHERE seq = 3")


def delete_one_and_mend_the_column(store: Any, records: list[Any]) -> None:
    mended = f"UPDATE andon_evidence SET seq = 2, previous = '{records[0].digest}' WHERE seq = 3"
    store.sql("DELETE FROM andon_evidence WHERE seq = 2", mended)


def duplicate_one(store: Any, records: list[Any]) -> None:
    store.sql(
        "INSERT INTO andon_evidence (run, seq, key, digest, previous, envelope) "
        "SELECT run, 4, 'copy', digest, previous, envelope FROM andon_evidence WHERE seq = 3"
    )


def change_the_previous_column(store: Any, records: list[Any]) -> None:
    store.sql(f"UPDATE andon_evidence SET previous = '{'0' * 64}' WHERE seq = 2")


def change_the_digest_column(store: Any, records: list[Any]) -> None:
    store.sql(f"UPDATE andon_evidence SET digest = '{'0' * 64}' WHERE seq = 2")


def change_the_last_digest_column(store: Any, records: list[Any]) -> None:
    store.sql(f"UPDATE andon_evidence SET digest = '{'0' * 64}' WHERE seq = 3")


def change_the_step_column(store: Any, records: list[Any]) -> None:
    store.sql("UPDATE andon_evidence SET key = '1.99' WHERE seq = 2")


def reorder_the_numbers(store: Any, records: list[Any]) -> None:
    store.sql("UPDATE andon_evidence SET seq = seq + 10")


def renumber_the_last(store: Any, records: list[Any]) -> None:
    store.sql("UPDATE andon_evidence SET seq = 7 WHERE seq = 3")


def take_a_link_of_another_run(store: Any, records: list[Any]) -> None:
    other = chain(store, 3, run="r2")
    envelope_of(
        store, 3, other[2].envelope, f"UPDATE andon_evidence SET digest='{other[2].digest}' WHERE run='r1' AND seq=3"
    )


def move_the_chain_to_another_run(store: Any, records: list[Any]) -> None:
    store.run("r2")
    store.sql(
        "INSERT INTO andon_evidence (run, seq, key, digest, previous, envelope) "
        "SELECT 'r2', seq, key, digest, previous, envelope FROM andon_evidence WHERE run = 'r1'"
    )


def another_signature(store: Any, records: list[Any]) -> None:
    envelope = json.loads(records[1].envelope)
    envelope["signatures"][0]["sig"] = json.loads(records[0].envelope)["signatures"][0]["sig"]
    envelope_of(store, 2, json.dumps(envelope))


def no_signature(store: Any, records: list[Any]) -> None:
    envelope_of(store, 2, json.dumps(json.loads(records[1].envelope) | {"signatures": []}))


def a_second_signature(store: Any, records: list[Any]) -> None:
    envelope = json.loads(records[1].envelope)
    envelope["signatures"] *= 2
    envelope_of(store, 2, json.dumps(envelope))


def another_key_id(store: Any, records: list[Any]) -> None:
    envelope = json.loads(records[1].envelope)
    envelope["signatures"][0]["keyid"] = "0" * 16
    envelope_of(store, 2, json.dumps(envelope))


def another_payload_type(store: Any, records: list[Any]) -> None:
    envelope_of(store, 2, json.dumps(json.loads(records[1].envelope) | {"payloadType": "text/plain"}))


def change_kept_output(store: Any, records: list[Any]) -> None:
    store.ledger.store.path(records[1].predicate["output"]).write_bytes(b"all passed")


def empty_kept_output(store: Any, records: list[Any]) -> None:
    store.ledger.store.path(records[1].predicate["output"]).write_bytes(b"")


def remove_kept_output(store: Any, records: list[Any]) -> None:
    store.ledger.store.path(records[1].predicate["output"]).unlink()


def replace_kept_output_by_a_folder(store: Any, records: list[Any]) -> None:
    path = store.ledger.store.path(records[1].predicate["output"])
    path.unlink()
    path.mkdir()


TAMPERING: dict[Tamper, str] = {
    change_a_field: "signature does not match",
    change_a_field_and_its_digest: "signature does not match",
    sign_a_whole_new_chain_with_another_key: "signature does not match",
    swap_two_records: "out of sequence",
    swap_two_envelopes: "out of sequence",
    delete_the_first: "chain broken",
    delete_one_in_the_middle: "chain broken",
    delete_one_and_close_the_gap: "chain broken",
    delete_one_and_mend_the_column: "out of sequence",
    duplicate_one: "out of sequence",
    change_the_previous_column: "chain broken",
    change_the_digest_column: "does not match its digest",
    change_the_last_digest_column: "does not match its digest",
    change_the_step_column: "another step",
    reorder_the_numbers: "out of sequence",
    renumber_the_last: "out of sequence",
    take_a_link_of_another_run: "out of sequence",
    another_signature: "signature does not match",
    no_signature: "unreadable envelope",
    a_second_signature: "envelope",
    another_key_id: "envelope",
    another_payload_type: "envelope",
    change_kept_output: "kept output",
    empty_kept_output: "kept output",
    remove_kept_output: "kept output",
    replace_kept_output_by_a_folder: "kept output",
}


@pytest.mark.parametrize(("tamper", "reason"), TAMPERING.items(), ids=[t.__name__ for t in TAMPERING])
def test_E_19_tampering_is_detected(store: Any, tamper: Tamper, reason: str) -> None:
    records = chain(store)
    store.allow_changes()

    tamper(store, records)

    found = store.ledger.verify("r1")
    assert any(reason in each.reason for each in found), found


def test_E_19_a_chain_copied_to_another_run_does_not_hold_there(store: Any) -> None:
    move_the_chain_to_another_run(store, chain(store))

    assert [each.seq for each in store.ledger.verify("r2") if "out of sequence" in each.reason] == [1, 2, 3]
    assert store.ledger.verify("r1") == []


def test_a_removed_tail_shows_only_by_an_anchor_and_this_ledger_has_none(store: Any) -> None:
    chain(store)
    store.allow_changes()

    store.sql("DELETE FROM andon_evidence WHERE seq = 3")

    assert store.ledger.verify("r1") == []


def test_known_limit_whoever_has_the_signing_key_can_write_another_history(sqlite_store: Any) -> None:
    records = chain(sqlite_store, 1)
    sqlite_store.allow_changes()
    key = SigningKey.load(sqlite_store.home / "key")

    envelope, digest = edited(records[0], key, result="FAILED")
    envelope_of(sqlite_store, 1, envelope, f"UPDATE andon_evidence SET digest = '{digest}'")

    assert sqlite_store.ledger.verify("r1") == []


@pytest.mark.parametrize(
    "envelope",
    [
        "",
        "null",
        "[]",
        "{}",
        "{" * 5000,
        "[" * 100_000,
        '{"payload": 1, "signatures": [{"sig": "AA=="}]}',
        '{"payload": "AA==", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "bnVsbA==", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "eyJwcmVkaWNhdGUiOiBbXX0=", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "eyJwcmVkaWNhdGUiOiB7Im91dHB1dCI6IDV9fQ==", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "eyJwcmVkaWNhdGUiOiB7Im91dHB1dCI6ICIvIn19", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "eyJwcmVkaWNhdGUiOiB7Im91dHB1dCI6ICJhYmNcdTAwMDBkIn19", "signatures": [{"sig": "AA=="}]}',
        '{"payload": "비밀", "signatures": {"0": 1}}',
    ],
)
def test_an_envelope_of_any_shape_is_a_fault_never_a_crash(sqlite_store: Any, envelope: str) -> None:
    chain(sqlite_store)
    sqlite_store.allow_changes()

    envelope_of(sqlite_store, 2, envelope)

    assert [each.seq for each in sqlite_store.ledger.verify("r1")][:1] == [2]


def test_a_record_that_cannot_be_read_says_so_where_it_is_shown(sqlite_store: Any) -> None:
    chain(sqlite_store)
    sqlite_store.allow_changes()
    envelope_of(sqlite_store, 2, "{}")

    records = sqlite_store.ledger.records("r1")

    assert records[0].predicate["goal"] == "goal1"
    with pytest.raises(UserError, match="Record 2 of run r1 cannot be read"):
        _ = records[1].predicate


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_E_19_any_single_byte_change_in_an_envelope_is_detected(sqlite_store: Any, data: st.DataObject) -> None:
    # given: one chain for all examples, mended after each
    records = sqlite_store.ledger.records("r1")
    if not records:
        records = chain(sqlite_store, 2)
        sqlite_store.allow_changes()
    original = records[0].envelope.encode()
    place = data.draw(st.integers(0, len(original) - 1), label="place")
    byte = data.draw(st.integers(1, 127).filter(lambda b: b != original[place]), label="byte")

    # when
    changed = original[:place] + bytes([byte]) + original[place + 1 :]
    envelope_of(sqlite_store, 1, changed.decode())

    # then
    try:
        assert [each.seq for each in sqlite_store.ledger.verify("r1")][:1] == [1], changed
    finally:
        envelope_of(sqlite_store, 1, original.decode())
    assert sqlite_store.ledger.verify("r1") == []


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_E_19_any_single_byte_change_in_a_kept_output_is_detected(sqlite_store: Any, data: st.DataObject) -> None:
    records = sqlite_store.ledger.records("r1") or chain(sqlite_store, 1)
    path = sqlite_store.ledger.store.path(records[0].predicate["output"])
    original = path.read_bytes()
    place = data.draw(st.integers(0, len(original) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != original[place]))

    path.write_bytes(original[:place] + bytes([byte]) + original[place + 1 :])

    try:
        assert sqlite_store.ledger.verify("r1") != []
    finally:
        path.write_bytes(original)


@pytest.mark.parametrize("reason", ["a\x00b", "a\udcffb"], ids=["NUL", "undecodable byte"])
def test_a_reason_that_is_not_text_can_be_recorded_and_verified(store: Any, reason: str) -> None:
    store.run()

    store.ledger.append("r1", "1.1", result(reason=reason))

    assert store.ledger.verify("r1") == []
    assert store.ledger.records("r1")[0].predicate["goal"] == "test"


# --- kept outputs ---------------------------------------------------------------------------------------------


def test_the_same_output_can_be_kept_by_many_at_once(tmp_path: Any) -> None:
    """Two checks that run side by side often print the same."""
    store = ContentStore(tmp_path / "outputs")
    failed: list[BaseException] = []
    together = threading.Barrier(8)

    def keep() -> None:
        together.wait(timeout=30)
        try:
            for number in range(50):
                digest = store.keep(b"x" * 100_000 + b"%d" % number)
                assert store.read(digest) is not None
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=keep) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert failed == []


def test_an_output_damaged_by_a_crash_is_mended_when_it_is_kept_again(tmp_path: Any) -> None:
    store = ContentStore(tmp_path / "outputs")
    digest = store.keep(b"1 passed")
    store.path(digest).write_bytes(b"1 pas")

    assert store.keep(b"1 passed") == digest

    assert store.read(digest) == b"1 passed"


def test_an_empty_output_that_is_gone_is_not_read_as_empty(tmp_path: Any) -> None:
    store = ContentStore(tmp_path / "outputs")
    digest = store.keep(b"")
    assert store.read(digest) == b""

    store.path(digest).unlink()

    assert store.read(digest) is None


# --- the key --------------------------------------------------------------------------------------------------

FIRST_USE = """
import sys, time
from pathlib import Path
from andon.engine.signing import SigningKey
while not Path(sys.argv[2]).exists():
    time.sleep(0.001)
print(SigningKey.load(Path(sys.argv[1])).id)
"""


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Any) -> None:
    path = tmp_path / "keys" / "ledger"

    first, again = SigningKey.load(path), SigningKey.load(path)

    assert first.id == again.id
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["ledger"]


def test_processes_that_use_the_key_first_at_once_have_the_same_key(
    tmp_path: Any, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    path, go = tmp_path / "keys" / "ledger", tmp_path / "go"
    started = [programs(FIRST_USE, path, go) for _ in range(6)]

    go.touch()

    assert len({finish(process) for process in started}) == 1
    assert [each.name for each in path.parent.iterdir()] == ["ledger"]


def test_threads_that_use_the_key_first_at_once_have_the_same_key(tmp_path: Any) -> None:
    for attempt in range(30):
        path = tmp_path / str(attempt) / "ledger"
        ids: list[str] = []
        together = threading.Barrier(6)

        def load(path: Any = path, ids: list[str] = ids, together: threading.Barrier = together) -> None:
            together.wait(timeout=30)
            ids.append(SigningKey.load(path).id)

        threads = [threading.Thread(target=load) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)

        assert len(ids) == 6 and len(set(ids)) == 1


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33, b"-----BEGIN PRIVATE KEY-----\n"])
def test_a_damaged_key_is_told_and_left_as_it_is(tmp_path: Any, content: bytes) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(content)

    with pytest.raises(EnvironmentProblem, match="damaged") as told:
        SigningKey.load(path)

    assert told.value.hint
    assert path.read_bytes() == content


def test_a_key_that_is_no_file_is_told(tmp_path: Any) -> None:
    (tmp_path / "ledger").mkdir()

    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        SigningKey.load(tmp_path / "ledger")


def test_a_lost_key_makes_old_evidence_unverifiable_and_is_not_hidden(sqlite_store: Any) -> None:
    chain(sqlite_store)
    (sqlite_store.home / "key").unlink()

    other = Ledger(sqlite_store.engine, SigningKey.load(sqlite_store.home / "key"), sqlite_store.ledger.store)

    assert [each.seq for each in other.verify("r1") if "signature" in each.reason] == [1, 2, 3]


def test_outputs_can_be_moved_with_the_data_folder(sqlite_store: Any, tmp_path: Any) -> None:
    chain(sqlite_store)
    shutil.move(sqlite_store.home, tmp_path / "moved")

    moved = Ledger(
        sqlite_store.engine, SigningKey.load(tmp_path / "moved" / "key"), ContentStore(tmp_path / "moved" / "outputs")
    )

    assert moved.verify("r1") == []
