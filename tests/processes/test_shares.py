"""What one process may take of the machine."""

from __future__ import annotations

import os

from andon.processes.shares import MEMORY_BYTES, memory_share
from andon.workspace.sandbox.limits import PRIVATE_FOLDERS, Limits


def test_E_27_one_process_never_gets_the_whole_machine() -> None:
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    assert memory_share() <= MEMORY_BYTES and memory_share() < machine
    assert Limits().private_bytes * PRIVATE_FOLDERS <= memory_share()
