"""Which machine a run belongs to. Several may share one PostgreSQL, and only the one that began a run has its files.

A machine is a data folder: its id is made once, and lies beside the keys, repositories and outputs that a run needs.
"""

from __future__ import annotations

import json
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from andon.domain.errors import EnvironmentProblem, UserError
from andon.domain.run import RunRow
from andon.engine.kept import create_once

ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Machine:
    id: str
    host: str

    @classmethod
    def load(cls, path: Path) -> Machine:
        """Read the machine's id, making it on first use. The host's name is the present one."""
        host = socket.gethostname()
        try:
            if not path.exists():
                create_once(path, json.dumps({"id": secrets.token_hex(ID_BYTES)}).encode())
            id = json.loads(path.read_bytes())["id"]
        except (OSError, ValueError, LookupError, TypeError) as error:
            hint = "It says which runs are this machine's. Restore it from a backup."
            raise EnvironmentProblem(f"{path} cannot be read: {error}", hint) from error
        return cls(str(id), host)

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def owner_of(run: RunRow) -> Machine | None:
    """The machine that began the run; None where its row does not say so, as in versions before this."""
    found = run.spec.get("machine")
    if not isinstance(found, dict):
        return None
    told = cast("dict[str, object]", found)
    return Machine(str(told.get("id", "")), str(told.get("host", "")))


def refused_elsewhere(run: RunRow, host: str) -> UserError:
    """The refusal of whatever would touch a run of another machine."""
    told = f"Run {run.id} belongs to another machine, {host}"
    hint = f"Its files, keys and agents are there: do it on {host}. Here it can be looked at, answered and reviewed."
    return UserError(told, hint)
