"""Panes of a real tmux, on a server of the test's own: where they open, what they show, and what cannot harm."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.connect.panes import Fallback, Panes, Show, open_panes, safe_name
from andon.connect.tmux import titled
from patience import until

SECONDS = 30
EVIL = (
    "#(touch bad)",
    "$(touch bad)",
    "`touch bad`",
    "'; touch bad;",
    "a;",
    '"b"',
    "#[fg=red]x",
    "-X",
    "%1",
    "나비 🦋",
)


class Tmux:
    """A server of its own. `person` is what somebody in its first pane has in the environment."""

    def __init__(self, folder: Path) -> None:
        self.name = f"andon-{uuid.uuid4().hex[:12]}"
        self.sockets = tempfile.mkdtemp(prefix="andon-tmux-")  # short: the name of a socket has room for 107 bytes
        kept = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.outside = kept | {"TMUX_TMPDIR": self.sockets}

    def start(self, wide: int = 200, high: int = 50) -> dict[str, str]:
        self("new-session", "-d", "-x", str(wide), "-y", str(high), "/bin/cat", "-")
        socket, server = self("display-message", "-p", "#{socket_path} #{pid}").split()
        return self.outside | {"TMUX": f"{socket},{server},0", "TMUX_PANE": self("list-panes", "-F", "#{pane_id}")}

    def __call__(self, *words: str, at: str = "") -> str:
        """On the test's server, or on the one that a session of its own was made on."""
        where = () if at == "default" else ("-L", self.name)
        done = subprocess.run(
            ["tmux", "-u", *where, *words], env=self.outside, capture_output=True, timeout=SECONDS, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    def panes(self, at: str = "") -> list[list[str]]:
        told = self("list-panes", "-a", "-F", "#{pane_id}\t#{pane_title}\t#{pane_dead}\t#{window_id}", at=at)
        return [line.split("\t") for line in told.splitlines()]

    def shown(self, pane: str, at: str = "") -> str:
        return self("capture-pane", "-p", "-J", "-S", "-", "-t", pane, at=at)

    def close(self) -> None:
        for where in ((), ("-L", self.name)):
            subprocess.run(["tmux", *where, "kill-server"], env=self.outside, capture_output=True, timeout=SECONDS)
        shutil.rmtree(self.sockets, ignore_errors=True)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    made = Tmux(tmp_path)
    yield made
    made.close()


def lasting(text: str) -> list[str]:
    """A command that says something and stays."""
    return ["sh", "-c", 'printf "%s\\n" "$0"; exec cat', text]


def opened(found: Panes | Fallback) -> Panes:
    assert isinstance(found, Panes), found
    return found


def test_B_52_inside_tmux_the_panes_open_beside_the_person(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()

    panes = opened(open_panes(person, tmp_path / "p", "t", [Show("one", lasting("I")), Show("two", lasting("II"))]))

    rows = tmux.panes()
    assert [row[1] for row in rows if row[0] != person["TMUX_PANE"]] == ["one", "two"]
    assert len({row[3] for row in rows}) == 1, "in the window that the person looks at"
    assert tmux("display-message", "-p", "#{pane_id}") == person["TMUX_PANE"], "the keyboard stays where it was"
    until("output", lambda: [tmux.shown(row[0]) for row in rows[1:]] == ["I", "II"])
    assert not panes.attach and not panes.left_out


def test_B_53_a_window_that_a_person_has_divided_stays_as_it_is(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    tmux("split-window", "-d", "-l", "7", "/bin/cat", "-")
    before = tmux("display-message", "-p", "#{window_layout}")

    opened(open_panes(person, tmp_path / "p", "My team", [Show("one", lasting("I"))]))

    assert tmux("display-message", "-p", "#{window_layout}") == before
    assert "andon-my-team" in tmux("list-windows", "-F", "#{window_name}").split()


def test_B_52_without_a_session_there_is_one_to_attach_to(tmux: Tmux, tmp_path: Path) -> None:
    panes = opened(open_panes(tmux.outside, tmp_path / "p", "run 7", [Show("one", lasting("I"))]))
    again = opened(open_panes(tmux.outside, tmp_path / "q", "run 7", [Show("one", lasting("I"))]))

    assert (panes.attach, again.attach) == ("tmux attach -t andon-run-7", "tmux attach -t andon-run-7-2")
    assert tmux("list-sessions", "-F", "#{session_name}", at="default").split() == ["andon-run-7", "andon-run-7-2"]


def test_B_53_what_an_agent_is_called_is_nothing_that_tmux_or_a_shell_obeys(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    work = tmp_path / "p"
    shows = [Show(name, ["printf", "%s\\n", name, "$(touch bad)", "; touch bad;"]) for name in EVIL]

    panes = opened(open_panes(person, work, "#(touch bad)", shows, most=20))

    until("all to end", lambda: sum(row[2] == "1" for row in tmux.panes()) == len(EVIL))
    rows = [row for row in tmux.panes() if row[0] != person["TMUX_PANE"]]
    assert [row[1] for row in rows] == [titled(name) for name in EVIL]
    told = [[name, "$(touch bad)", "; touch bad;"] for name in EVIL]  # tmux may know of an end before of the last words
    until("output", lambda: [tmux.shown(row[0]).splitlines()[:3] for row in rows] == told)
    assert not list(tmp_path.rglob("bad")) and not Path("/bad").exists()
    assert not panes.left_out and tmux("list-sessions"), "and no command of it ended the server"


def test_what_has_ended_stays_readable_and_the_same_agent_gets_its_pane_again(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    panes = opened(open_panes(person, tmp_path / "p", "t", [Show("one", ["echo", "first"])]))
    [_, [id, *_]] = until("its end", lambda: rows if (rows := tmux.panes())[-1][2] == "1" else None)
    assert "first" in tmux.shown(id)

    assert panes.show([Show("one", lasting("second"))]) is None

    until("its output", lambda: tmux.shown(id) == "second")
    assert len(tmux.panes()) == 2
    assert panes.show([Show("one", lasting("third"))]) is None
    assert tmux.shown(id) == "second", "who still works is not disturbed"


def test_the_number_of_panes_is_bounded_and_who_has_ended_makes_room(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    shows = [Show("ends", ["echo", "done"]), Show("stays", lasting("I")), Show("late", lasting("III"))]
    panes = opened(open_panes(person, tmp_path / "p", "t", shows[:2], most=2))
    until("an end", lambda: any(row[2] == "1" for row in tmux.panes()))

    assert panes.show(shows[2:]) is None and panes.left_out == ()
    assert [row[1] for row in tmux.panes()[1:]] == ["late", "stays"]
    assert panes.show([Show("more", lasting("IV"))]) is None
    assert panes.left_out == ("more",)


def test_B_53_in_a_window_that_is_too_small_some_have_no_pane_and_that_is_said(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start(wide=80, high=24)
    shows = [Show(f"agent {number}", lasting("I")) for number in range(8)]

    panes = opened(open_panes(person, tmp_path / "p", "t", shows))

    assert panes.left_out == ("agent 5", "agent 6", "agent 7")


def test_B_53_no_pane_is_too_narrow_to_be_read_however_many_agents_there_are(tmux: Tmux, tmp_path: Path) -> None:
    """A terminal of 80 columns, and high: tmux would lay the seventh pane out in a third column."""
    person = tmux.start(wide=80, high=60)

    panes = opened(
        open_panes(person, tmp_path / "p", "t", [Show(f"agent-{n}", lasting("I")) for n in range(8)], most=8)
    )

    assert len(tmux.panes()) == 6 and panes.left_out
    assert min(map(int, tmux("list-panes", "-a", "-F", "#{pane_width}").split())) >= 38


def test_B_53_no_room_at_all_is_a_reason_to_do_without(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start(wide=40, high=8)

    found = open_panes(person, tmp_path / "p", "t", [Show("one", lasting("I"))])

    assert found == Fallback("the window is too small for panes")
    assert len(tmux.panes()) == 1


def test_B_53_panes_that_a_person_closed_are_no_failure(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    panes = opened(open_panes(person, tmp_path / "p", "t", [Show("one", lasting("I")), Show("two", lasting("II"))]))
    tmux("kill-pane", "-t", tmux.panes()[1][0])

    assert panes.show([Show("three", lasting("III"))]) is None
    assert [row[1] for row in tmux.panes()[1:]] == ["two", "three"]


def test_B_53_a_session_that_a_person_closed_is_not_opened_again(tmux: Tmux, tmp_path: Path) -> None:
    panes = opened(open_panes(tmux.outside, tmp_path / "p", "t", [Show("one", lasting("I"))]))
    tmux("kill-server", at="default")

    assert panes.show([Show("two", lasting("II"))]) == Fallback("its session was closed")


def test_close_takes_away_its_own_panes_and_no_others(tmux: Tmux, tmp_path: Path) -> None:
    person = tmux.start()
    mine = opened(open_panes(person, tmp_path / "p", "t", [Show("one", lasting("I"))]))
    opened(open_panes(person, tmp_path / "q", "t", [Show("other", lasting("I"))]))

    assert mine.close() is None

    assert [row[1] for row in tmux.panes() if row[0] != person["TMUX_PANE"]] == ["other"]
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("before", ["", "bottom"])
def test_B_53_close_leaves_the_borders_of_a_persons_window_as_they_were(
    tmux: Tmux, tmp_path: Path, before: str
) -> None:
    person = tmux.start()
    if before:
        tmux("set-option", "-w", "pane-border-status", before)
    panes = opened(open_panes(person, tmp_path / "p", "t", [Show("one", lasting("I")), Show("two", lasting("II"))]))
    assert tmux("show-options", "-w", "-v", "pane-border-status") == "top"

    assert panes.close() is None

    assert tmux("show-options", "-w", "-q", "-v", "pane-border-status") == before
    assert "@andon" not in tmux("show-options", "-w")


def program(folder: Path, text: str) -> dict[str, str]:
    """A PATH with a tmux that does something else."""
    folder.mkdir()
    (folder / "tmux").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "tmux").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("echo tmux 2.9a", "too old"),
        ('[ "$1" = -V ] && echo tmux 3.4 && exit; echo lost server >&2; exit 1', "lost server"),
        ("exit 3", ""),
    ],
    ids=["too old", "no server", "no answer"],
)
def test_B_53_whatever_fails_is_a_reason_to_do_without(tmp_path: Path, does: str, reason: str) -> None:
    found = open_panes(program(tmp_path / "bin", does), tmp_path / "p", "t", [Show("one", ["true", "x"])])

    assert isinstance(found, Fallback) and reason in found.reason and found.reason, found
    assert "\n" not in found.reason


def test_B_53_a_tmux_that_hangs_costs_a_bounded_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("andon.connect.panes.SECONDS", 1.0)

    found = open_panes(program(tmp_path / "bin", "sleep 600"), tmp_path / "p", "t", [Show("one", ["true", "x"])])

    assert found == Fallback("tmux did not answer within 1 s")


def test_B_51_no_tmux_and_a_server_that_is_gone_are_said(tmux: Tmux, tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    gone = tmux.start()
    tmux("kill-server")

    missing = open_panes(nowhere, tmp_path / "p", "t", [Show("one", ["true"])])
    lost = open_panes(gone, tmp_path / "p", "t", [Show("one", ["true"])])

    assert missing == Fallback("tmux is not installed")
    assert isinstance(lost, Fallback) and ("no server" in lost.reason or "connecting" in lost.reason), lost


def test_what_a_pane_starts_is_nobody_elses_to_read(tmux: Tmux, tmp_path: Path) -> None:
    waiting = Panes(tmux.outside | {"ANDON_DATABASE_URL": "postgresql://u:secret@h/d", "KEY": "k"}, tmp_path / "p", "t")

    words = waiting._started_by(0, Show("one", ["true"]))

    file = Path(words[-1])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "secret" in file.read_text() and "KEY" not in file.read_text(), "only what andon itself needs"
    assert "secret" not in " ".join(words)


def test_names_of_sessions_are_plain_in_any_script() -> None:
    assert [safe_name(each) for each in ("My Team!", "팀", "#(x)", "")] == [
        "andon-my-team",
        "andon-agents",
        "andon-x",
        "andon-agents",
    ]
