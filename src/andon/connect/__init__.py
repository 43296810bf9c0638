"""The world outside a run: a chat and a mailbox, read and never written to.

Each service is a small program (`slack`, `gmail`) that runs in a process of its own, so that a server which drips,
floods or hangs costs a bounded time and amount, and nobody pays for importing a client they do not use.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from andon import processes
from andon.ports import CallResult

SERVICES = ("slack", "gmail")
CALL_SECONDS = 90.0
"""One operation, all its pages included."""
OUTPUT_BYTES = 8 * 1024 * 1024


def call(service: str, words: tuple[str, ...], environment: Mapping[str, str]) -> CallResult:
    """What the service answered, as JSON text: its result, or `problem`, `message` and `hint`."""
    # -P: nothing is imported from the folder it runs in.
    argv = [sys.executable, "-P", "-m", f"andon.connect.{service}", *words]
    done = processes.run(argv, cwd="/", env=environment, seconds=CALL_SECONDS, output_bytes=OUTPUT_BYTES)
    if done.timed_out:
        return _failed("timeout", f"{service} did not finish within {CALL_SECONDS:g} seconds", "Try again later.")
    if done.truncated:
        return _failed("refused", f"{service} answered with more than {OUTPUT_BYTES} bytes", "Lower the limit.")
    said = done.stdout.decode("utf-8", "replace").strip()
    if not said:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {done.code}"]
        return _failed("refused", f"the {service} connector failed: {reason[0]}")
    missing = done.code != 0 and json.loads(said)["problem"] == "not_installed"
    return CallResult(available=not missing, code=done.code, output=said)


def _failed(problem: str, message: str, hint: str = "") -> CallResult:
    return CallResult(True, 1, json.dumps({"problem": problem, "message": message, "hint": hint}))
