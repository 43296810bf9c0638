"""Executes a run on a disk that fills up, frees the disk, and goes on. Run in a sandbox whose HOME is a small tmpfs.

python small_disk.py HOME WHEN. WHEN is `while it runs` or `while no process runs`. Prints how each process ended.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import legs

STEPS, FULL_AT = 40, 20


def execute(home: Path) -> list[str]:
    return [sys.executable, legs.__file__, f"sqlite:///{home}/andon.db", str(home), "r1", str(STEPS)]


def process(home: Path) -> None:
    done = subprocess.run(execute(home), capture_output=True, text=True, timeout=80)
    print(done.returncode, (done.stdout or done.stderr).strip().splitlines()[-1][-3000:])


def fill_while_it_runs(home: Path) -> None:
    order = home / f"fill-r1-{FULL_AT}"
    order.touch()
    process(home)
    order.unlink()


def fill_while_no_process_runs(home: Path) -> None:
    order = home / f"pause-r1-{FULL_AT}"
    order.touch()
    with subprocess.Popen(execute(home), stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None and killed.stdout.readline() == "paused\n"
        killed.kill()
    order.unlink()
    legs.fill(home)
    process(home)


def main(home: Path, when: str) -> None:
    fill_while_it_runs(home) if when == "while it runs" else fill_while_no_process_runs(home)
    (home / "ballast").unlink()
    process(home)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
