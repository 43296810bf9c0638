"""Which MCP servers the members of a team may use: those that a person lets them, as they were then."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from andon.app.server_settings import ServerSettings
from andon.app.team_servers import allowed, servers_of_run
from andon.domain.errors import UserError
from andon.domain.run import RunRow, Status
from andon.domain.teams.routing import Place
from andon.domain.teams.team import Member, Team, Work
from andon.domain.teams.units import AgentType
from andon.engine.redaction import Redaction

KEY = "xk-0123456789"
ENTRY = {"command": sys.executable, "args": ["-m", "vault", "${VAULT:-notes}"], "env": {"VAULT_KEY": "${KEY}"}}


def team(*servers: str) -> Team:
    members = (
        Member("lead", Place.LEAD, "opus", AgentType.GENERAL, mcp=("idle",)),
        Member("keeper", Place.WORKER, "sonnet", AgentType.GENERAL, mcp=servers),
    )
    return Team("custom.x", "X", "x", ("custom",), members, (Work("a", "A", "custom", "", "keeper"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    configure(tmp_path, {"obsidian-mcp": ENTRY, "gone": {"command": "no-such-program"}, "odd": 3})
    return tmp_path


def configure(folder: Path, servers: dict[str, Any]) -> None:
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "KEY": KEY}


def asked(folder: Path, *names: str, every: bool = True, runtime: str = "claude", **settings: Any) -> dict[str, Any]:
    told = {name: ServerSettings.model_validate(each) for name, each in settings.items()}
    return allowed(team(*names), every, told, [runtime], folder, environment(folder))


def run_of(folder: Path, kept: dict[str, Any]) -> RunRow:
    words = ("r1", "team", "X", "x", str(folder), "feat/x", Status.RUNNING, "work", "TEAM", "")
    return RunRow(*words, leg=1, created_at=0.0, updated_at=0.0, spec={"more": {"servers": kept}})


def test_B_25_no_server_is_used_that_nobody_allowed(folder: Path) -> None:
    assert asked(folder, "obsidian", every=False) == {}
    assert asked(folder, "obsidian", every=False, obsidian={"use": False}) == {}
    assert [*asked(folder, "obsidian", every=False, obsidian={"use": True})] == ["obsidian"]
    with pytest.raises(UserError, match="Nobody lets"):
        servers_of_run(run_of(folder, {}), environment(folder), Redaction({}))("obsidian")


def test_B_25_a_server_goes_by_the_name_that_the_team_has_for_it_and_no_secret_is_kept(folder: Path) -> None:
    kept = asked(folder, "obsidian")

    assert kept["obsidian"]["entry"] == "obsidian-mcp" and "-m vault" in kept["obsidian"]["line"]
    assert KEY not in json.dumps(kept)
    redaction = Redaction({})
    server = servers_of_run(run_of(folder, kept), environment(folder), redaction)("obsidian")
    assert server.endpoint.command == (sys.executable, "-m", "vault", "notes")
    assert server.endpoint.environment == {"VAULT_KEY": KEY}
    assert redaction.text(f"a {KEY}") == "a [redacted]"


def test_B_25_a_key_that_stands_in_a_command_line_is_not_kept_either(folder: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    configure(folder, {"obsidian": {"command": sys.executable, "args": ["-m", "vault", "--key", key]}})

    kept = asked(folder, "obsidian")

    assert key not in json.dumps(kept) and "--key" in kept["obsidian"]["line"]
    known = servers_of_run(run_of(folder, kept), environment(folder), Redaction({}))
    assert known("obsidian").endpoint.command[-1] == key


def test_B_25_a_server_whose_entry_was_changed_since_is_not_started(folder: Path) -> None:
    kept = asked(folder, "obsidian")
    configure(folder, {"obsidian-mcp": ENTRY | {"args": ["-c", "something else"]}})

    with pytest.raises(UserError, match="not what it was"):
        servers_of_run(run_of(folder, kept), environment(folder), Redaction({}))("obsidian")


def test_B_25_a_setting_means_the_persons_own_server_whatever_a_repository_calls_by_its_name(folder: Path) -> None:
    (folder / "home").mkdir()
    configure(folder / "home", {"obsidian-mcp": ENTRY | {"args": ["mine"]}})
    configure(folder, {"obsidian": ENTRY | {"args": ["theirs"]}})

    setting = asked(folder, "obsidian", every=False, obsidian={"use": True})
    for_once = asked(folder, "obsidian", every=True)

    assert setting["obsidian"]["line"].endswith(" mine") and for_once["obsidian"]["line"].endswith(" theirs")
    for kept, word in ((setting, "mine"), (for_once, "theirs")):
        known = servers_of_run(run_of(folder, kept), environment(folder), Redaction({}))
        assert known("obsidian").endpoint.command[-1] == word


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("nowhere", {}, "nowhere"),
        ("gone", {}, "no-such-program"),
        ("odd", {}, "not a table"),
        ("obsidian", {"runtime": "gemini"}, "does not trust"),
        ("obsidian", {"obsidian": {"writable": ["/no/such/folder"]}}, "/no/such/folder"),
        ("obsidian", {"obsidian": {"readable": ["relative"]}}, "relative"),
    ],
)
def test_B_25_what_cannot_be_used_is_said_before_anything_begins(
    folder: Path, name: str, more: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError) as refused:
        asked(folder, name, **more)

    assert told in refused.value.message and refused.value.hint


def test_B_25_only_servers_of_members_that_work_are_asked_about(folder: Path) -> None:
    assert asked(folder) == {}
