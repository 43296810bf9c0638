"""Layer 3: the real knowledge graph server, others by the table or by settings, and servers that misbehave."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from andon.app.team_memory import LayeredMemory
from andon.domain.errors import UserError
from andon.domain.teams.memory_servers import described, dialect_of, found_in, title_of
from andon.domain.teams.recalling import Query
from andon.domain.teams.shared import Shared, Sort
from andon.memory.mcp import ServerMemory
from andon.teamify.servers import ask, configured
from memory_servers import ENVIRONMENT, FLOODS, HANGS, LEAVES, MEM0, OTHER, endpoint, knowledge_graph, python
from patience import until


def server(entry: dict[str, Any], folder: Path, **more: Any) -> ServerMemory:
    return ServerMemory("memory", endpoint(entry), ENVIRONMENT, folder, **more)


def test_B_48_the_knowledge_graph_server_keeps_and_finds(tmp_path: Path) -> None:
    memory = server(knowledge_graph(tmp_path), tmp_path)
    assert memory.search(Query("leap")) == []

    memory.write("Leap days are refused by the parser", ["failure"], "run r1, 2026-11-17, passed")
    memory.write("Buttons need a label", [], "a person")
    hits = memory.search(Query("parser of leap years"))

    assert len(hits) == 1 and hits[0].place == "MCP server memory" and hits[0].layer == "mcp"
    assert hits[0].text.splitlines() == [
        "Leap days are refused by the parser",
        "Tags: failure",
        "From: run r1, 2026-11-17, passed",
    ]
    kept = [json.loads(line) for line in (tmp_path / "graph.jsonl").read_text().splitlines()]
    assert [each["entityType"] for each in kept] == ["learning", "learning"]


def test_B_48_what_has_more_of_the_words_comes_first_and_the_same_text_is_kept_once(tmp_path: Path) -> None:
    memory = server(knowledge_graph(tmp_path), tmp_path)
    for text in ("The cache is cold", "The cache of the parser is cold", "The cache is cold"):
        memory.write(text)

    hits = memory.search(Query("parser cache"))

    assert [hit.text.splitlines()[0] for hit in hits] == ["The cache of the parser is cold", "The cache is cold"]


def test_B_48_a_tool_search_that_tells_of_a_memory_server_makes_the_third_layer_available(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"kg": knowledge_graph(tmp_path)}}))
    [found] = configured(file, "project")

    [asked] = ask([found], ENVIRONMENT, tmp_path, 60)

    assert asked.tools is not None and "search_nodes" in asked.tools
    assert asked.category == "memory"
    dialect = dialect_of(asked.tools)
    assert dialect is not None and dialect.name == "server-memory"


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]},
        {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory@2026.8.31"]},
        {"command": "uvx", "args": ["mem0-mcp-server"]},
        {"command": "npx", "args": ["-y", "@zep-ai/zep-mcp-server"]},
    ],
)
def test_B_48_B_50_a_memory_server_is_known_by_its_package_without_being_started(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"whatever": entry, "other": {"command": "npx", "args": ["x"]}}}))

    assert [each.server.category for each in configured(file, "project")] == ["memory", "other"]


def test_B_48_a_server_of_mem0s_form_is_known_by_its_tools(tmp_path: Path) -> None:
    memory = server(python(MEM0, str(tmp_path / "kept")), tmp_path)

    memory.write("Leap days are refused", [], "run r1")
    [hit] = memory.search(Query("Leap days"))

    assert (hit.text, hit.id, hit.at) == ("Leap days are refused (run r1)", "m0", "2026-11-17")
    with pytest.raises(UserError, match="refused add_memory: quota used up"):
        memory.write("too much of it")


def test_B_48_another_server_is_described_by_settings(tmp_path: Path) -> None:
    entry = python(OTHER)
    with pytest.raises(UserError, match="no memory server that andon knows") as unknown:
        server(entry, tmp_path).search(Query("leap days"))
    assert "memory.search_tool" in (unknown.value.hint or "")

    told = described("lookup", '{"about": "{words}", "limit": 3}')
    [hit] = server(entry, tmp_path, dialect=told).search(Query("leap {limit} days"))
    assert hit.text == "I know of leap {limit} days, 3 times"
    with pytest.raises(UserError, match="no tool that writes"):
        server(entry, tmp_path, dialect=told).write("x")
    with pytest.raises(UserError, match="has no tool nothing"):
        server(entry, tmp_path, dialect=described("nothing")).search(Query("x"))
    with pytest.raises(UserError, match="refused broken: Error executing tool"):
        server(entry, tmp_path, dialect=described("broken", '{"about": "{words}"}')).search(Query("x"))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (python(HANGS), "did not answer within 3 s"),
        (python(FLOODS), "memory"),
        (python(LEAVES), "cannot be asked"),
        ({"command": "/nowhere/at/all"}, "there is no program"),
    ],
    ids=["hangs", "floods", "leaves", "missing"],
)
def test_B_48_a_server_that_misbehaves_is_an_error_in_a_line_and_leaves_nothing(
    tmp_path: Path, entry: dict[str, Any], said: str
) -> None:
    began = time.monotonic()

    with pytest.raises(UserError, match=said) as caught:
        server(entry, tmp_path, seconds=3.0).search(Query("leap days"))

    assert time.monotonic() - began < 60 and caught.value.hint
    until("gone", lambda: not _left(tmp_path))


def _left(folder: Path) -> list[int]:
    mine = (each for each in psutil.process_iter(["cwd", "pid"]) if each.info["cwd"] == str(folder))
    return [each.pid for each in mine if each.pid != os.getpid()]


# --- answers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("", []),
        ("plain words", ["plain words"]),
        ('{"entities": [], "relations": []}', []),
        ('{"entities": [{"name": "A", "observations": ["one", "two"]}]}', ["one\ntwo"]),
        ('{"edges": [{"uuid": "u", "fact": "B follows A", "valid_at": "2026-01-01"}]}', ["B follows A"]),
        ('[{"memory": "x"}, {"memory": "x"}, {"text": "y"}]', ["x", "y"]),
        ("[" * 5000, ["[" * 2000]),
    ],
)
def test_B_48_answers_of_every_form_are_read(answer: str, texts: list[str]) -> None:
    assert [each.text for each in found_in(answer)] == texts


def test_B_48_two_texts_that_begin_alike_have_two_titles() -> None:
    assert title_of("a" * 80) != title_of("a" * 81) and len(title_of("a" * 500)) < 80


def test_B_48_a_server_is_started_once_for_all_that_a_unit_leaves(tmp_path: Path) -> None:
    kept, started = tmp_path / "kept", tmp_path / "started"
    script = f"import sys\nopen(sys.argv[2], 'a').write('x')\n{MEM0}"
    memory = server(python(script, str(kept), str(started)), tmp_path)
    found = [Shared(Sort.DISCOVERY, "scout", f"Thing {number}", ("gap",)) for number in range(3)]
    passing = [Shared(Sort.STATE, "scout", "done", key="unit/one")]

    assert LayeredMemory("r1", None, lambda: memory, str).share([*found, *passing], 0) == []

    assert kept.read_text().splitlines() == [f"Thing {number} (run r1, scout)" for number in range(3)]
    assert started.read_text() == "x"
