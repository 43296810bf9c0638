"""What an agent of a task asks a person: a question with its category, a secret that stands nowhere, access."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from andon.domain.order import Question
from andon.domain.tasks.reviews import Review

KEY = "sk-1234567890-very-secret"
QUESTION = (
    "[USER_QUESTION]\ncategory: business\nquestion: How often is it sent?\noption: daily\noption: weekly\n"
    "[/USER_QUESTION]\n"
)
SECRET = "[DEPENDENCY_REQUEST]\nname: REPORT_KEY\ntype: api_key\nreason: to send reports\n[/DEPENDENCY_REQUEST]\n"
ACCESS = "[DEPENDENCY_REQUEST]\nname: the wiki\ntype: access\nreason: to read the rules\n[/DEPENDENCY_REQUEST]\n"
DOCUMENT = "docs/analysis/current_state.md"
TELL_KEY = {
    "run": {"command": 'printf "%s" "$REPORT_KEY" | wc -c; echo "it is $REPORT_KEY"; echo "it is $REPORT_KEY" >&2'}
}
WRITE_KEY = {
    "run": {
        "command": 'mkdir -p docs/analysis; { echo "The key is $REPORT_KEY.";'
        ' printf "reports:%s" "$REPORT_KEY" | base64;'
        ' echo "DB: postgres://reports:Hunter2!@db.local/reports"; echo "password: <password>"; }'
        f" > {DOCUMENT}",
        "or_fail": True,
    }
}

SPEC = {
    "request": {"task": "t", "options": {"type": "modify_app", "inputs": {}, "worktree": False, "dry_run": False}},
    "language": "en",
    "base": "b" * 40,
    "base_tree": "c" * 40,
    "worktree": "/nowhere/worktree",
    "runtime": "scripted",
    "budget": {"tokens": None, "money": None, "seconds": None},
}
"""The frozen input of a task."""


def begin(person: Any, *rules: tuple[str, Any]) -> Any:
    """A conversation whose agent answers by what it is told: (in the prompt, the reply or more of a rule)."""
    told = [(prompt, {"reply": given} if isinstance(given, str) else given) for prompt, given in rules]
    listed = [{"match": {"name": "task-agent", "prompt": prompt}, **rule} for prompt, rule in told]
    person.scenario.write_text(json.dumps({"scenario": 1, "rules": listed}))
    words = ("task", "create", "--type", "modify_app", "Send reports", "--scenario", str(person.scenario))
    return person.start(*words)


def asked(person: Any, category: str) -> Any:
    def found() -> Any:
        return next((each for each in person.questions() if each.question.category == category), None)

    return person.until(found, f"a question of category {category}")


def give(person: Any, value: str) -> subprocess.CompletedProcess[str]:
    """As from a file: nobody types it on the command line."""
    return subprocess.run(
        [sys.executable, "-m", "andon", "task", "answer", run_id(person)],
        cwd=person.repository,
        env=person.environment(),
        input=f"{value}\n",
        capture_output=True,
        text=True,
        timeout=60,
    )


def run_id(person: Any) -> str:
    return person.runs()[0]["id"]


def entries(person: Any, kind: str) -> list[Any]:
    return [each["data"] for each in person.journal() if each["kind"] == kind] if person.runs() else []


@pytest.fixture
def told(person: Any) -> Any:
    """An agent that asks, then wants a key, and then says the key aloud."""
    leaking = {"do": [TELL_KEY, WRITE_KEY], "reply": f"The key {KEY} works.\n=== PHASE 1 COMPLETE ===\n"}
    begin(person, (r"^\[Phase 1", f"Before I begin:\n{QUESTION}"), ("^weekly", SECRET), ("^REPORT_KEY is set", leaking))
    asked(person, "business")
    person.shown = person.andon("task", "show", run_id(person), "--json").stdout
    person.andon("task", "answer", run_id(person), "2")
    asked(person, "secret")
    person.plain = person.andon("answer", run_id(person), KEY).stderr
    person.short = give(person, "short").stderr
    person.given = give(person, KEY)
    person.until(lambda: entries(person, "result"), "a reply with the key")
    person.andon("stop", run_id(person))
    return person


def test_D_114_D_115_a_block_is_a_question_with_its_category_and_the_answer_reaches_the_session(told: Any) -> None:
    first, *_ = entries(told, "hold_opened")

    assert (first["category"], first["question"]) == ("business", "How often is it sent?")
    assert first["options"] == ["daily", "weekly"]
    assert entries(told, "message")[1]["content"] == "weekly"  # and nothing else: its session knows the rest
    assert [each["attempt"] for each in entries(told, "spawn")][:1] == [1]
    waiting = json.loads(told.shown)
    assert (waiting["agent"], waiting["question"]["category"]) == ("waiting_question", "business")


def test_D_116_G_23_a_secret_reaches_the_agents_environment_and_no_record(told: Any) -> None:
    assert told.given.returncode == 0 and "Stored as a secret" in told.given.stdout
    _, answered, *_ = entries(told, "hold_answered")
    assert answered["answer"] == "granted"
    assert "REPORT_KEY is set in your environment now" in entries(told, "message")[2]["content"]
    orders = told.home / "runs" / run_id(told) / "orders"
    printed = "".join(each.read_text() for each in orders.glob("*/stdout"))
    assert str(len(KEY)) in printed  # the agent had it
    assert "The key [redacted] works." in entries(told, "result")[0]["text"]
    assert KEY not in json.dumps(told.journal())
    assert KEY.encode() not in b"".join(each.read_bytes() for each in told.home.glob("andon.db*"))


def test_D_116_E_28_what_an_agent_printed_is_kept_without_the_secret(told: Any) -> None:
    orders = told.home / "runs" / run_id(told) / "orders"
    kept = {each: each.read_bytes() for each in orders.rglob("*") if each.is_file()}

    assert any(b"it is [redacted]" in each for each in kept.values())  # it did print it
    # What its scenario has it say is written in the scenario, by a person.
    assert [str(path) for path, text in kept.items() if KEY.encode() in text and path.name != "script.json"] == []


def test_D_116_a_document_of_the_task_holds_no_secret_that_a_person_gave(told: Any) -> None:
    text = (told.home / "runs" / run_id(told) / "worktree" / DOCUMENT).read_text()
    hidden = entries(told, "secret_hidden")

    first, second, third, fourth = text.splitlines()
    assert first == "The key is [redacted]." and fourth == "password: <password>"
    assert "[redacted]" in second and third == "DB: postgres://reports:[redacted]@db.local/reports"
    assert [(each["path"], each["line"]) for each in hidden] == [(DOCUMENT, line) for line in (1, 2, 3)]
    assert "REPORT_KEY, which a person gave" in hidden[0]["what"]
    assert KEY not in json.dumps(hidden) and "Hunter2!" not in json.dumps(hidden)


def test_D_116_a_secret_is_kept_for_its_owner_alone_and_never_typed_where_it_is_seen(told: Any) -> None:
    file = told.home / "secrets" / run_id(told) / "REPORT_KEY"

    assert file.read_text() == KEY and file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0
    assert "A secret is given where nobody sees it" in told.plain
    assert "at least 8 characters" in told.short


def test_D_116_access_is_answered_in_words_and_may_be_denied(person: Any) -> None:
    begin(
        person,
        (r"^\[Phase 1", ACCESS),
        ("^About the wiki", SECRET),
        ("will not be given", {"do": [{"sleep": {"seconds": 30}}], "reply": ""}),
    )
    asked(person, "dependency")
    person.andon("task", "answer", run_id(person), "It", "is", "public")
    asked(person, "secret")
    person.andon("task", "answer", run_id(person), "denied")

    told = person.until(lambda: entries(person, "message")[2:], "the agent is told")
    assert "a person says: It is public" in entries(person, "message")[1]["content"]
    assert told[0]["content"].startswith("REPORT_KEY will not be given. Go on without it")
    assert not (person.home / "secrets").exists()


def test_D_114_a_block_that_is_quoted_asks_nothing(person: Any) -> None:
    quoted = f"The file says:\n```\n{QUESTION}```\n"
    begin(person, (r"^\[Phase 1", quoted))

    person.until(lambda: entries(person, "reply_misread"), "the reply is read as any other")
    assert not entries(person, "hold_opened")


def test_an_answer_that_is_given_while_the_run_is_stopped_is_not_asked_for_again(person: Any) -> None:
    # Given a run that was stopped while it asked, and a person who answers then
    begin(person, (r"^\[Phase 1", f"Before I begin:\n{QUESTION}"), ("^weekly", SECRET))
    hold = asked(person, "business")
    person.andon("stop", run_id(person))
    answered = person.andon("answer", hold.id, "2")

    # When it goes on, and its agent asks the same
    resumed = person.start("resume", run_id(person))
    asked(person, "secret")

    # Then the answer is used
    assert answered.code == 0, answered.stderr
    assert [each["content"] for each in entries(person, "message")].count("weekly") == 1
    assert len([each for each in entries(person, "hold_opened") if each["category"] == "business"]) == 2
    person.andon("stop", run_id(person))
    resumed.wait(timeout=30)


def test_a_task_that_was_given_up_asks_for_no_decision(person: Any) -> None:
    """Given a task that was closed while its first phase waited for a person."""
    common = {"pipeline": "task", "task": "Lend tools", "feature": "f", "repository": str(person.repository)}
    passed = {"passed": True, "criteria": [], "report": ""}
    with person.store() as store:
        store.runs.create("r1", {**common, "branch": "b", "spec": SPEC, "status": "closed", "mode": "modify_app"})
        store.holds.open("r1/1.7", "r1", Question("Phase 1?", category="review"))
        opened = datetime(2026, 1, 1, tzinfo=UTC)
        store.reviews.open("r1/1.7", Review("r1.1.7", "r1", 1, "tree", opened, "base", ("docs/a.md",)), passed)

    shown, decided = person.andon("task", "show", "r1"), person.andon("task", "approve", "r1")

    assert "cancelled" in shown.stdout and "`andon reopen r1` opens it again" in shown.stdout
    assert "waits for you" not in shown.stdout and "approve" not in shown.stdout
    assert "type modify_app" in person.andon("status", "r1").stdout
    assert decided.code == 3 and "`andon reopen r1` opens it again" in decided.stderr
