"""What a scan finds becomes rows, families of skills, kinds of servers, and the best way to each function."""

from __future__ import annotations

import itertools

import pytest

from andon.domain.teams.resources import (
    SERVER_CATEGORIES,
    Inventory,
    Program,
    Server,
    Transport,
    categories_of,
    server_category,
    supports_teams,
)
from andon.domain.teams.tool_paths import MATRIX, function_of, tool_path, tool_paths


def server(name: str, problem: str = "") -> Server:
    return Server(name, Transport.STDIO, server_category(name), "project", "npx", None, problem)


def program(name: str) -> Program:
    return Program(name, "use", "1.0", f"/usr/bin/{name}")


def test_B_02_skills_belong_to_the_family_of_their_prefix() -> None:
    assert categories_of(["km-foo", "ce-bar", "solo"]) == {"km-foo": "km", "ce-bar": "ce", "solo": "other"}


def test_B_02_a_prefix_nobody_knows_is_a_family_when_two_share_it() -> None:
    found = categories_of(["code-review", "code-style", "one-off", "-x"])

    assert found == {"code-review": "code", "code-style": "code", "one-off": "other", "-x": "other"}


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (["Read", "TeamCreate"], True),
        (["TeamCreate(*)"], True),
        (["Read"], False),
        (["TeamCreateX"], False),
        ([], False),
    ],
)
def test_B_04_a_list_with_TeamCreate_supports_teams(tools: list[str], expected: bool) -> None:
    assert supports_teams(tools) is expected


@pytest.mark.parametrize(("name", "expected"), [*SERVER_CATEGORIES.items(), ("weather", "other")])
def test_B_07_servers_have_categories(name: str, expected: str) -> None:
    assert server_category(name) == expected
    assert server_category(f"{name}-mcp") == server_category(f"mcp_{name}") == expected


@pytest.mark.parametrize(("cli", "mcp"), list(itertools.product([True, False], repeat=2)))
def test_B_10_the_browser_is_reached_by_its_program_first_and_the_vault_by_its_server(cli: bool, mcp: bool) -> None:
    inventory = Inventory(
        servers=(server("playwright"), server("obsidian")) if mcp else (),
        programs=(program("playwright"), program("obsidian-cli")) if cli else (),
    )

    browser, vault = (tool_path(each, inventory) for each in MATRIX[:2])

    assert (browser and browser.method) == ("cli" if cli else "mcp" if mcp else None)
    assert (vault and vault.method) == ("mcp" if mcp else "cli" if cli else None)
    assert MATRIX[1].otherwise == "file system"


def test_B_11_B_12_with_everything_installed_the_nine_ways_are_those_of_the_matrix() -> None:
    inventory = Inventory(
        servers=tuple(map(server, SERVER_CATEGORIES)),
        programs=tuple(map(program, ("playwright", "obsidian-cli", "marker_single"))),
    )

    found = {name: path.as_json() for name, path in tool_paths(inventory).items()}

    assert {name: path["method"] for name, path in found.items()} == {
        "browser": "cli",
        "vault": "mcp",
        "pdf": "cli",
        "web": "mcp",
        "diagram": "mcp",
        "docs": "mcp",
        "ai-notebook": "mcp",
        "memory": "mcp",
        "design": "mcp",
    }
    assert found["browser"] == {"method": "cli", "command": "npx playwright", "fallback": "playwright MCP"}
    assert all(path["fallback"] and ("command" in path or "server" in path) for path in found.values())


def test_B_12_the_vault_falls_back_to_files_where_there_is_no_program() -> None:
    found = tool_paths(Inventory(servers=(server("obsidian"),)))

    assert found["vault"].as_json() == {"method": "mcp", "server": "obsidian", "fallback": "file system"}


def test_B_05_a_server_with_a_problem_is_a_row_and_no_way_to_anything() -> None:
    inventory = Inventory(servers=(server("obsidian", "it did not answer within 10 s"),))

    assert tool_paths(inventory) == {}
    assert inventory.as_json()["servers"][0]["status"] == "problem"
    assert function_of("obsidian") is MATRIX[1]
