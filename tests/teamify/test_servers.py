"""MCP servers: real ones, over all three transports; broken, hanging and flooding ones are rows."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from andon.domain.errors import UserError
from andon.domain.teams.resources import Transport
from andon.teamify.servers import ask, chosen, configured
from patience import until

SERVER = """
import sys
from mcp.server import MCPServer
made = MCPServer("three")
for name in ("create_note", "search_vault", "read_note"):
    made.tool(name=name)(lambda: "x")
made.run(sys.argv[1], **({"host": "127.0.0.1", "port": int(sys.argv[2])} if len(sys.argv) > 2 else {}))
"""
HANGS = "import time; time.sleep(600)"
FLOODS = "import sys\nwhile True: sys.stdout.write('{\"jsonrpc\": ' * 1000 + '\\n')"
LEAVES = "print('not json'); raise SystemExit(3)"
TELLS = "import os, sys; open(sys.argv[1], 'w').write('\\n'.join(sorted(os.environ)))"


def file(folder: Path, servers: object) -> Path:
    made = folder / ".mcp.json"
    made.write_text(json.dumps({"mcpServers": servers}))
    return made


def stdio(text: str, *arguments: str) -> dict[str, object]:
    return {"command": sys.executable, "args": ["-c", text, *arguments]}


def test_B_05_transports_are_told_apart_and_what_may_be_secret_is_not_shown(tmp_path: Path) -> None:
    found = configured(
        file(
            tmp_path,
            {
                "obsidian": {"command": "/opt/x/npx", "args": ["--key", "SECRET"]},
                "notion": {"type": "sse", "url": "https://me:SECRET@example.com/sse?key=SECRET"},
                "plain": {"type": "http", "url": "https://example.com/mcp"},
                "odd": 3,
                "empty": {},
            },
        ),
        "project",
    )

    rows = {each.server.name: each.server for each in found}
    assert {name: row.transport for name, row in rows.items()} == {
        "obsidian": Transport.STDIO,
        "notion": Transport.SSE,
        "plain": Transport.HTTP,
        "odd": None,
        "empty": None,
    }
    assert "SECRET" not in repr(list(rows.values())) and rows["obsidian"].reached_by == "npx"
    assert (rows["obsidian"].category, rows["plain"].category) == ("vault", "other")
    assert rows["odd"].problem and rows["empty"].problem and rows["plain"].status == "not asked"


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": 3}', "\xff"])
def test_B_05_a_broken_file_is_a_row_and_a_missing_one_is_nothing(tmp_path: Path, text: str) -> None:
    made = tmp_path / ".mcp.json"
    assert configured(made, "project") == []
    made.write_bytes(text.encode("latin-1"))

    [row] = configured(made, "project")

    assert row.server.problem and row.server.name == ".mcp.json"


def test_B_06_a_server_over_standard_input_tells_its_tools(tmp_path: Path) -> None:
    found = configured(file(tmp_path, {"obsidian": stdio(SERVER, "stdio")}), "project")

    [row] = ask(found, os.environ, tmp_path, 60)

    assert (row.tools, row.problem, row.status) == (("create_note", "search_vault", "read_note"), "", "active")


@pytest.fixture
def listening(request: pytest.FixtureRequest) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        port = opened.getsockname()[1]
    words = [sys.executable, "-c", SERVER, request.param, str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until("server", lambda: _answers(port))
    yield port
    process.kill()
    process.wait(20)


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    ("listening", "entry"),
    [("sse", {"type": "sse", "path": "/sse"}), ("streamable-http", {"type": "http", "path": "/mcp"})],
    indirect=["listening"],
)
def test_B_06_a_server_over_http_tells_its_tools(tmp_path: Path, listening: int, entry: dict[str, str]) -> None:
    told = {"type": entry["type"], "url": f"http://127.0.0.1:{listening}{entry['path']}"}

    [row] = ask(configured(file(tmp_path, {"remote": told}), "project"), os.environ, tmp_path, 60)

    assert (row.tools, row.problem) == (("create_note", "search_vault", "read_note"), "")


def test_B_06_servers_that_hang_flood_leave_or_are_not_there_are_rows_within_their_time(tmp_path: Path) -> None:
    entries = {
        "hangs": stdio(HANGS),
        "floods": stdio(FLOODS),
        "leaves": stdio(LEAVES),
        "missing": {"command": str(tmp_path / "nothing")},
        "refused": {"url": "http://127.0.0.1:9/mcp"},
        "good": stdio(SERVER, "stdio"),
    }
    began = time.monotonic()

    rows = {row.name: row for row in ask(configured(file(tmp_path, entries), "p"), os.environ, tmp_path, 20)}

    assert time.monotonic() - began < 90
    assert rows["good"].problem == "" and rows["good"].tools
    assert all(row.problem and row.tools is None for name, row in rows.items() if name != "good")
    assert "within 20 s" in rows["hangs"].problem and "no program" in rows["missing"].problem
    until("end", lambda: not _left(tmp_path))


def _left(folder: Path) -> list[int]:
    """Processes that a server left behind."""
    return [
        each.pid
        for each in psutil.process_iter(["cwd", "pid"])
        if each.info["cwd"] == str(folder) and each.pid != os.getpid()
    ]


def test_B_06_a_server_gets_what_it_is_configured_with_and_not_the_persons_secrets(tmp_path: Path) -> None:
    told = tmp_path / "told"
    entry = stdio(TELLS, str(told)) | {"env": {"ITS_KEY": "${MINE:-none}", "OTHER": "${NOT_SET:-x}"}}
    environment = {**os.environ, "MINE": "m", "SOMEBODY_TOKEN": "secret"}

    ask(configured(file(tmp_path, {"x": entry}), "p"), environment, tmp_path, 30)

    names = told.read_text().split()
    assert {"ITS_KEY", "OTHER", "PATH"} <= set(names) and "SOMEBODY_TOKEN" not in names and "MINE" not in names


def test_B_06_only_servers_that_are_named_are_started(tmp_path: Path) -> None:
    marks = {name: str(tmp_path / name) for name in ("one", "two")}
    found = configured(file(tmp_path, {name: stdio(TELLS, path) for name, path in marks.items()}), "project")

    rows = ask(found, os.environ, tmp_path, 20, chosen(found, ["two"]))

    assert [(each.name, each.status) for each in rows] == [("one", "not asked"), ("two", "problem")]
    assert rows[1].problem == "it ended, or closed the connection, before it answered"
    assert [Path(each).exists() for each in marks.values()] == [False, True]
    assert chosen(found, [1]) == [found[1]] and chosen(found, []) == found
    with pytest.raises(UserError, match="There is no MCP server three here"):
        chosen(found, ["three"])
