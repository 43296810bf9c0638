"""Whether a team can be watched in panes of its own, on this machine and in this terminal (B-51 to B-53, X-24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

ALWAYS_AUTO = "ops.dashboard."
"""Teams that nobody needs to watch in panes."""


class Mode(StrEnum):
    TMUX = "tmux"
    AUTO = "auto"


class Platform(StrEnum):
    WINDOWS = "windows"
    WSL = "wsl"
    MACOS = "macos"
    LINUX = "linux"


@dataclass(frozen=True, slots=True)
class Terminal:
    """What decides: the platform, whether tmux is installed, and where we are started."""

    platform: Platform
    tmux: bool
    inside_tmux: bool = False
    program: str = ""
    """TERM_PROGRAM."""


@dataclass(frozen=True, slots=True)
class Panes:
    mode: Mode
    hint: str = ""


def platform_of(system: str, release: str = "") -> Platform:
    """By the name that the system gives itself."""
    if system in ("Windows_NT", "Windows"):
        return Platform.WINDOWS
    if system == "Darwin":
        return Platform.MACOS
    return Platform.WSL if "microsoft" in release.casefold() else Platform.LINUX


def terminal(environment: Mapping[str, str], platform: Platform, tmux: bool) -> Terminal:
    return Terminal(platform, tmux, bool(environment.get("TMUX")), environment.get("TERM_PROGRAM", ""))


def panes_for(found: Terminal, team: str = "") -> Panes:
    """The matrix of B-52; teams of dashboards never need panes (B-53)."""
    if team.startswith(ALWAYS_AUTO):
        return Panes(Mode.AUTO, "A dashboard needs no panes.")
    if found.inside_tmux:
        return Panes(Mode.TMUX)
    if found.program == "vscode":
        return Panes(Mode.AUTO, "The terminal of VS Code has no panes: agents work in the background.")
    if found.platform is Platform.MACOS and found.program == "iTerm.app":
        return Panes(Mode.TMUX, "`tmux -CC` works in iTerm2, but is not stable; plain tmux is.")
    if not found.tmux:
        return Panes(Mode.AUTO, f"Agents work in the background. For panes: {install_hint(found.platform)}")
    if found.platform is Platform.WSL:
        return Panes(Mode.TMUX)
    return Panes(Mode.TMUX, "Start it inside of tmux: tmux new -s claude")


def install_hint(platform: Platform) -> str:
    match platform:
        case Platform.MACOS:
            return "brew install tmux"
        case Platform.WINDOWS:
            return "use WSL2, and install tmux there"
        case _:
            return "install tmux with your package manager, for example: apt-get install tmux"
