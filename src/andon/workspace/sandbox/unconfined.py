"""The tier that confines nothing. A measurement made in it counts only where a person chose to trust the host."""

from __future__ import annotations

from dataclasses import dataclass

from andon.ports import Command, Confinement


@dataclass(frozen=True, slots=True)
class NoSandbox:
    @property
    def tier(self) -> str:
        return "none"

    @property
    def confines(self) -> bool:
        return False

    @property
    def mounts(self) -> bool:
        return False

    def confine(self, command: Command, confinement: Confinement) -> Command:
        """The command as it is: mounts do not appear and nothing is read-only."""
        return command

    def setup_failure(self, code: int | None, stderr: bytes) -> str | None:
        """There is nothing that could fail to be set up."""
        return None
