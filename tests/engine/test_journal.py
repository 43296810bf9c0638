"""The journal: append-only, numbered without holes, written once per key, never with a secret in it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andon.domain.journal import Entry

WRITER = """
import sys
from pathlib import Path
from andon.engine.database import ensure_schema, open_database
from andon.engine.journal import Journal
from andon.engine.redaction import Redaction
url, name, count = sys.argv[1:]
journal = Journal(open_database(url), Redaction({}))
for number in range(int(count)):
    journal.append("r1", f"{name}.{number}", "notice", data={"by": name, "number": number})
    journal.append("r1", f"shared.{number}", "notice", data={"by": name})
"""


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE andon_journal SET kind = 'other'",
        "UPDATE andon_journal SET seq = seq + 1 WHERE seq = 2",
        "DELETE FROM andon_journal WHERE seq = 1",
        "DELETE FROM andon_journal",
    ],
)
def test_E_24_entries_cannot_be_changed_or_removed(store: Any, change: str) -> None:
    run = store.run()
    for number in (1, 2):
        store.journal.append(run, f"1.{number}", "notice", data={"n": number})
    before = store.journal.entries(run)

    with pytest.raises(sa.exc.DBAPIError, match="append-only"):
        store.sql(change)

    assert store.journal.entries(run) == before


@pytest.mark.postgres
def test_E_24_a_postgresql_journal_cannot_be_emptied_at_once(postgres_url: str, open_store: Callable[..., Any]) -> None:
    store = open_store(postgres_url)
    store.journal.append(store.run(), "1.1", "notice")

    with pytest.raises(sa.exc.DBAPIError, match="append-only"):
        store.sql("TRUNCATE andon_journal")

    assert len(store.journal.entries("r1")) == 1


def test_an_entry_comes_back_as_it_was_written(store: Any) -> None:
    run = store.run()

    written = store.journal.append(run, "1.7/check", "check", "check", {"계획": ["a", 1, None, True, 0.5]})

    (entry,) = store.journal.entries(run)
    assert written
    assert (entry.run, entry.seq, entry.key, entry.kind, entry.phase) == (run, 1, "1.7/check", "check", "check")
    assert entry.data == {"계획": ["a", 1, None, True, 0.5]}
    assert entry.place == (1, 7)


def test_a_key_is_written_once_per_run(store: Any) -> None:
    one, two = store.run("r1"), store.run("r2")

    answers = [store.journal.append(run, "1.1", "notice", data={"try": n}) for n in (1, 2) for run in (one, two)]

    assert answers == [True, True, False, False]
    assert [entry.data for run in (one, two) for entry in store.journal.entries(run)] == [{"try": 1}, {"try": 1}]


def test_entries_after_a_number_are_those_with_higher_ones(store: Any) -> None:
    run = store.run()
    for number in range(1, 6):
        store.journal.append(run, f"1.{number}", "notice")

    assert [entry.seq for entry in store.journal.entries(run, after=3)] == [4, 5]
    assert store.journal.entries(run, after=5) == []


def test_listeners_hear_each_entry_once_and_in_order(store: Any) -> None:
    heard: list[Entry] = []
    store.journal.listen(heard.append)
    run = store.run()

    for key in ("1.1", "1.2", "1.1"):
        store.journal.append(run, key, "notice")

    assert heard == store.journal.entries(run)


def test_listeners_hear_what_another_process_wrote_in_between(store: Any, open_store: Callable[..., Any]) -> None:
    """A screen draws in the order of the journal: a number that never comes would keep it waiting."""
    run, heard = store.run(), []
    store.journal.listen(lambda entry: heard.append(entry.seq))
    store.journal.append(run, "1.1", "notice")

    open_store(store.url).journal.append(run, "1.7/reminder_1", "notice")
    store.journal.append(run, "1.2", "notice")
    store.journal.append(run, "1.3", "notice")

    assert heard == [1, 2, 3, 4]


def test_who_is_ignored_hears_no_more(store: Any) -> None:
    run, heard = store.run(), []
    store.journal.listen(heard.append)
    store.journal.append(run, "1.1", "notice")

    store.journal.ignore(heard.append)
    store.journal.append(run, "1.2", "notice")

    assert [entry.seq for entry in heard] == [1]


def test_threads_leave_no_holes_and_no_doubles(store: Any) -> None:
    # given: eight threads, each with keys of its own and keys that all of them try to write
    run = store.run()
    written: list[bool] = []
    failed: list[BaseException] = []
    together = threading.Barrier(8)

    def write(name: int) -> None:
        together.wait(timeout=30)
        try:
            for number in range(10):
                store.journal.append(run, f"{name}.{number}", "notice")
                written.append(store.journal.append(run, f"shared.{number}", "notice"))
        except BaseException as error:
            failed.append(error)

    # when
    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    # then
    entries = store.journal.entries(run)
    assert failed == []
    assert [entry.seq for entry in entries] == list(range(1, 91))
    assert len({entry.key for entry in entries}) == 90
    assert written.count(True) == 10


def test_processes_leave_no_holes_and_no_doubles(
    store: Any, programs: Callable[..., Any], finish: Callable[..., str]
) -> None:
    run = store.run()

    writers = [programs(WRITER, store.url, f"w{name}", 15) for name in range(4)]
    for writer in writers:
        finish(writer)

    entries = store.journal.entries(run)
    assert [entry.seq for entry in entries] == list(range(1, 4 * 15 + 15 + 1))
    assert len({entry.key for entry in entries}) == len(entries)


def test_runs_are_numbered_apart(store: Any) -> None:
    for run in (store.run("r1"), store.run("r2")):
        for number in (1, 2):
            store.journal.append(run, f"1.{number}", "notice")

    assert [entry.seq for run in ("r1", "r2") for entry in store.journal.entries(run)] == [1, 2, 1, 2]


def test_a_fork_begins_with_the_entries_it_shares_and_numbers_on(store: Any) -> None:
    # given a run with three entries, of which the fork shares the first and the last
    run, fork = store.run("r1"), store.run("r2")
    for number in (1, 2, 3):
        store.journal.append(run, f"1.{number}", "notice", data={"n": number})
    first, _, last = store.journal.entries(run)

    # when
    store.journal.adopt([first, last], fork)
    store.journal.append(fork, "1.4", "notice")

    # then
    entries = store.journal.entries(fork)
    assert [(entry.seq, entry.key) for entry in entries] == [(1, "1.1"), (2, "1.3"), (3, "1.4")]
    assert entries[0].at == first.at


def test_an_entry_of_a_run_that_does_not_exist_is_refused(store: Any) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        store.journal.append("nobody", "1.1", "notice")


@pytest.mark.parametrize("kind", ["note", "", "Message", "shutdown_request "])
def test_E_09_an_unknown_kind_is_not_sent(store: Any, kind: str) -> None:
    run, heard = store.run(), list[Entry]()
    store.journal.listen(heard.append)

    with pytest.raises(ValueError, match=re.escape(repr(kind))):
        store.journal.append(run, "1.1", kind, data={"recipient": "planner", "content": "go"})

    assert store.journal.entries(run) == heard == []
    assert store.journal.append(run, "1.1", "message")  # its key is still free


def test_E_09_a_kind_that_another_version_wrote_is_read_and_shared_with_a_fork(store: Any) -> None:
    run, fork = store.run("r1"), store.run("r2")
    unheard_of = Entry(run=run, seq=1, at=1.0, kind="of_a_later_version", key="1.1")

    store.journal.adopt([unheard_of], run)
    store.journal.adopt(store.journal.entries(run), fork)

    assert [entry.kind for entry in store.journal.entries(fork)] == ["of_a_later_version"]


# --- secrets --------------------------------------------------------------------------------------------------

SECRETS = {
    "ANTHROPIC_API_KEY": "sk-ant-0123456789",
    "GITHUB_TOKEN": "ghp_abcdefgh",
    "DB_PASSWORD": "correct horse battery",
    "aws_secret_access_key": "wJalr/XUtnFEMI+K7MDENG",
    "GOOGLE_CREDENTIALS": '{"type": "x"}\n"second line"',
    "BASIC_AUTH": "비밀번호-아홉글자",
}


@pytest.mark.parametrize("name", SECRETS)
def test_E_28_a_secret_of_the_environment_is_in_no_part_of_an_entry(
    database_url: str, open_store: Callable[..., Any], name: str
) -> None:
    # given
    store = open_store(database_url, SECRETS)
    secret = SECRETS[name]
    heard: list[Entry] = []
    store.journal.listen(heard.append)
    data = {"text": f"a {secret} b", "deep": [{"list": (secret, 1)}], f"key {secret}": secret, "n": 1}

    # when
    store.journal.append(store.run(), f"1.1/{secret}", "notice", f"phase {secret}", data)

    # then
    (entry,) = store.journal.entries("r1")
    assert entry.data["text"] == "a [redacted] b"
    assert entry.data["n"] == 1
    for seen in (entry, heard[0]):
        assert secret not in seen.key + seen.phase
        assert secret not in str(seen.data)
        assert repr(secret)[1:-1] not in str(seen.data)


def test_E_28_a_key_with_a_secret_is_still_written_once(database_url: str, open_store: Callable[..., Any]) -> None:
    store = open_store(database_url, SECRETS)
    run = store.run()

    answers = [store.journal.append(run, "0.note.ghp_abcdefgh", "warning") for _ in range(2)]

    assert answers == [True, False]


def test_E_28_short_values_and_other_names_are_left_alone(database_url: str, open_store: Callable[..., Any]) -> None:
    store = open_store(database_url, {"API_KEY": "short", "EDITOR": "a-long-word"})
    store.journal.append(store.run(), "1.1", "notice", data={"text": "a short word, a-long-word"})

    assert store.journal.entries("r1")[0].data["text"] == "a short word, a-long-word"


def test_E_28_of_two_secrets_the_longer_goes_first(sqlite_store: Any, open_store: Callable[..., Any]) -> None:
    store = open_store(sqlite_store.url, {"A_TOKEN": "12345678", "B_TOKEN": "12345678-and-more"})
    store.journal.append(store.run(), "1.1", "notice", data={"text": "12345678-and-more 12345678"})

    assert store.journal.entries("r1")[0].data["text"] == "[redacted] [redacted]"


# --- any data -------------------------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.dictionaries(st.text(st.characters(codec=None), max_size=8), ANYTHING, max_size=4))
def test_whatever_an_agent_prints_can_be_written_down(store: Any, data: dict[str, Any]) -> None:
    """NUL, lone surrogates of undecodable bytes, newlines, any script."""
    run = f"r{len(store.runs.newest(1000))}"
    store.run(run)

    assert store.journal.append(run, "1.1", "result", data=data)

    assert store.journal.entries(run)[0].data == data


@pytest.mark.parametrize("text", ["a\x00b", "a\udcffb", "\ud800"], ids=["NUL", "undecodable byte", "surrogate"])
def test_words_that_no_database_holds_are_replaced_not_fatal(store: Any, text: str) -> None:
    run = store.run()

    assert store.journal.append(run, f"1.1/{text}", "notice", text)
    assert not store.journal.append(run, f"1.1/{text}", "notice", text)

    (entry,) = store.journal.entries(run)
    assert "�" in entry.key and "�" in entry.phase
