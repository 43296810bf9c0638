"""What becomes of an order is recorded, and what is played from the recording comes to the same."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.domain.changeset import FILE, LINK, PROGRAM, Changed, Side
from andon.domain.order import Order, Outcome, Question, Reply, Tier, Usage
from andon.domain.secrets import REDACTED, without_tokens
from andon.ports import Exit
from andon.runtimes import events, placeholders, positions, written
from andon.runtimes.recording import EVENTS, NEVER_ANSWERED, Recording, rules_of
from andon.runtimes.scenario import load
from andon.runtimes.scripted import ScriptedRuntime

DEADLINE = 30
Ordering = Callable[..., Order]
RECORDING = Recording(lambda text: text, {})
GITHUB = "ghp_" + "Ab1" * 12
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow0BAQ1a2b3c\n" * 4 + "-----END RSA PRIVATE KEY-----"
USED = Usage(120, 30, 7, 0.25)


def scenario(pieces: list[dict[str, Any]], folder: Path) -> Path:
    file = folder / "recording.yaml"
    file.write_text(written.document({"scenario": 1, "rules": rules_of(pieces)}), encoding="utf-8", newline="")
    return file


def played(pieces: list[dict[str, Any]], order: Order, folder: Path) -> Reply:
    runtime = ScriptedRuntime(scenario(pieces, folder))
    command = runtime.command(order, folder)
    with (folder / "stdout").open("wb") as stdout:
        done = subprocess.run(command.argv, cwd=command.cwd, env=dict(command.env), stdout=stdout, timeout=DEADLINE)
    return runtime.reply(order, folder, Exit("exited", done.returncode, None, 0.1))


# --- the file itself


letters = st.one_of(st.sampled_from(" \n\t:#-{}[]\"'|>&*!%@`ab\\\r\x85\u2028\ufeff"), st.characters(codec="utf-8"))
texts = st.text(letters, max_size=30)
numbers = st.one_of(st.booleans(), st.none(), st.integers(-(10**15), 10**15), st.floats(0, 1e9))
values = st.recursive(
    st.one_of(texts, numbers),
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(texts, below, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(texts.filter(lambda key: key != "<<"), values, min_size=1, max_size=4))
def test_E_02_whatever_is_written_is_read_back(value: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "any.yaml")
        path.write_text(written.document(value), encoding="utf-8", newline="")

        assert positions.read(path, empty="").value == value


def test_E_02_a_recording_can_be_read_by_people() -> None:
    code = "def a():\n\treturn {'b': 1}\n"

    assert written.document({"do": [{"write": {"path": "a.py", "text": code}}, {"usage": {"money": 0.5}}]}) == (
        "do:\n"
        "  - write:\n"
        "      path: a.py\n"
        "      text: |\n"
        "        def a():\n"
        "        \treturn {'b': 1}\n"
        "  - usage: {money: 0.5}\n"
    )


@given(st.text(st.sampled_from("{}ab_ "), max_size=20))
def test_E_02_a_text_comes_out_of_a_template_as_it_was(text: str) -> None:
    order = Order("r", "1.1", "planner", "planner", "plan", "", "", Tier.SONNET, "/w", writable=("docs/plan.md",))
    piece = RECORDING.piece(order, 1, Reply(Outcome.DONE, text), (), ())

    [rule] = rules_of([piece])

    assert placeholders.fill(rule["reply"], {"document": "docs/plan.md"}) == text


# --- files


Tree = dict[str, tuple[str, bytes]]
names = st.lists(st.sampled_from(("a", "b", "한글", "with space", "x.py")), min_size=1, max_size=3).map("/".join)
contents = st.one_of(st.binary(max_size=40), texts.map(str.encode))
targets = st.sampled_from((b"a", b"../outside", b"/nowhere", "글".encode()))
entries = st.one_of(
    st.tuples(st.sampled_from((FILE, PROGRAM)), contents),
    st.tuples(st.just(LINK), targets),
)


def possible(tree: Tree) -> bool:
    """No path is a file and a folder at once."""
    return not any(other.startswith(f"{path}/") for path in tree for other in tree)


trees = st.dictionaries(names, entries, max_size=6).filter(possible)


def put(tree: Tree, folder: Path) -> None:
    for name, (mode, content) in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == LINK:
            path.symlink_to(os.fsdecode(content))
        else:
            path.write_bytes(content)
            path.chmod(0o755 if mode == PROGRAM else 0o644)


def found(folder: Path) -> Tree:
    tree: Tree = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            tree[str(path.relative_to(folder))] = LINK, os.fsencode(path.readlink())
        elif path.is_file():
            mode = PROGRAM if path.stat().st_mode & 0o100 else FILE
            tree[str(path.relative_to(folder))] = mode, path.read_bytes()
    return tree


def changes(before: Tree, after: Tree) -> list[Changed]:
    def side(tree: Tree, path: str) -> Side | None:
        return Side(*tree[path]) if path in tree else None

    differing = sorted(path for path in before | after if before.get(path) != after.get(path))
    return [Changed(path, side(before, path), side(after, path)) for path in differing]


@settings(max_examples=60, deadline=None)
@given(before=trees, after=trees)
def test_E_02_files_come_out_byte_by_byte(before: Tree, after: Tree) -> None:
    with TemporaryDirectory() as top:
        workspace, folder = Path(top, "workspace"), Path(top, "order")
        workspace.mkdir()
        folder.mkdir()
        put(before, workspace)
        order = Order("r", "1.1", "executor", "executor", "do", "", "", Tier.SONNET, str(workspace), writable=(".",))

        reply = played(
            [RECORDING.piece(order, 1, Reply(Outcome.DONE, "ok"), (), changes(before, after))], order, folder
        )

        assert reply.outcome is Outcome.DONE, reply.detail
        assert found(workspace) == after


def test_E_02_what_cannot_be_recorded_is_noted(an_order: Ordering) -> None:
    files = [
        Changed("large.bin", None, Side(FILE, None)),
        Changed("module", None, Side("160000", None)),
        Changed("odd\udcff", None, Side(FILE, b"x")),
        Changed("to-odd", None, Side(LINK, b"\xff")),
    ]

    piece = RECORDING.piece(an_order(writable=(".",)), 1, Reply(Outcome.DONE), (), files)

    assert [step for step in piece["do"] if "write" in step] == []
    assert [note.partition(":")[0] for note in piece["notes"]] == ["'odd\\udcff'", "large.bin", "module", "to-odd"]


# --- endings


ENDINGS: Mapping[Outcome, str] = {
    Outcome.DONE: "",
    Outcome.CRASHED: "exit code 3: it broke\nsomewhere",
    Outcome.LIMIT: "did not end within 1800 seconds",
    Outcome.REFUSED: "I will not delete the tests",
    Outcome.UNAUTHENTICATED: "the token has expired",
    Outcome.RATE_LIMITED: "rate-limited",
    Outcome.UNPARSEABLE: "ended without a reply; it printed 'Segmentation fault'",
}


@pytest.mark.parametrize("outcome", ENDINGS)
def test_E_02_an_order_ends_as_it_did(outcome: Outcome, an_order: Ordering, tmp_path: Path) -> None:
    text = "All done.\n" if outcome is Outcome.DONE else ""
    was = Reply(outcome, text, ENDINGS[outcome], USED, seconds=1800, resets_at=1.0)
    told = [events.Text("Looking."), events.Raw("Segmentation fault")]

    reply = played([RECORDING.piece(an_order(), 1, was, told, ())], an_order(), tmp_path)

    assert (reply.outcome, reply.text, reply.detail, reply.usage) == (outcome, text, ENDINGS[outcome], USED)
    assert reply.seconds < 20


def test_E_02_what_the_agent_said_and_did_is_told_again(an_order: Ordering, tmp_path: Path) -> None:
    refused = events.Tool("write", "/etc/hosts", ok=False, error="Read-only file system")
    ran = events.Tool("run", "pytest -q", ok=True, output="3 passed")
    told = [events.Began("s1"), events.Turn(), events.Text("First a look."), ran, refused, events.Delegated("helper")]
    told += [events.Text("Done."), events.Used(USED), events.Replied("Done.")]

    reply = played(
        [RECORDING.piece(an_order(), 1, Reply(Outcome.DONE, "Done.", usage=USED), told, ())], an_order(), tmp_path
    )

    again = list(ScriptedRuntime(tmp_path / "recording.yaml").told(an_order(), tmp_path))
    assert again[:4] == [events.Text("First a look."), ran, refused, events.Delegated("helper")]
    assert again[4:] == [events.Used(USED), events.Replied("Done.")]
    assert len(reply.violations) == 2 and reply.usage == USED


# --- steps of several orders


def piece(order: Order, number: int, outcome: Outcome, text: str = "", **more: Any) -> dict[str, Any]:
    return RECORDING.piece(order, number, Reply(outcome, text, **more), (), ())


def test_E_18_of_an_agent_that_says_very_much_the_beginning_and_the_end_are_told(an_order: Ordering) -> None:
    said = [events.Text(f"number {number}") for number in range(10 * EVENTS)]

    piece = Recording(str, {}).piece(an_order(), 1, Reply(Outcome.DONE, text="Done."), said, ())

    told = [step["emit"]["event"]["text"] for step in piece["do"] if "emit" in step]
    assert len(told) == EVENTS + 1
    assert (told[0], told[-1]) == ("number 0", f"number {10 * EVENTS - 1}")
    assert f"{9 * EVENTS} more" in told[EVENTS // 2]


def test_E_25_a_question_is_asked_again_and_answered_as_it_was(an_order: Ordering, tmp_path: Path) -> None:
    question = Question("Which colour?", ("red", "blue"), "red", 3600.0)
    pieces = [
        piece(an_order(), 1, Outcome.ASKED, question=question, usage=Usage(1)),
        piece(an_order(session="s1", prompt="green"), 2, Outcome.DONE, "Painted.", usage=Usage(2)),
    ]

    asked = played(pieces, an_order(), tmp_path)
    done = played(pieces, an_order(session=asked.session, prompt="green"), tmp_path)

    assert asked.outcome is Outcome.ASKED and asked.usage == Usage(1)
    assert asked.question == Question("Which colour?", ("red", "blue", "green"), "green", 0.0)
    assert (done.outcome, done.text, done.usage) == (Outcome.DONE, "Painted.", Usage(2))


def test_E_25_an_agent_without_a_session_is_told_the_whole_talk(an_order: Ordering, tmp_path: Path) -> None:
    prompt = "Paint.\n\nThis was asked before, and a person has answered it:\n\nQuestion: Which?\nAnswer: blue"
    pieces = [
        piece(an_order(), 1, Outcome.ASKED, question=Question("Which?")),
        piece(an_order(session="s"), 2, Outcome.LOST),
        piece(an_order(prompt=prompt, attempt=2), 3, Outcome.DONE, "Painted."),
    ]

    [rule] = rules_of(pieces)

    assert rule["match"]["attempt"] == 1 and rule["reply"] == "Painted."
    assert {
        "ask": {"question": "Which?", "options": [], "category": "question", "default": "blue", "timeout": 0.0}
    } in rule["do"]


def test_E_25_a_question_that_nobody_answered_ends_the_replay(an_order: Ordering, tmp_path: Path) -> None:
    pieces = [piece(an_order(), 1, Outcome.ASKED, question=Question("Which?", (), "red", 5.0))]

    asked = played(pieces, an_order(), tmp_path)
    after = played(pieces, an_order(session=asked.session, prompt="red"), tmp_path)

    assert asked.question == Question("Which?", (), "red", 5.0)
    assert (after.outcome, after.detail) == (Outcome.REFUSED, NEVER_ANSWERED)


def test_A_156_attempts_and_calls_are_numbered_as_a_replay_meets_them(an_order: Ordering) -> None:
    """Given a crash, an order that was lost, a stop and a second leg, in which calls are counted anew."""
    pieces = [
        piece(an_order(position="2.3"), 1, Outcome.DONE, "fourth"),
        piece(an_order(position="1.2"), 1, Outcome.CRASHED),
        piece(an_order(position="1.2", attempt=2), 2, Outcome.LOST),
        piece(an_order(position="1.2", attempt=3), 3, Outcome.DONE, "first"),
        piece(an_order(position="1.10", call=2), 1, Outcome.DONE, "second"),
        piece(an_order(position="1.11", call=3), 1, Outcome.CANCELLED),
        piece(an_order(position="1.12", name="other"), 1, Outcome.REFUSED),
        piece(an_order(position="2.1"), 1, Outcome.DONE, "third"),
    ]

    rules = rules_of(pieces)

    assert [(rule["match"]["call"], rule["match"]["attempt"], rule.get("reply")) for rule in rules] == [
        (1, 1, None),
        (1, 2, "first"),
        (2, 1, "second"),
        (3, 1, "third"),
        (4, 1, "fourth"),
    ]


# --- secrets


def test_E_28_no_secret_is_recorded(an_order: Ordering, tmp_path: Path) -> None:
    mine = "correct-horse-battery"
    cleaned = Recording(lambda text: without_tokens(text.replace(mine, REDACTED)), {"/home/somebody": "~"})
    order = replace(an_order(writable=(".",)), session="s", prompt=f"use {mine}")
    everything = f"{mine} {GITHUB} {KEY}"
    padding = "x " * 990  # what is cut may not leave half a secret
    told = [
        events.Text(f"I have {everything}"),
        events.Tool("run", f"curl -H {GITHUB}", ok=True, output=f"{padding}{GITHUB} {mine}"),
        events.Tool("read", f"{order.folder}/src/a.py", ok=False, error=f"/home/somebody/.netrc {mine}"),
    ]
    files = [
        Changed("a.env", None, Side(FILE, f"KEY={everything}\n".encode())),
        Changed("b.bin", None, Side(FILE, b"\xff\x00" + everything.encode())),
        Changed("c", None, Side(LINK, f"/tmp/{mine}".encode())),
        Changed(f"d-{mine}", None, Side(FILE, b"")),
        Changed("fine.txt", None, Side(FILE, b"AKIAIOSFODNN7EXAMPLE")),
    ]
    question = Question(f"Is {mine} right?", (mine,), mine)
    pieces = [
        cleaned.piece(order, 1, Reply(Outcome.ASKED, question=question), told, files),
        cleaned.piece(order, 2, Reply(Outcome.DONE, f"Used {everything}"), (), ()),
        cleaned.piece(replace(order, position="1.2"), 1, Reply(Outcome.CRASHED, detail=everything), (), ()),
    ]

    text = scenario(pieces, tmp_path).read_text(encoding="utf-8")

    for secret in (mine, GITHUB, GITHUB[:12], "MIIEow0BAQ1a2b3c", "/home/somebody", order.folder):
        assert secret not in text, secret
    assert "target: src/a.py" in text and "~/.netrc" in text
    assert [note.partition(":")[0] for note in pieces[0]["notes"]] == ["a.env", "b.bin", "c"]
    assert load(tmp_path / "recording.yaml").rules


def test_E_28_a_key_is_hidden_to_its_end_also_when_that_is_cut_off() -> None:
    escaped = KEY.replace("\n", "\\n")

    assert without_tokens(f"a {KEY} b") == f"a {REDACTED} b"
    assert without_tokens(f'"{escaped}", b') == f'"{REDACTED}", b'
    assert without_tokens(KEY[:70]) == REDACTED
    assert (
        without_tokens("-----BEGIN PRIVATE KEY----- is how it begins") == "-----BEGIN PRIVATE KEY----- is how it begins"
    )
