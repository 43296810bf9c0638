"""What a person sees on a real terminal of 80 or 120 columns, and what Ctrl+C, answers and other panes do."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

SLOW_SCOUT = {"do": [{"sleep": {"seconds": 2}}]}


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def auto(person: Any, *words: str) -> str:
    return " ".join((sys.executable, "-m", "andon", "auto", "greet", "--scenario", str(person.scenario), *words))


def ask(person: Any, **more: Any) -> None:
    question = "Which greeting would you like, given that people prefer another one in the evening than at noon?"
    asking = {"question": question, "options": ["good day", "good night"], "default": "good day", **more}
    writing = {"write": {"path": "a.txt", "text": "{answer}\n"}}
    person.play({"executor": {"template": True, "do": [{"ask": asking}, writing], "reply": "Done."}})


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_run_is_shown_live_and_a_question_is_answered_in_place(
    person: Any, terminal: Callable[..., Any], columns: int, rows: int
) -> None:
    ask(person)
    pane = terminal(columns, rows)

    pane.type(auto(person))
    pane.wait("answer>")
    asked = pane.screen()
    pane.type("9")
    pane.wait("`9` is not one of the answers")
    pane.type("2")
    shown = pane.wait("evidence verify")

    assert "1  good day  (Enter)" in asked and "2  good night" in asked
    assert "= good night" in shown
    assert "DONE: greet: checked, approved and reported." in shown
    assert "Ctrl+C stops" not in shown  # the footer is gone when the run is over
    assert person.git("show", "feat/greet:a.txt") == "good night\n"


def test_an_empty_line_takes_the_default(person: Any, terminal: Callable[..., Any]) -> None:
    ask(person)
    pane = terminal()
    pane.type(auto(person))
    pane.wait("answer>")

    pane.press("Enter")
    pane.wait("evidence verify")

    assert person.git("show", "feat/greet:a.txt") == "good day\n"


def test_the_footer_says_who_works_and_how_to_stop(person: Any, terminal: Callable[..., Any]) -> None:
    person.play({"executor": {"do": [{"sleep": {"seconds": 40}}], "reply": "Done."}})
    pane = terminal()

    pane.type(auto(person))
    pane.wait("DO  executor 1 s")
    pane.wait("Ctrl+C stops")
    pane.press("C-c")
    shown = pane.wait("andon close")
    pane.type("echo code=$?")

    pane.wait("code=130")
    assert "STOPPED: Stopped by a person" in shown and "Traceback" not in shown


def test_another_pane_watches_and_answers(person: Any, terminal: Callable[..., Any]) -> None:
    ask(person)
    working, watching = terminal(120, 40), terminal()
    working.type(auto(person))
    working.wait("answer>")

    watching.type(f"{sys.executable} -m andon watch")
    watching.wait(f"waits: andon answer {person.runs()[0]['id']}/")
    watching.wait("Ctrl+C leaves")
    watching.press("C-c")
    left = watching.wait("the run goes on")
    watching.run("answer", person.runs()[0]["id"], "1")
    shown = working.wait("evidence verify")

    assert [line.strip() for line in shown.splitlines() if "answer>" in line] == ["answer>"]
    assert "\n  = good day" in shown, "an answer from elsewhere has a line of its own"
    assert "Traceback" not in left
    assert person.git("show", "feat/greet:a.txt") == "good day\n"


def test_no_line_is_longer_than_a_narrow_terminal(person: Any, terminal: Callable[..., Any]) -> None:
    """Given a Korean task, whose characters are two columns wide, and a path longer than half the terminal."""
    feature = "인사말을-바꿔-주세요-아침에는-좋은-아침-저녁에는-좋은-저녁이라고-하고"
    person.play(task=feature)
    pane = terminal()
    task = "인사말을 바꿔 주세요: 아침에는 좋은 아침, 저녁에는 좋은 저녁이라고 하고 나머지는 안녕하세요라고 해 주세요"

    shown = pane.run("auto", "--scenario", str(person.scenario), f'"{task}"')
    screens = [shown, *(pane.run(*words.split()) for words in ("runs", "status", "logs", "evidence list", "doctor"))]

    assert "DONE" in shown
    for screen in screens:
        assert "Traceback" not in screen
        for line in screen.splitlines():
            # A path or name that does not fit a line stays whole, because someone may copy it.
            longest = max(line.split(), key=width, default="")
            assert width(line) <= 80 or width(line) - width(longest) < 25, line
    [head, *rows] = [line for line in screens[1].splitlines() if line.startswith(("RUN", person.runs()[0]["id"]))]
    assert all(row[56:].startswith("인사말을") for row in rows) and head[56:].startswith("TASK")
    assert "…" in rows[0] and width(rows[0]) <= 80


def test_doctor_fits_80_columns(person: Any, terminal: Callable[..., Any]) -> None:
    pane = terminal()

    shown = pane.run("doctor")

    marks = [line for line in shown.splitlines() if line.startswith(("✓", "!", "✗"))]
    assert {"python", "git", "bwrap", "sqlite", "agent", "other"} <= {line.split()[1] for line in marks}
    for line in shown.splitlines():
        assert width(line) <= 80 or str(person.folder) in line
        assert line[:1] in ("✓", "!", "✗", "") or line.startswith(" " * 24), f"not indented: {line!r}"


def test_a_table_keeps_its_columns_where_a_row_is_wrapped(person: Any, terminal: Callable[..., Any]) -> None:
    shown = terminal().run("help", "tiers")

    assert "  0 CONTEXT     the session" in shown and "  2 URGENT      the build" in shown


def test_in_a_dumb_terminal_there_are_plain_lines(person: Any, terminal: Callable[..., Any]) -> None:
    pane = terminal()
    pane.type("export TERM=dumb")

    shown = pane.run("auto", "greet", "--scenario", str(person.scenario))

    assert "DONE: greet" in shown and "Ctrl+C" not in shown
