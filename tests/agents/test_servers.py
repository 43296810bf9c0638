"""An order may name MCP servers: the agent's own program starts them in its sandbox, and its model can call them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stages import PROGRAMS, SECRET, Program, Stage, until

from andon.domain.order import Outcome
from andon.processes.mcp_client import Endpoint
from andon.runtimes.servers import CANNOT, Server
from memory_servers import endpoint, knowledge_graph
from model_server import ModelServer
from model_server.answers import Answer, Use
from model_server.conversation import Request
from warm import Finished

NOTED = {"entities": [{"name": "deploys", "entityType": "fact", "observations": ["on Mondays"]}]}


class Calls:
    """A model that calls one tool of a server and then says what came of it."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self.tool, self.arguments = tool, arguments

    def answer(self, request: Request) -> Answer:
        told = [result.text for turn in request.turns for result in turn.results]
        if told:
            return Answer(f"It said: {told[-1]}")
        use = self._use(request)
        return Answer(uses=(use,)) if use else Answer("There is no such tool.")

    def _use(self, request: Request) -> Use | None:
        name = next((name for name in request.tools if name.endswith(self.tool)), None)
        if name is not None:
            return Use(name, self.arguments)
        if "exec" in request.tools:  # the newest models have one tool, a script that calls the others
            called = f"tools.mcp__memory__{self.tool}({json.dumps(self.arguments)})"
            return Use("exec", f"text(JSON.stringify(await {called}));")
        return None


@contextmanager
def staged(program: Program, folder: Path, plays: Calls, servers: dict[str, Server]) -> Iterator[Stage]:
    (folder / "workspace").mkdir()
    told = replace(program, settings={**program.settings, "servers": servers.__getitem__})
    with ModelServer(plays).serving() as server:
        yield Stage(told, folder, server)


LISTENS = """
import sys, uvicorn
from mcp.server import MCPServer
made = MCPServer("other")
@made.tool()
def lookup(about: str) -> str:
    return f"I know of {about}"
inner = made.streamable_http_app()
async def app(scope, receive, send):
    if scope["type"] == "http":
        with open(sys.argv[2], "a") as file:
            file.write(dict(scope["headers"]).get(b"authorization", b"").decode() + "\\n")
    await inner(scope, receive, send)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""


@contextmanager
def answering(folder: Path) -> Iterator[tuple[str, Callable[[], set[str]]]]:
    """A server at an address, and what it was told of whoever calls it."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port = opened.getsockname()[1]
    told = folder / "told"
    process = subprocess.Popen([sys.executable, "-c", LISTENS, str(port), str(told)], stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: _listens(port), 60)
        yield f"http://127.0.0.1:{port}/mcp", lambda: {*told.read_text().splitlines()}
    finally:
        process.kill()
        process.wait(20)


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def graph(folder: Path, **variables: str) -> Server:
    """The real memory server, which keeps what it is told in a folder that it may write."""
    folder.mkdir(exist_ok=True)
    entry = knowledge_graph(folder)
    return Server(endpoint(entry | {"env": entry["env"] | variables}), writable=(str(folder),))


def argv(stage: Stage) -> str:
    return json.dumps(json.loads((stage.order_folder / "command.json").read_bytes())["argv"])


def test_B_25_a_member_calls_a_server_that_it_was_given(program: Program, tmp_path: Path) -> None:
    servers = {"memory": graph(tmp_path / "graph", GRAPH_TOKEN=SECRET)}

    with staged(program, tmp_path, Calls("create_entities", NOTED), servers) as stage:
        reply = stage.carry_out(stage.order(servers=("memory",)))

    if program.runtime in CANNOT:
        assert reply.outcome is Outcome.REFUSED and CANNOT[program.runtime] in reply.detail
        return
    assert reply.outcome is Outcome.DONE, reply
    assert "on Mondays" in (tmp_path / "graph/graph.jsonl").read_text()
    assert SECRET not in argv(stage)
    assert stage.left() == []


def test_B_25_a_server_is_reached_by_its_address_with_its_headers(program: Program, tmp_path: Path) -> None:
    if program.runtime in CANNOT:
        pytest.skip("it uses no servers at all")
    with answering(tmp_path) as (url, seen):
        servers = {"memory": Server(Endpoint(url=url, headers={"Authorization": f"Bearer {SECRET}"}))}
        with staged(program, tmp_path, Calls("lookup", {"about": "cranes"}), servers) as stage:
            reply = stage.carry_out(stage.order(servers=("memory",)))

    assert (reply.outcome, "I know of cranes" in reply.text) == (Outcome.DONE, True), reply
    assert seen() == {f"Bearer {SECRET}"}
    assert SECRET not in argv(stage)


def test_B_25_who_names_no_server_has_none(program: Program, tmp_path: Path) -> None:
    servers = {"memory": graph(tmp_path / "graph")}

    with staged(program, tmp_path, Calls("create_entities", NOTED), servers) as stage:
        stage.carry_out(stage.order())

    assert not (tmp_path / "graph/graph.jsonl").exists()


TEAM = """
team: custom.memory
name: Memory
members:
  - {name: lead, place: lead, model: opus, type: general-purpose}
  - {name: keeper, model: sonnet, type: Explore, category: custom, mcp: [memory]}
units: [{id: keep, title: Keep when deploys happen, member: keeper, outputs: [what is kept]}]
"""
KEPT = {"status": "DONE", "summary": "Kept", "items": [{"item": "what is kept", "analysis": "Deploys are on Mondays."}]}


class Keeps(Calls):
    """A member that uses its server, and hands in what came of it."""

    def answer(self, request: Request) -> Answer:
        said = super().answer(request)
        return said if said.uses else Answer(f"```json\n{json.dumps(KEPT)}\n```")


@pytest.mark.parametrize("allowed", [True, False])
def test_B_25_members_of_a_run_use_servers_when_a_person_lets_them(
    allowed: bool, tmp_path: Path, run_andon: Callable[..., Finished]
) -> None:
    program, repository, kept = PROGRAMS["claude"], tmp_path / "project", tmp_path / "graph"
    if not program.there:
        pytest.skip("the agent programs are not installed: make agents-install")
    for folder in (repository, kept, home := tmp_path / "home"):
        folder.mkdir()
    (home / "settings.toml").write_text(f"[servers.memory]\nwritable = [{json.dumps(str(kept))}]\n")
    (repository / "team.yaml").write_text(TEAM)
    (repository / ".mcp.json").write_text(json.dumps({"mcpServers": {"memory": knowledge_graph(kept)}}))
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for words in (("init", "-q"), ("add", "--all"), (*who, "commit", "-qm", "The beginning")):
        subprocess.run(["git", *words], cwd=repository, check=True, timeout=60)

    with ModelServer(Keeps("create_entities", NOTED)).serving() as server:
        signed_in = {"ANTHROPIC_API_KEY": "sk-loopback", "ANTHROPIC_BASE_URL": server.url}
        more = {"PATH": f"{program.bin}:{os.environ['PATH']}", **signed_in}
        words = ("team", "run", "--runtime", "claude", *(["--servers"] if allowed else []))
        done = run_andon(*words, cwd=repository, home=home, env=more, seconds=100)

    assert done.code == 0, done.stdout + done.stderr
    assert (kept / "graph.jsonl").exists() is allowed
    assert ("Members may start MCP servers: memory:" in done.stdout) is allowed
    assert ("work without the MCP servers memory" in done.stdout) is not allowed
