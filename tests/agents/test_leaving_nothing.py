"""Whatever ends a run, no process of an agent program outlives it: the list of all processes says so."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from stages import PROGRAMS, left, staged, until

from andon.app.demo import TASK, make_sample
from warm import Command, Finished

WHOLE = os.environ.get("ANDON_AGENTS") == "whole"
LEASE = "3"
RULES = [{"do": [{"run": {"command": "setsid sleep 911 & sleep 912"}}], "reply": "none"}]
NAMES = ("claude", "codex", "gemini", "opencode", "api-anthropic") if WHOLE else ("claude", "codex")


@pytest.mark.timeout(240)
@pytest.mark.parametrize("way", ["stop", "interrupt", "kill"])
@pytest.mark.parametrize("name", NAMES)
def test_E_05_a_run_that_ends_leaves_no_process_of_its_agents(
    name: str, way: str, tmp_path: Path, start_andon: Callable[..., Command], run_andon: Callable[..., Finished]
) -> None:
    program = PROGRAMS[name]
    if not program.there:
        pytest.fail("make agents-install") if WHOLE else pytest.skip("make agents-install")
    with staged(program, tmp_path, RULES) as stage:
        environment = {**stage.outside(), "ANDON_LEASE_SECONDS": LEASE}
        repository = make_sample(tmp_path)
        run = start_andon("auto", TASK, "--runtime", program.runtime, cwd=repository, env=environment)
        assert until(lambda: "sleep 911" in left(tmp_path), 120), run.poll()

        match way:
            case "stop":
                run_andon("stop", cwd=repository, env=environment)
            case "interrupt":
                run.send_signal(signal.SIGINT)
            case _:
                run.kill()  # nobody comes back, and the time that agents wait for somebody passes
        run.wait(60)

        assert until(lambda: not left(tmp_path), 30), left(tmp_path)
