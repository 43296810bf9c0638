"""A program on this process's own terminal, such as a person's shell: it has the keyboard until it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from andon.domain.errors import EnvironmentProblem


def foreground(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> int:
    """Run it to its end, without a deadline: a person is at work. Returns its exit code. Ctrl+C is the program's."""
    # A function rather than SIG_IGN: the program would inherit that and could not be interrupted either.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        return subprocess.run(list(argv), cwd=cwd, env=dict(env), check=False).returncode
    except OSError as error:
        raise EnvironmentProblem(f"cannot start {argv[0]}: {error.strerror}", "set SHELL to one that works") from error
    finally:
        signal.signal(signal.SIGINT, before)
