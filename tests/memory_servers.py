"""The real memory server that `make test` installs, and small ones that misbehave."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from andon.processes.mcp_client import Endpoint

INSTALLED = Path(__file__).resolve().parents[1] / ".agents/servers/node_modules"
SCRIPT = INSTALLED / "@modelcontextprotocol/server-memory/dist/index.js"
MEM0 = """
import json, sys
from mcp.server import MCPServer
made, kept = MCPServer("mem0"), sys.argv[1]
@made.tool()
def add_memory(text: str) -> str:
    if "too much" in text: return json.dumps({"error": "quota used up", "status": 429})
    with open(kept, "a") as file: file.write(text + "\\n")
    return json.dumps({"results": [{"id": "m1", "event": "ADD"}]})
@made.tool()
def search_memories(query: str) -> str:
    try: lines = open(kept).read().splitlines()
    except FileNotFoundError: lines = []
    rows = [{"id": f"m{n}", "memory": each, "created_at": "2026-11-17T10:00:00Z"} for n, each in enumerate(lines)]
    return json.dumps({"results": [row for row in rows if query.split()[0] in row["memory"]]})
made.run("stdio")
"""
OTHER = """
import sys
from mcp.server import MCPServer
made = MCPServer("other")
@made.tool()
def lookup(about: str, limit: int) -> str:
    return f"I know of {about}, {limit} times"
@made.tool()
def broken(about: str) -> str:
    raise RuntimeError("out of order")
made.run("stdio")
"""
HANGS = "import time; time.sleep(600)"
FLOODS = "import sys\nwhile True: sys.stdout.write('{\"jsonrpc\": ' * 1000 + '\\n')"
LEAVES = "print('not json'); raise SystemExit(3)"


def knowledge_graph(folder: Path) -> dict[str, Any]:
    """As `.mcp.json` has it, with its file in a folder of the test's own."""
    if not SCRIPT.exists():
        pytest.skip("no MCP servers here; `make test` installs them (scripts/servers.sh)")
    node = shutil.which("node")
    assert node, "npm was there, and node is not"
    return {"command": node, "args": [str(SCRIPT)], "env": {"MEMORY_FILE_PATH": str(folder / "graph.jsonl")}}


def python(text: str, *arguments: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-c", text, *arguments]}


def endpoint(entry: dict[str, Any]) -> Endpoint:
    return Endpoint((entry["command"], *entry.get("args", ())), entry.get("env", {}))


ENVIRONMENT = dict(os.environ)
