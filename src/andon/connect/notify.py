"""One notice to one address, by Apprise. `python -m andon.connect.notify`, with the address on standard input.

An address may be a secret: it is in no argument, and no answer repeats a part of it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from andon import processes
from andon.connect.answering import Problem, cut, library

SECONDS = 10.0
"""For one attempt, all of it: whoever ends a run waits for one that is under way."""
KINDS = {"normal": "info", "high": "warning", "critical": "failure"}
_PIECE = re.compile(r"[^/:@?&=#\s,]{4,}")


def deliver(url: str, title: str, text: str, urgency: str, environment: Mapping[str, str]) -> Problem | None:
    """Send it, within a bounded time. None when the other side took it."""
    argv = [sys.executable, "-P", "-m", "andon.connect.notify"]
    asked = json.dumps({"url": url, "title": title, "text": text, "urgency": urgency}).encode()
    done = processes.run(argv, cwd="/", env=environment, stdin=asked, seconds=SECONDS, output_bytes=100_000)
    if done.timed_out:
        return Problem("timeout", f"no answer within {SECONDS:g} seconds")
    try:
        said: dict[str, str] = json.loads(done.stdout)
    except ValueError:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {done.code}"]
        return Problem("refused", _without(reason[0], url))
    return Problem(said["problem"], said["message"], said.get("hint", "")) if said.get("problem") else None


def main() -> int:
    asked = json.loads(sys.stdin.read())
    try:
        _send(asked)
        said: dict[str, Any] = {}
    except Problem as problem:
        said = {"problem": problem.kind, "message": _without(problem.message, asked["url"]), "hint": problem.hint}
    sys.stdout.write(json.dumps(said, ensure_ascii=False) + "\n")
    return 0


def _send(asked: Mapping[str, str]) -> None:
    apprise = library("apprise", "notify")
    sender = apprise.Apprise()
    # As a list: a text is taken apart at its commas.
    if not sender.add([asked["url"]]):
        hint = "https://appriseit.com lists the addresses of every service."
        raise Problem("usage", "Apprise does not understand this address", hint)
    kind = KINDS.get(asked["urgency"], "info")
    with apprise.LogCapture(level=apprise.logging.INFO, fmt="%(message)s") as log:
        sent = sender.notify(title=asked["title"], body=asked["text"], notify_type=kind, body_format="text")
        lines = [line for line in log.getvalue().splitlines() if line.strip()]
    if not sent:
        raise Problem("unreachable", cut("; ".join(lines[-2:]) or "the other side did not take it", 400))


def _without(text: str, url: str) -> str:
    """The text without any piece of the address but its scheme."""
    pieces = sorted(set(_PIECE.findall(url.partition("://")[2])), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, pieces)), "…", text) if pieces else text


if __name__ == "__main__":
    sys.exit(main())
