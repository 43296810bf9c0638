"""`andon team run --tmux`: members in panes of a real tmux; and a run that goes on without it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from typing import Any


def in_panes(story: Any) -> None:
    """From outside of tmux: a session of its own, on a socket that nobody else has."""
    sockets = tempfile.mkdtemp(prefix="andon-tmux-")
    words = story.auto_words("--tmux")
    environment = {**story.environment, "TMUX_TMPDIR": sockets}
    try:
        story.script["environment"] = {"TMUX_TMPDIR": sockets}
        story.andon(*words)
        tmux = ["tmux", "list-panes", "-a", "-F", "#{session_name} #{pane_title}"]
        listed = subprocess.run(tmux, env=environment, capture_output=True, text=True, timeout=30)
        story.facts["panes"] = sorted(listed.stdout.splitlines())
    finally:
        subprocess.run(["tmux", "kill-server"], env=environment, capture_output=True, timeout=30)


def without_tmux(story: Any) -> None:
    """A tmux that fails whatever it is asked."""
    (story.bin / "tmux").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    (story.bin / "tmux").chmod(0o755)
    story.andon(*story.auto_words("--tmux"))


def test_B_51_B_52_every_member_has_a_pane_while_it_works(story: Callable[..., Any]) -> None:
    told = story("team-notes@panes", in_panes)

    assert told.first.code == 0, told.first.stderr
    assert f"tmux attach -t andon-{told.row.id}" in told.first.stderr
    assert [line.split()[-1] for line in told.facts["panes"]] == ["lead", "lead-custom-1", "lead-custom-2", "writer"]


def test_B_53_a_tmux_that_fails_costs_a_line_and_the_run_goes_on(story: Callable[..., Any]) -> None:
    told = story("team-notes@no-panes", without_tmux)

    assert told.first.code == 0 and told.ending["status"] == "done"
    assert told.first.stderr.count("panes") == 1 and "goes on without them" in told.first.stderr
