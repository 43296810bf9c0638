"""An order through the `claude` runtime against the same `claude -p` started directly, both on a model server.

The order is a real ask: durable step, journal, workspace, sandbox and supervisor included. The other side has the same
words, input, folder and variables, and nothing around it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from asking import command_of, row, taking_turns
from ground import Ground
from rows import Row

from andon.ports import Command

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = TESTS.parent / ".agents/short/node_modules/.bin/claude"
SCENARIO = "scenario: 1\nrules: [{reply: none}]\n"


def claude(ground: Ground, pairs: int) -> list[Row]:
    if not PROGRAM.exists():
        raise FileNotFoundError("Claude Code is not installed: make agents-install")
    sys.path.append(str(TESTS))
    from model_server import ModelServer, Player

    scenario = ground.scratch / "claude.yaml"
    scenario.write_text(SCENARIO)
    with ModelServer(Player(scenario)).serving() as server:
        variables = {
            "PATH": f"{PROGRAM.parent}:{ground.environment['PATH']}",
            "ANTHROPIC_API_KEY": "sk-loopback",
            "ANTHROPIC_BASE_URL": server.url,
        }
        created = ground.create_run({"runtime": "claude"}, variables)
        taken = asyncio.run(taking_turns(created, pairs, unconfined))
    return [row("claude", "an order through claude, over the same claude -p", taken)]


def unconfined(folder: Path) -> Command:
    """An order's command without the sandbox around it: what stands behind it, with the variables it sets."""
    command = command_of(folder)
    words = command.argv
    at = len(words) - 1 - words[::-1].index("--")
    sets = {words[n + 1]: words[n + 2] for n in range(at) if words[n] == "--setenv"}
    return Command(words[at + 1 :], words[words.index("--chdir") + 1], {**command.env, **sets}, command.stdin)
