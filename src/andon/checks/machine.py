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
    """Where the program is, if a check can start it there."""

    @staticmethod
    def of(environ: Mapping[str, str] | None = None) -> Machine:
        environ = os.environ if environ is None else environ
        return Machine(_has_clippy(environ), _system_program("tmux", environ))


def _system_program(name: str, environ: Mapping[str, str]) -> str:
    """Checks see the system's own folders, and of others only what an environment names."""
    found = shutil.which(name, path=environ.get("PATH")) or ""
    return found if Path(found).is_relative_to("/usr") or Path(found).is_relative_to("/bin") else ""


def _has_clippy(environ: Mapping[str, str]) -> bool:
    """rustup puts a name in PATH for each part of Rust, whether that part is installed or not."""
    found = shutil.which("cargo-clippy", path=environ.get("PATH"))
    if not found:
        return False
    if not Path(found).is_symlink() or Path(found).resolve().name != "rustup":
        return True
    rustup = Path(environ.get("RUSTUP_HOME") or Path(environ.get("HOME", "/"), ".rustup"))
    return any(rustup.glob("toolchains/*/bin/cargo-clippy"))
