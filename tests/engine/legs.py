"""A run of a few steps, executed in a process of its own that tests kill, starve and start again.

python legs.py URL HOME RUN [STEPS]. Files in HOME steer it: at step N of RUN, `pause-RUN-N` makes it hang, `full-RUN-N`
makes it write to a full disk, `fill-RUN-N` makes it fill its own, `lose-RUN-N` makes another thread lose the database.
Every body that really ran adds a line `RUN.N PID` to HOME/executed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from andon.domain.errors import EnvironmentProblem
from andon.engine.database import ensure_schema, open_database
from andon.engine.durable import Durable


class Legs:
    def __init__(self, url: str, home: Path, run: str, steps: int) -> None:
        self._home, self._run, self._steps = home, run, steps
        engine = open_database(url)
        ensure_schema(engine, home / "migrate.lock")
        self._durable = Durable(engine, run, home, self._pipeline)

    async def execute(self) -> None:
        await self._durable.start()
        try:
            await self._durable.begin(f"{self._run}.1", {"run": self._run})
            print(json.dumps(await self._durable.result(f"{self._run}.1")), flush=True)
        finally:
            await self._durable.close()

    async def _pipeline(self, workflow: str, payload: dict[str, Any]) -> dict[str, Any]:
        assert workflow == f"{payload['run']}.1"
        return {"steps": [await self._durable.step(f"step {n}", self._body(n)) for n in range(1, self._steps + 1)]}

    def _body(self, number: int) -> Any:
        async def body() -> dict[str, Any]:
            with (self._home / "executed").open("a") as log:
                log.write(f"{self._run}.{number} {os.getpid()}\n")
            if (self._home / f"pause-{self._run}-{number}").exists():
                print("paused", flush=True)
                await asyncio.sleep(3600)
            if (self._home / f"full-{self._run}-{number}").exists():
                Path("/dev/full").write_text("x")
            if (self._home / f"fill-{self._run}-{number}").exists():
                fill(self._home)
            if (self._home / f"lose-{self._run}-{number}").exists():
                threading.Thread(target=self._durable.give_up, args=(EnvironmentProblem("gone"),)).start()
                await asyncio.sleep(3600)
            return {"number": number, "by": os.getpid()}

        return body


def fill(folder: Path) -> None:
    """Take all the room there is, the last byte included."""
    with suppress(OSError), (folder / "ballast").open("wb", buffering=0) as ballast:
        for size in (65536, 512, 1):
            with suppress(OSError):
                while ballast.write(b"x" * size):
                    pass


async def main() -> None:
    url, home, run, *steps = sys.argv[1:]
    Path(home).mkdir(exist_ok=True)
    await Legs(url, Path(home), run, int(steps[0]) if steps else 3).execute()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except EnvironmentProblem as problem:
        print(f"problem: {problem.message}", flush=True)
        sys.exit(4)
