"""What the machine has that decides whether a goal is needed at all. Looks at files; starts nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    clippy: bool = False
    tmux: str = ""
    """Where the program is."""

    @staticmethod
    def of(environ: Mapping[str, str] | None = None) -> Machine:
        environ = os.environ if environ is None else environ
        return Machine(_has_clippy(environ), shutil.which("tmux", path=environ.get("PATH")) or "")


def _has_clippy(environ: Mapping[str, str]) -> bool:
    """rustup puts a name in PATH for each part of Rust, whether that part is installed or not."""
    found = shutil.which("cargo-clippy", path=environ.get("PATH"))
    if not found:
        return False
    if not Path(found).is_symlink() or Path(found).resolve().name != "rustup":
        return True
    rustup = Path(environ.get("RUSTUP_HOME") or Path(environ.get("HOME", "/"), ".rustup"))
    return any(rustup.glob("toolchains/*/bin/cargo-clippy"))
