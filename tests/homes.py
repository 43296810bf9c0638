"""Data folders for tests, whose database has its tables already.

Making them costs a third of a second of CPU, which some hundreds of tests would pay that are not about the first
start. Those that are begin with an empty folder.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from warm import warm

_MAKE = """
import asyncio, sqlite3, sys
from pathlib import Path
from andon.app.queries import open_store
from andon.engine.durable import Durable

async def launch(store):
    durable = Durable(store.engine, "template", store.home.root, None)
    await durable.start()
    await durable.close()

store = open_store({"ANDON_HOME": sys.argv[1], "HOME": sys.argv[1]})
asyncio.run(launch(store))
store.engine.dispose()
sqlite3.connect(store.home.root / "andon.db").execute("PRAGMA wal_checkpoint(TRUNCATE)")
"""


@cache
def database() -> bytes:
    """The file of a fresh database: andon's tables and those of the durable engine."""
    with tempfile.TemporaryDirectory(prefix="andon-template-") as folder:
        home = Path(folder) / "home"
        made = warm().program(_MAKE, str(home), cwd=Path(folder))
        _, complaint = made.communicate(60)
        assert made.returncode == 0, complaint
        return (home / "andon.db").read_bytes()


def make_home(folder: Path, environments: Path | None = None) -> Path:
    """Make a data folder; `environments` are prepared ones of checks, which it shares with others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "andon.db").write_bytes(database())
    if environments is not None:
        (folder / "environments").symlink_to(environments, target_is_directory=True)
    return folder
