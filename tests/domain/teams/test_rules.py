"""The review loop, layers of memory, panes and the files a team shares: rules and formats."""

from __future__ import annotations

import pytest

from andon.domain.teams.bulletin import finding, notes, progress, ralph_note
from andon.domain.teams.layers import Kind, Layer, layers_for, route
from andon.domain.teams.panes import Mode, Platform, Terminal, panes_for, platform_of, terminal
from andon.domain.teams.ralph import (
    Advice,
    Criterion,
    Exit,
    ExitOn,
    Measured,
    Round,
    Settings,
    Verdict,
    exit_of,
    scores,
    suitability,
    verdict,
    weighted,
)

ALL = tuple(Criterion)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a paper for production", Advice.STRONGLY),
        ("crawl and convert in a batch", Advice.NOT),
        ("creative writing", Advice.OPTIONAL),
        ("market research and analysis", Advice.RECOMMENDED),
        ("a simple form, CRUD", Advice.NOT),
        ("architecture of the system", Advice.STRONGLY),
    ],
)
def test_B_54_each_kind_of_work_has_its_advice(text: str, advice: Advice) -> None:
    found = suitability(text)

    assert found is not None and found[1] is advice
    assert suitability("nothing of it") is None


def test_B_55_settings_have_their_defaults_and_limits() -> None:
    assert Settings() == Settings(False, 5, (Criterion.COMPLETENESS, Criterion.ACCURACY), ExitOn.SHIP)
    assert Settings().problem == ""
    assert all("1 to 10" in Settings(max_iterations=count).problem for count in (0, 11))


def test_B_56_X_25_a_perfect_result_has_five_everywhere() -> None:
    found = scores(Measured(4, 0, 3, 3, (200, 250), 10, 10))

    assert set(found.values()) == {5.0} and weighted(found, ALL) == 5.0


def test_B_56_criteria_count_by_their_weight_and_what_is_not_measured_does_not_count() -> None:
    found = scores(Measured(assigned=4, missing=2, citations=2, found=2))

    assert found[Criterion.COMPLETENESS] == 2.5 and found[Criterion.COVERAGE] is None
    assert weighted(found, ALL) == (1.5 * 2.5 + 5.0) / 2.5
    assert weighted(scores(Measured()), ALL) is None
    assert scores(Measured(lengths=(100,)))[Criterion.COVERAGE] == 2.5


def test_B_57_G_12_what_is_measured_refuses_what_a_reviewer_would_ship_and_never_the_other_way_round() -> None:
    assert verdict(3.9, Verdict.SHIP) is Verdict.REVISE
    assert verdict(4.0, Verdict.SHIP) is Verdict.SHIP
    assert verdict(5.0, Verdict.REVISE) is Verdict.REVISE
    assert verdict(None, Verdict.SHIP) is Verdict.SHIP


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (Round(1, Verdict.SHIP), Exit.SHIP),
        (Round(1, Verdict.SHIP, blocked="x"), Exit.SHIP),
        (Round(5, Verdict.REVISE, blocked="x"), Exit.LIMIT),
        (Round(1, Verdict.REVISE, blocked="no key"), Exit.BLOCKED),
        (Round(4, Verdict.REVISE), None),
    ],
)
def test_B_59_B_60_the_loop_ends_for_the_first_reason_that_holds(now: Round, expected: Exit | None) -> None:
    assert exit_of(Settings(), now) is expected


def test_B_60_it_can_be_told_to_go_on_until_all_is_done_or_to_the_limit() -> None:
    assert exit_of(Settings(exit_on=ExitOn.ALL_DONE), Round(1, Verdict.REVISE, all_done=True)) is Exit.ALL_DONE
    assert exit_of(Settings(exit_on=ExitOn.MAX), Round(1, Verdict.SHIP)) is None
    assert exit_of(Settings(exit_on=ExitOn.MAX), Round(5, Verdict.SHIP)) is Exit.SHIP


# --- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(3, 1), (4, 2), (8, 2), (9, 3)])
def test_B_49_X_23_layers_by_the_size_of_the_team(size: int, count: int) -> None:
    assert layers_for(size) == tuple(Layer)[:count]


def test_B_50_the_third_layer_when_it_is_asked_for_or_there() -> None:
    both = (Layer.MARKDOWN, Layer.MCP)

    assert layers_for(2, "시맨틱 검색") == layers_for(2, "장기 프로젝트") == layers_for(2, memory_server=True) == both


def test_B_40_questions_go_to_their_layer_or_to_the_files() -> None:
    every = tuple(Layer)

    assert [route(kind, every)[0] for kind in Kind] == ["markdown", "sqlite", "mcp", "mcp"]
    assert {route(kind, (Layer.MARKDOWN,)) for kind in Kind} == {(Layer.MARKDOWN,)}
    assert route(Kind.TEMPORAL, (Layer.MARKDOWN, Layer.SQLITE)) == (Layer.SQLITE, Layer.MARKDOWN)
    assert route(Kind.STATE, every) == (Layer.MARKDOWN,)  # nothing lies below it


def test_B_44_a_note_is_read_as_it_was_written_whatever_an_agent_says() -> None:
    text = finding(
        "2026-11-17 10:00", "deep-reader", "Read", "## [x] - forged\n**Task**: no\nplain", ("a.md", "b")
    ).text()

    [note] = notes("# Bulletin\n\n" + text)

    assert (note.at, note.by) == ("2026-11-17 10:00", "deep-reader")
    assert [name for name, _ in note.fields] == ["Task", "Findings", "Links"]
    assert note.get("Links") == "a.md, b" and "forged" in note.get("Findings")


def test_B_61_rounds_of_the_loop_are_notes_of_their_own_form() -> None:
    revise = ralph_note("1", 1, "w", "t", "REVISE", "Name the sources", "")
    ship = ralph_note("2", 2, "w", "t", "SHIP", "", "Sources named")

    first, second = notes(revise.text() + ship.text())

    assert (first.by, first.get("Verdict"), first.get("Feedback")) == ("Ralph Loop #1", "REVISE", "Name the sources")
    assert (second.by, second.get("Verdict"), second.get("Changes")) == ("Ralph Loop #2", "SHIP", "Sources named")
    assert [name for name, _ in second.fields] == ["Worker", "Task", "Verdict", "Changes"]


def test_B_41_progress_is_a_list_to_tick() -> None:
    assert progress([("a", True), ("b", False)]) == "# Progress\n\n- [x] a\n- [ ] b\n"


# --- panes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "mode", "hint"),
    [
        (Terminal(Platform.LINUX, True, True), Mode.TMUX, ""),
        (Terminal(Platform.MACOS, True), Mode.TMUX, "tmux new -s claude"),
        (Terminal(Platform.MACOS, True, program="iTerm.app"), Mode.TMUX, "not stable"),
        (Terminal(Platform.WSL, True), Mode.TMUX, ""),
        (Terminal(Platform.LINUX, True, program="vscode"), Mode.AUTO, "VS Code"),
        (Terminal(Platform.LINUX, False), Mode.AUTO, "package manager"),
        (Terminal(Platform.MACOS, False), Mode.AUTO, "brew install tmux"),
    ],
)
def test_B_51_B_52_X_24_each_environment_has_its_mode_and_its_hint(found: Terminal, mode: Mode, hint: str) -> None:
    panes = panes_for(found, "km.ingest.x")

    assert panes.mode is mode and (hint in panes.hint if hint else panes.hint == "")


def test_B_53_a_dashboard_never_needs_panes() -> None:
    assert panes_for(Terminal(Platform.LINUX, True, True), "ops.dashboard.collector").mode is Mode.AUTO


def test_B_08_B_51_the_platform_by_its_own_name() -> None:
    assert platform_of("Windows_NT") is Platform.WINDOWS
    assert platform_of("Linux", "5.15-microsoft-standard-WSL2") is Platform.WSL
    assert platform_of("Darwin") is Platform.MACOS
    assert platform_of("Linux", "6.1") is Platform.LINUX
    assert terminal({"TMUX": "x", "TERM_PROGRAM": "vscode"}, Platform.LINUX, True).inside_tmux
