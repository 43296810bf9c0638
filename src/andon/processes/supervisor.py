"""The program that stands between andon and one process: starts it, keeps its output, ends its tree, records the end.

Runs on its own (`python -I -S supervisor.py FOLDER`) and is never imported by andon. It decides nothing about the work:
how the process ended is all it says. What each file in FOLDER means is told in the docstring of `andon.processes`.

It is two processes. The *supervisor* does the work; its parent, the *guard*, only waits for it. Both hold the lock and
both adopt orphans, so when either is killed the other one still ends the tree before the lock falls.
"""

from __future__ import annotations

import os
import sys

# Its parts lie beside it but are not imported as parts of andon: that would load the whole package, ten times slower.
# They are modules of their own because Python keeps compiled code of modules, not of the program it was asked to run.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from supervision import Supervision, write
from tree import adopt_orphans, guard

sys.path.pop(0)

LOCK_FD = 3
"""Where the starter leaves the locked file."""


def main(folder: str) -> None:
    os.chdir("/")
    os.set_inheritable(LOCK_FD, False)  # The process must not hold the lock: it is the supervisor's life that counts.
    os.closerange(LOCK_FD + 1, os.sysconf("SC_OPEN_MAX"))
    adopt_orphans()
    supervisor = os.fork()
    if supervisor:
        return guard(supervisor)
    os.setsid()
    adopt_orphans()
    try:
        Supervision(folder).supervise()
    except BaseException:
        # A bug, or a folder that cannot be written. Said where a person looks; the guard ends whatever was started.
        import traceback

        write(os.path.join(folder, "supervisor.error"), traceback.format_exc().encode(), os.O_TRUNC)
    return None


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    finally:
        os._exit(0)  # Skips the interpreter's farewell, so that the lock falls at once.
