"""Exit codes and what they mean. Documented in `andon --help` and docs/reference/exit-codes.md."""

from __future__ import annotations

from andon.domain.run import Ending, Status

DONE = 0
FAILED = 1
NEEDS_PERSON = 2
USAGE = 3
ENVIRONMENT = 4
INTERRUPTED = 130

_BY_STATUS = {
    Status.DONE: DONE,
    Status.RUNNING: DONE,  # started, in the background
    Status.FAILED: FAILED,
    Status.CLOSED: FAILED,
    Status.NEEDS_PERSON: NEEDS_PERSON,
    Status.STOPPED: NEEDS_PERSON,
    Status.WAITING: NEEDS_PERSON,
    Status.INTERRUPTED: NEEDS_PERSON,
}


def exit_code(ending: Ending) -> int:
    if ending.reason == "environment":
        return ENVIRONMENT
    return _BY_STATUS.get(ending.status, FAILED)
