"""README cannot lie: every command it shows exists and is run here, on the project the demo leaves behind."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from homes import make_home
from warm import Finished, warm

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
UAM_SCENARIO = ROOT / "src/andon/app/sample/uam.yaml"
EXPECTED = {
    "resume": 3,  # the newest run is done: there is nothing to go on with, and it says so
    "take-over": 3,  # a shell needs a terminal
    "close": 3,  # closing asks first, in a terminal
}

SCENARIO = """
scenario: 1
rules:
  - match: {name: doc-analyst}
    reply: {files: [README.md], new_pattern: false, new_dependency: false, modules: [tally]}
  - match: {name: executor}
    do: [{write: {path: NOTES.md, text: "Done.\n"}}]
    reply: Done.
  - match: {name: verifier}
    reply: "VERDICT: APPROVE"
  - match: {phase: work}
    reply: {status: DONE, summary: Done, items: [{item: all of it, analysis: It is there, sources: [README.md]}]}
  - match: {}
    reply: Done.
"""


@dataclass(frozen=True)
class Visited:
    """A person's machine after they followed the first part of README."""

    repository: Path
    environment: dict[str, str]
    run: str

    def andon(self, *words: str) -> Finished:
        played = {"ANDON_SCENARIO": str(UAM_SCENARIO), "ANDON_UAM_PLAN_SECONDS": "0"} if words[0] == "uam" else {}
        return warm().start(*words, cwd=self.repository, env=self.environment | played).finish(90)


def shown_commands() -> list[str]:
    """The lines of README's shell blocks, without their remarks."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory, shared_environments: Path) -> Visited:
    folder = tmp_path_factory.mktemp("reader")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    environment |= {k: v for k, v in os.environ.items() if k.startswith(("UV_", "PIP_", "SSL_CERT", "NODE_EXTRA"))}
    environment["ANDON_HOME"] = str(make_home(folder / "data", shared_environments))
    shown = warm().start("demo", cwd=folder, env=environment).finish(110)
    assert shown.code == 0, shown.stdout + shown.stderr
    repository = next(folder.glob("andon-demo-*/tally"))
    scenario = folder / "scenario.yaml"
    scenario.write_text(SCENARIO)
    environment |= {"ANDON_RUNTIME": "scripted", "ANDON_SCENARIO": str(scenario)}
    listed = warm().start("runs", "--json", cwd=repository, env=environment).finish(60)
    return Visited(repository, environment, json.loads(listed.stdout)[0]["id"])


def test_the_two_commands_of_the_first_part_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {command.split()[1] for command in shown_commands() if command.startswith("make ")}

    assert shown_commands()[0] == "git clone <repository> andon && cd andon"  # make needs something to make
    assert shown >= {"demo", "test"}
    assert shown <= targets


@pytest.mark.timeout(400)  # a whole demo comes first, then twenty commands
def test_every_andon_command_that_readme_shows_works(visited: Visited) -> None:
    commands = [command for command in shown_commands() if command.startswith("andon ")]
    assert len(commands) >= 12

    for command in commands:
        words = shlex.split(command.replace("RUN", visited.run).replace("STEP", "12"))[1:]
        if words[:2] == ["answer", "ID"]:
            continue  # nothing asks here; answering is tested with a run that does
        if words == ["serve"]:
            continue  # it does not end by itself; tests/browser open what it serves
        done = visited.andon(*words)
        told = f"$ {command}\n{done.stdout}{done.stderr}"
        assert done.code == EXPECTED.get(words[0], 0), told
        assert "Traceback" not in told


def test_every_file_readme_links_to_exists() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert linked
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_the_demo_tells_the_story_that_readme_tells(visited: Visited) -> None:
    log = visited.andon("logs", visited.run, "--json")
    entries = [json.loads(line) for line in log.stdout.splitlines()]
    verdicts = [entry["data"]["verdict"] for entry in entries if entry["kind"] == "verdict"]
    names = [entry["data"]["name"] for entry in entries if entry["kind"] == "spawn"]

    kinds = [entry["kind"] for entry in entries]

    assert verdicts == ["REVISE", "REJECT", "APPROVE", "APPROVE", "GAP 100%", "0 critical"]
    assert names[2:7] == ["planner", "critic-lite", "planner", "design-writer", "impl-manager"]
    assert kinds.count("claim_refused") == 1
    assert names[names.index("qa-runner-1") :][:4] == ["qa-runner-1", "diagnostician-1", "fixer-1", "qa-runner-2"]
    assert names[-1] == "reporter"
    assert visited.andon("evidence", "verify", visited.run).code == 0
