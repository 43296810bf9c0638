"""One agent of a run, followed while it works: `andon logs --agent`, and a pane for each with `andon watch --tmux`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warm import warm

WAITS = {
    "do": [
        {"run": {"command": "echo before"}},
        {"run": {"command": "until [ -e go ]; do sleep 0.1; done; rm go"}},
        {"write": {"path": "a.txt", "text": "good day\n"}},
    ],
    "reply": "Done.",
}
"""An executor that works until somebody lets it go on."""


def begin(person: Any) -> str:
    """A run whose executor works; its id."""
    person.play({"executor": WAITS})
    person.start("auto", "greet", "--scenario", str(person.scenario))
    person.until(lambda: any(_is(entry, "spawn", "executor") for entry in journal(person)), "an executor")
    return person.runs()[0]["id"]


def journal(person: Any) -> list[dict[str, Any]]:
    return person.journal() if person.runs() else []


def _is(entry: dict[str, Any], kind: str, name: str) -> bool:
    return entry["kind"] == kind and entry["data"].get("name") == name


def let_go(person: Any, run: str) -> None:
    with person.store() as store:
        Path(store.home.run(run) / "worktree" / "go").touch()


def test_B_53_one_agent_is_followed_until_its_work_is_over(person: Any) -> None:
    run = begin(person)
    output = person.folder / f"out-{len(person.started)}"
    follower = person.start("logs", run, "--agent", "executor", "--follow")
    person.until(lambda: "echo before" in output.read_text(), "what the executor does, while it does it")
    assert "← executor" not in output.read_text() and follower.poll() is None

    let_go(person, run)

    assert follower.wait(60) == 0
    told = output.read_text()
    assert (
        told.index("→ executor") < told.index("run echo before") < told.index("write a.txt") < told.index("← executor")
    )
    assert "planner" not in told
    person.until(lambda: person.runs()[0]["status"] == "done", "the end of the run")
    after = person.andon("logs", run, "--agent", "executor")
    assert after.stdout == told, "the same afterwards, without waiting"
    rows = [json.loads(line) for line in person.andon("logs", run, "--agent", "executor", "--json").stdout.splitlines()]
    assert {"said": "write a.txt"} in rows and any(row.get("kind") == "spawn" for row in rows)


def test_an_agent_that_a_run_never_had_is_said_with_those_it_had(person: Any) -> None:
    person.play()
    person.auto()

    told = person.andon("logs", "--agent", "nobody", "--follow")

    assert told.code == 3 and "had no agent named nobody" in told.stderr and "executor" in told.stderr


def test_follow_ends_with_the_run(person: Any) -> None:
    person.play()
    person.auto()

    assert person.andon("logs", "--follow").stdout == person.andon("logs").stdout


def test_B_52_watch_gives_each_agent_a_pane_and_closing_one_does_no_harm(
    person: Any, terminal: Callable[..., Any]
) -> None:
    run = begin(person)
    watching = terminal(200, 50)
    inside = watching._tmux("display-message", "-p", "TMUX=#{socket_path},#{pid},0 TMUX_PANE=#{pane_id}").strip()
    watching.type(f"{inside} {sys.executable} -m andon watch {run} --tmux")
    titles = lambda: watching._tmux("list-panes", "-F", "#{pane_id} #{pane_title}")  # noqa: E731
    person.until(lambda: re.search(r"^%\d+ executor$", titles(), re.M), "a pane with its name")
    [pane] = re.findall(r"^(%\d+) executor$", titles(), re.M)
    person.until(lambda: "run echo before" in watching._tmux("capture-pane", "-p", "-t", pane), "what it does")

    watching._tmux("kill-pane", "-t", pane)
    let_go(person, run)

    person.until(lambda: person.runs()[0]["status"] == "done", "the end of the run")
    person.until(lambda: re.search(r"^%\d+ reporter$", titles(), re.M), "a pane of one that began later")


def test_B_52_outside_of_tmux_the_way_to_the_panes_is_said(person: Any) -> None:
    run = begin(person)
    sockets = tempfile.mkdtemp(prefix="andon-tmux-")
    environment = person.environment({"TMUX_TMPDIR": sockets})
    output = person.folder / "watcher"
    try:
        with output.open("wb") as file:
            watcher = warm().start("watch", run, "--tmux", cwd=person.repository, env=environment, output=file)
        person.started.append(watcher)
        person.until(lambda: f"tmux attach -t andon-{run}" in output.read_text(), "how to see them")
        let_go(person, run)
        assert watcher.wait(60) == 0
    finally:
        subprocess.run(["tmux", "kill-server"], env=environment, capture_output=True, timeout=30)
        shutil.rmtree(sockets, ignore_errors=True)


def test_B_51_without_tmux_one_line_says_so_and_nothing_else_changes(person: Any) -> None:
    person.play()
    person.auto()
    plain = person.andon("watch")

    watched = person.andon("watch", "--tmux", env={"PATH": str(person.folder)})

    assert watched.stdout == plain.stdout and watched.code == plain.code == 0
    assert watched.stderr.startswith("No panes.") and "apt-get install tmux" in watched.stderr
