"""A program that has the terminal: it gets folder and environment, Ctrl+C is its own, and its end is told."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from andon.domain.errors import EnvironmentProblem
from andon.processes import foreground


def test_it_runs_in_the_folder_with_the_environment_and_its_code_is_told(tmp_path: Path) -> None:
    script = 'test "$WORD" = said && pwd > here; exit 7'

    code = foreground(["/bin/sh", "-c", script], cwd=tmp_path, env={"WORD": "said"})

    assert code == 7 and (tmp_path / "here").read_text().strip() == str(tmp_path)


def test_an_interrupt_ends_the_program_and_not_andon(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)

    # The parent first, as the terminal does: both are in its foreground group.
    code = foreground(["/bin/sh", "-c", f"kill -INT {os.getpid()}; kill -INT $$; exit 0"], cwd=tmp_path, env={})

    assert code == -signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is before


def test_a_shell_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="cannot start /no/shell"):
        foreground(["/no/shell"], cwd=tmp_path, env={})
