"""Which files of repositories a person has trusted, by digest: a file that changes has to be trusted again."""

from __future__ import annotations

import json
import time
from typing import cast

from andon.app.home import Home
from andon.app.settings_sources import File
from andon.domain.errors import UserError
from andon.engine.database import locked
from andon.workspace.files import write_atomic


def is_trusted(home: Home, digest: str) -> bool:
    return bool(digest) and digest in (_known(home) or ())


def trust(home: Home, file: File) -> None:
    """Remember that a person trusted this file as it is now."""
    if not file.digest:
        raise UserError(f"There is no {file.path}", "andon.toml lies at the top of a repository.")
    home.make()
    with locked(home.root / "trusted.lock"):
        known = _known(home)
        if known is None:
            # Unreadable: nothing counts as trusted, and whatever it holds is kept.
            home.trust.rename(home.trust.with_name(f"{home.trust.name}.broken-{int(time.time())}"))
        write_atomic(home.trust, json.dumps(sorted({*(known or ()), file.digest}), indent=2) + "\n")


def _known(home: Home) -> set[str] | None:
    """The digests; None when the file is there but cannot be read."""
    try:
        found = json.loads(home.trust.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return set()
    except (OSError, ValueError):
        return None
    return set(cast("list[str]", found)) if isinstance(found, list) else None
