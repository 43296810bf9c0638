"""At most two verifications at once over all tasks (D-98), and nobody waits for somebody who is gone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from andon.engine.slots import slot

ROLE = "task-verifier"
HOLD = (
    "import asyncio, pathlib, sys\nfrom andon.engine.slots import slot\n"
    "async def never(): return False\n"
    "async def main():\n"
    "    async with slot(pathlib.Path(sys.argv[1]), 'task-verifier', never):\n"
    "        print('held', flush=True)\n"
    "        await asyncio.sleep(60)\n"
    "asyncio.run(main())\n"
)


async def never() -> bool:
    return False


async def always() -> bool:
    return True


def test_D_98_S_21_two_verifications_overlap_and_a_third_waits_for_its_turn(tmp_path: Path) -> None:
    async def story() -> list[str]:
        told: list[str] = []
        ends = [asyncio.Event() for _ in range(3)]

        async def verify(number: int) -> None:
            async with slot(tmp_path, ROLE, never):
                told.append(f"begins {number}")
                await asyncio.wait_for(ends[number].wait(), 10)
                told.append(f"ends {number}")

        going = [asyncio.create_task(verify(number)) for number in range(3)]
        await asyncio.sleep(0.5)  # longer than several looks: the third has looked, and waits
        assert told == ["begins 0", "begins 1"]
        ends[1].set()
        ends[2].set()
        await asyncio.wait_for(going[2], 10)
        ends[0].set()
        await asyncio.gather(*going)
        return told

    assert asyncio.run(story()) == ["begins 0", "begins 1", "ends 1", "begins 2", "ends 2", "ends 0"]


def test_D_98_a_run_that_is_stopped_does_not_wait_and_other_roles_never_do(tmp_path: Path) -> None:
    async def story() -> tuple[bool, bool]:
        async with AsyncExitStack() as stack:
            for _ in range(2):
                await stack.enter_async_context(slot(tmp_path, ROLE, never))
            stopped = await stack.enter_async_context(slot(tmp_path, ROLE, always))
            other = await stack.enter_async_context(slot(tmp_path, "executor", always))
            return stopped, other

    assert asyncio.run(story()) == (False, True)


def test_D_98_whoever_is_killed_gives_the_slot_back(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    others = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
    for other in others:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"

    async def free() -> bool:
        async with slot(tmp_path, ROLE, always) as mine:
            return mine

    assert asyncio.run(free()) is False
    others[0].kill()
    others[0].wait(10)
    assert asyncio.run(free()) is True
    others[1].kill()
    others[1].wait(10)
