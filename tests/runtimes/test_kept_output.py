"""What an agent printed stays in the folder of its order: without secrets, whoever gave them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from andon import processes
from andon.domain.order import Limits, Order, Outcome, Tier
from andon.engine.redaction import Redaction
from andon.runtimes.agents import SupervisedAgents
from andon.runtimes.scripted import ScriptedRuntime
from andon.workspace.sandbox import NoSandbox

TOKEN = 'tok-"quoted"/0123456789'
GIVEN = "given-by-a-person-1"


def carried_out(tmp_path: Path, redaction: Redaction) -> tuple[str, Path]:
    """The reply of an agent that says both secrets, and the folder of its order."""
    say = {"run": {"command": f'echo "$GIVEN_KEY"; echo "$GIVEN_KEY" >&2; printf "%s" {json.dumps(TOKEN)}'}}
    rule = {"match": {"role": "critic"}, "do": [say], "reply": f"I used {TOKEN} and {GIVEN}."}
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"scenario": 1, "rules": [rule]}))
    (tmp_path / "workspace").mkdir()
    runtime = ScriptedRuntime(scenario)
    agents = SupervisedAgents(runtime, NoSandbox(), 60.0, secrets=lambda: {"GIVEN_KEY": GIVEN}, clean=redaction.raw)
    workspace, folder = str(tmp_path / "workspace"), tmp_path / "orders" / "1.1-1"
    order = Order("r1", "1.1", "critic", "critic-1", "plan", "Judge it.", "You judge.", Tier.SONNET, workspace)
    reply = asyncio.run(agents.carry_out(replace(order, limits=Limits(seconds=30)), folder, None))
    assert reply.outcome is Outcome.DONE, reply
    return reply.text, folder


def test_E_28_a_secret_of_the_environment_and_one_that_was_given_are_kept_nowhere(tmp_path: Path) -> None:
    text, folder = carried_out(tmp_path, Redaction({"SERVICE_TOKEN": TOKEN}, [GIVEN]))

    assert text == "I used [redacted] and [redacted]."
    files = {each.name: each.read_text() for each in folder.iterdir() if each.is_file() and each.name != "script.json"}
    assert "[redacted]" in files["stdout"] and "[redacted]" in files["command.json"]
    spelt = (TOKEN, json.dumps(TOKEN)[1:-1], GIVEN)
    assert [name for name, told in files.items() if any(each in told for each in spelt)] == []
    assert (folder / "stdout").stat().st_mode & 0o077 == 0


def test_E_28_without_a_redaction_it_would_be_there(tmp_path: Path) -> None:
    """So that the test above can fail."""
    text, folder = carried_out(tmp_path, Redaction({}))

    assert TOKEN in text and GIVEN in (folder / "stdout").read_text()


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_E_28_long_output_is_cleaned_to_its_end_and_loses_nothing(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "1"
    folder.mkdir()
    secret, filling = b"a-secret-of-many-words", b"x" * 3_000_000
    (folder / name).write_bytes(secret + filling + secret + b"end")

    processes.rewrite(folder, Redaction({}, [secret.decode()]).raw)

    assert (folder / name).read_bytes() == b"[redacted]" + filling + b"[redacted]end"
    assert sorted(each.name for each in folder.iterdir()) == [name]
